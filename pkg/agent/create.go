package agent

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/ryeos/rye/pkg/record"
)

// birth is what a child is made from. It can wait in the storage for variables that are missing.
type birth struct {
	Tool        string          `json:"tool"`
	Agent       string          `json:"agent"`
	Side        SideName        `json:"side,omitempty"` // of the parent
	Name        string          `json:"initial_agent_name,omitempty"`
	Message     string          `json:"initial_message_content"`
	Attachments []string        `json:"initial_message_attachments,omitempty"` // files of the parent
	Arguments   json.RawMessage `json:"initial_arguments,omitempty"`
	Blocking    bool            `json:"blocking,omitempty"`
	Resumable   *Resumable      `json:"resumable,omitempty"`
	Immediate   string          `json:"immediate,omitempty"`
	Withheld    []string        `json:"withheld,omitempty"` // variables of the parent that are meant for certain children
	Call        string          `json:"-"`
	values      []Value         // that only this child gets
}

// newBirth is a child that a prompt's entry makes.
func newBirth(s Scope, entry *Tool) *birth {
	b := &birth{Tool: entry.Name, Agent: entry.Name, Side: s.Side, Blocking: true}
	if entry.Subagent != nil {
		b.Blocking, b.Resumable = !entry.Subagent.Background, entry.Subagent.Resumable
	}
	for _, t := range s.Prompt.Tools {
		if t.Subagent != nil && t.Subagent.Immediate != nil {
			b.Withheld = append(b.Withheld, t.Subagent.Immediate.ScopedEnv...)
		}
	}
	return b
}

// mapArguments takes the first message, its attachments and the name out of the arguments (seed 004 §7.4).
func (b *birth) mapArguments(entry *Tool) *ToolResult {
	b.Message = initialMessage(entry, b.Arguments)
	if entry.InitName != "" {
		b.Name, _ = property(string(b.Arguments), entry.InitName)
	}
	if entry.InitAttachments == "" {
		return nil
	}
	var object map[string]json.RawMessage
	_ = json.Unmarshal(b.Arguments, &object) // it is an object, or there is nothing to find
	var err error
	if b.Attachments, err = paths(object[entry.InitAttachments]); err != nil {
		no := refuse("invalid_arguments", "%s of %s cannot be attached: %v", entry.InitAttachments, entry.Name, err)
		return &no.ToolResult
	}
	return nil
}

const maxName = 120 // bytes of what people call a child

// createChild stores a child: its thread, its entry in the parent's registry, its variables and files, and its first message
// in the queue.
func (r *Runtime) createChild(tx record.Tx, n *news, parent *Thread, b *birth) (*Child, error) {
	agent, err := r.definitions.Agent(b.Agent)
	if err != nil {
		return nil, err
	}
	siblings, err := children.list(tx, parent.ID, record.Range{})
	if err != nil {
		return nil, err
	}
	if err := r.mayCreate(tx, parent, siblings, b); err != nil {
		return nil, err
	}
	t := &Thread{ID: r.newID(), Name: prefix(strings.TrimSpace(b.Name), maxName), Agent: b.Agent, Sender: parent.Agent, Parent: parent.ID, Root: parent.root(),
		Depth: parent.Depth + 1, Created: r.now(), Arguments: b.Arguments, Digest: agent.Digest, Status: StatusCreated}
	if t.Limits, err = r.childLimits(agent, parent, t); err != nil {
		return nil, err
	}
	if err := r.boot(tx, parent, t, b); err != nil {
		return nil, err
	}
	parent.Spawned++
	if _, err := countThreads(tx, t.root(), 1); err != nil {
		return nil, err
	}
	c := &Child{Reference: t.ID, Tool: b.Tool, Agent: b.Agent, Name: t.Name, Side: b.Side, Status: string(StatusRunning), Blocking: b.Blocking,
		Resumable: b.Resumable, Immediate: b.Immediate, Arguments: b.Arguments, Created: t.Created, Running: true, Call: b.Call}
	if !b.Blocking {
		n.wake = append(n.wake, t.ID)
	}
	return c, r.enter(tx, n, parent.ID, c, childCreated)
}

// boot stores what a child begins with.
func (r *Runtime) boot(tx record.Tx, parent, t *Thread, b *birth) error {
	own, err := r.inherited(tx, parent.ID, b.Agent)
	if err != nil {
		return err
	}
	own = slices.DeleteFunc(own, func(v Value) bool {
		return slices.ContainsFunc(b.Withheld, func(name string) bool { return v.Name == name || strings.HasPrefix(v.Name, name+indexed) })
	})
	if err := r.setVariables(tx, t.ID, own, false); err != nil {
		return err
	}
	if err := r.setVariables(tx, t.ID, b.values, true); err != nil {
		return err
	}
	if err := threads.put(tx, t.ID, the, t); err != nil {
		return err
	}
	if len(b.Arguments) > 0 {
		m := &Message{Role: System, Status: Completed, Silent: true, Content: string(b.Arguments), Created: r.now(),
			Metadata: Metadata{"subagentInitialArguments": b.Arguments}}
		if err := appendMessage(tx, t.ID, m); err != nil {
			return err
		}
	}
	attached, err := r.handOver(tx, parent.ID, t.ID, b.Attachments)
	if err != nil {
		return err
	}
	_, err = r.enqueue(tx, t.ID, &work{Message: &Message{Role: User, Content: b.Message, Attachments: attached, Metadata: Metadata{"parent_thread_id": parent.ID}}})
	return err
}

// handOver copies files that a model has named into a child, which cannot read the parent's. Each is also a silent row there.
func (r *Runtime) handOver(tx record.Tx, parent, child string, names []string) ([]Attachment, error) {
	list, err := named(tx, parent, names)
	if err != nil {
		return nil, err
	}
	copied, err := copyFiles(tx, parent, child, list)
	if err != nil {
		return nil, err
	}
	for _, a := range copied {
		m := &Message{Role: System, Status: Completed, Silent: true, Content: a.Path, Attachments: []Attachment{a}, Created: r.now(),
			Metadata: Metadata{"status_kind": "subagent_event", "subagent_event": "attachment", "parent_thread_id": parent}}
		if err := appendMessage(tx, child, m); err != nil {
			return nil, err
		}
	}
	return copied, nil
}

// named finds files by their paths.
func named(tx record.Reader, thread string, names []string) ([]Attachment, error) {
	list := make([]Attachment, 0, len(names))
	for _, name := range names {
		a, err := files.get(tx, thread, name)
		if err != nil {
			return nil, err
		}
		if a == nil {
			return nil, noFile(tx, thread, name)
		}
		list = append(list, *a)
	}
	return list, nil
}

// noFile says which files there are instead.
func noFile(tx record.Reader, thread, name string) error {
	there, err := files.names(tx, thread, record.Range{Limit: 20})
	if err != nil {
		return err
	}
	known := "there are none yet"
	if len(there) > 0 {
		known = "there are " + strings.Join(there, ", ")
	}
	return refuse("attachment_not_found", "the attachment %q does not exist: name files of this thread, like %sfile.txt; %s", name, attachmentFolder, known)
}
