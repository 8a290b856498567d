package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/ryeos/rye/pkg/record"
)

// Child is an entry of a parent's registry of children (spec/agent-runtime A8.2).
type Child struct {
	Reference  string          `json:"reference"` // the child's thread
	Tool       string          `json:"tool"`      // the entry of the prompt that made it
	Agent      string          `json:"agent"`
	Name       string          `json:"name,omitempty"`
	Side       SideName        `json:"side,omitempty"` // of the parent, that made it and hears of it
	Status     string          `json:"status"`         // running, idle, failed, terminated, …, or what the child says of itself
	Blocking   bool            `json:"blocking,omitempty"`
	Resumable  *Resumable      `json:"resumable,omitempty"`
	Immediate  string          `json:"immediate,omitempty"` // what it was started for before the first step
	Arguments  json.RawMessage `json:"arguments,omitempty"`
	Created    time.Time       `json:"created_at"`
	Running    bool            `json:"running,omitempty"` // it has a task whose end the parent has not heard of
	Terminated bool            `json:"terminated,omitempty"`
	Told       int             `json:"told,omitempty"` // the last of its sessions whose end was settled
	Call       string          `json:"call,omitempty"` // the row of the tool call that waits for it
	Result     *ChildResult    `json:"result,omitempty"`
}

// ChildResult is how a session of a child ended, as its parent sees it.
type ChildResult struct {
	Session     int          `json:"session"`
	Reason      Reason       `json:"reason"`
	Failed      bool         `json:"failed,omitempty"`
	Message     string       `json:"message"`
	Attachments []Attachment `json:"attachments,omitempty"` // files of the parent

	status Status   // of the child from now on
	files  []string // of the child, that go with the message
}

// label is how a child is spoken of.
func (c *Child) label() string {
	if c.Name == "" || c.Name == c.Agent {
		return fmt.Sprintf("%s (reference %s)", c.Agent, c.Reference)
	}
	return fmt.Sprintf("%s %q (reference %s)", c.Agent, c.Name, c.Reference)
}

func (c *Child) explicit() bool { return c.Resumable != nil && c.Resumable.Explicit }

// role is that of a message about the child on its parent: the side that made it answers.
func (c *Child) role() Role { return c.Side.other().role() }

// reachable reports whether the child can be sent messages.
func (c *Child) reachable() bool { return c.Resumable != nil && !c.Terminated }

// instances are the children of an entry that are there.
func instances(list []Child, tool string) []Child {
	return slices.DeleteFunc(slices.Clone(list), func(c Child) bool { return c.Terminated || c.Tool != tool })
}

// atWork are the children that have a task.
func atWork(list []Child) []Child {
	return slices.DeleteFunc(slices.Clone(list), func(c Child) bool { return !c.Running })
}

// registry is what a thread knows of its children.
func (f *flow) registry() ([]Child, error) {
	var list []Child
	err := f.storage.View(f.ctx, func(tx record.Reader) (err error) {
		list, err = children.list(tx, f.thread.ID, record.Range{})
		return err
	})
	return list, err
}

// What happens to a child, in metadata.subagent_event of the parent's notes.
const (
	childCreated    = "create"
	childMessaged   = "message"
	childReturned   = "return"
	childFailed     = "failure"
	childReported   = "status"
	childTerminated = "terminated"
)

// news is what a transaction has to tell when it has been stored.
type news struct {
	wake   []string // threads that nobody runs
	halt   []string // threads that were terminated
	events []Event
}

func (n *news) add(m *news) {
	n.wake, n.halt, n.events = append(n.wake, m.wake...), append(n.halt, m.halt...), append(n.events, m.events...)
}

// enter stores an entry of a parent's registry, with a note for clients.
func (r *Runtime) enter(tx record.Tx, n *news, parent string, c *Child, event string) error {
	t, err := loadThread(tx, parent)
	if err != nil {
		return err
	}
	if err := children.put(tx, parent, c.Reference, c); err != nil {
		return err
	}
	n.events = append(n.events, Event{Type: SubagentChanged, Thread: parent, Agent: t.Agent, Child: c.Reference, Status: c.Status})
	return r.note(tx, parent, "subagent_event", Metadata{"subagent_event": event, "subagent_id": c.Reference, "agent": c.Agent, "status": c.Status})
}

// publish tells what a transaction has done.
func (r *Runtime) publish(ctx context.Context, n *news) {
	for _, thread := range n.halt {
		r.interruptFlow(thread)
	}
	for _, e := range n.events {
		e.At = r.now()
		r.env.OnAgentEvent(e.Agent, e.Thread, e)
	}
	for _, thread := range n.wake {
		r.env.Wake(ctx, thread)
	}
	*n = news{}
}

// countThreads counts those below the root of a tree that are not terminated.
func countThreads(tx record.Tx, root string, by int64) (int64, error) {
	const living = "threads"
	n, err := counters.get(tx, root, living)
	if err != nil {
		return 0, err
	}
	if n == nil {
		n = new(int64)
	}
	if by == 0 {
		return *n, nil
	}
	*n += by
	return *n, counters.put(tx, root, living, n)
}
