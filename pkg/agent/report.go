package agent

import (
	"context"
	"fmt"
	"strings"

	"github.com/ryeos/rye/pkg/record"
)

// report tells the parent of the end of a session, in the same transaction (seed 004 §8.2).
func (f *flow) report(tx record.Tx, t *Thread, agent *Agent, e ending) error {
	return f.reportTo(tx, &f.news, t, agent, e)
}

func (r *Runtime) reportTo(tx record.Tx, n *news, t *Thread, agent *Agent, e ending) error {
	if t.Parent == "" {
		return nil
	}
	c, err := children.get(tx, t.Parent, t.ID)
	if err != nil || c == nil {
		return err
	}
	if err := r.settleChild(tx, n, t, c, childResult(t, agent, e)); err != nil {
		return err
	}
	if c.Resumable == nil && e.final() && t.Terminated.IsZero() {
		return r.retire(tx, n, t, c)
	}
	return nil
}

// afterReport tells what report has stored.
func (f *flow) afterReport() { f.publish(context.WithoutCancel(f.ctx), &f.news) }

// childResult is what the end of a session means to the parent. An agent that has a tool to end with and does not use it
// has failed, whatever it said (spec/agent-runtime A8.3).
func childResult(t *Thread, agent *Agent, e ending) *ChildResult {
	result := &ChildResult{Session: t.Session.Number, Reason: e.reason, Message: t.Session.Text, status: StatusIdle}
	if p := e.payload; p != nil {
		if p.Message != "" {
			result.Message = p.Message
		}
		result.files = p.Attachments
	}
	switch {
	case e.reason == SessionStop:
	case e.reason == SessionFail:
		result.Failed = true
	case !e.failed() && e.final() && e.reason != WasTerminated && !agent.endsWithTool():
	default:
		result.Failed, result.Message = true, strings.TrimSpace(fmt.Sprintf("It stopped without a result: %s. %s", e.reason, t.Session.Error))
		if t.Session.Text != "" {
			result.Message += "\nIt said last: " + t.Session.Text
		}
	}
	if result.Failed {
		result.status = StatusFailed
	}
	if !e.final() {
		result.status = t.Status
	}
	return result
}

// final tells ends from pauses, which a person can take back.
func (e *ending) final() bool {
	switch e.reason {
	case AwaitingHuman, ForcedHuman, Suspended, AbortedByUser, Aborted:
		return false
	}
	return true
}

func (a *Agent) endsWithTool() bool {
	if a == nil {
		return false
	}
	for _, side := range []Side{a.SideA, a.SideB} {
		if side.SessionStop.Tool != "" || side.SessionFail.Tool != "" {
			return true
		}
	}
	return false
}

// settleChild stores how a session of a child ended, and has the parent hear of it: as the result of the call that waits for
// it, or as a message. Each session is settled once, whoever finds out.
func (r *Runtime) settleChild(tx record.Tx, n *news, t *Thread, c *Child, result *ChildResult) error {
	if result.Session <= c.Told {
		return nil
	}
	more, err := hasMessage(tx, t.ID)
	if err != nil {
		return err
	}
	c.Told, c.Running, c.Result = result.Session, more, result
	if !c.Terminated {
		c.Status = string(result.status)
	}
	if err := r.tellParent(tx, n, t, c, result); err != nil {
		return err
	}
	event := childReturned
	if result.Failed {
		event = childFailed
	}
	return r.enter(tx, n, t.Parent, c, event)
}

func hasMessage(tx record.Reader, thread string) (bool, error) {
	rows, err := queue.list(tx, thread, record.Range{})
	for _, q := range rows {
		if q.Message != nil {
			return true, err
		}
	}
	return false, err
}

// tellParent queues the result, unless a call waits for it, or the child is to speak for itself. Its files are copied.
func (r *Runtime) tellParent(tx record.Tx, n *news, t *Thread, c *Child, result *ChildResult) error {
	parent, err := threads.get(tx, t.Parent, the)
	if err != nil || parent == nil || !parent.Terminated.IsZero() {
		return err
	}
	waited, err := waitedFor(tx, parent.ID, c)
	if err != nil || c.explicit() && !waited {
		return err
	}
	if result.Attachments, err = r.handBack(tx, t.ID, parent.ID, result.files); err != nil || waited {
		return err
	}
	said := "The subagent " + c.label() + " is done:\n\n"
	if result.Failed {
		said = "The subagent " + c.label() + " has failed:\n\n"
	}
	return r.queueFrom(tx, n, parent.ID, c, said+result.Message, result.Attachments)
}

// waitedFor reports whether a tool call of the parent will read the result from the registry.
func waitedFor(tx record.Reader, parent string, c *Child) (bool, error) {
	if c.Call == "" {
		return false, nil
	}
	row, err := findMessage(tx, parent, c.Call)
	return row != nil && row.Status == Pending, err
}

// handBack copies files of a child to its parent. What is gone by now is left out.
func (r *Runtime) handBack(tx record.Tx, child, parent string, names []string) ([]Attachment, error) {
	var list []Attachment
	for _, name := range names {
		a, err := files.get(tx, child, name)
		if err != nil {
			return nil, err
		}
		if a != nil {
			list = append(list, *a)
		}
	}
	return copyFiles(tx, child, parent, list)
}

// queueFrom queues a silent message of a child: for models, not for people.
func (r *Runtime) queueFrom(tx record.Tx, n *news, parent string, c *Child, content string, attached []Attachment) error {
	m := &Message{Role: c.role(), Content: valid(withoutMiddle(content)), Silent: true, Subagent: c.Reference, Attachments: attached, Metadata: Metadata{"subagent_id": c.Reference}}
	idle, err := r.enqueue(tx, parent, &work{Message: m})
	if err != nil || !idle {
		return err
	}
	stop, err := stops.get(tx, parent, the)
	if err == nil && stop == nil {
		n.wake = append(n.wake, parent)
	}
	return err
}
