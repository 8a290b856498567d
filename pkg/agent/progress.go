package agent

import (
	"context"
	"strings"

	"github.com/ryeos/rye/pkg/item"
	"github.com/ryeos/rye/pkg/record"
)

// publishStatus does what a side's SessionStatus tool asks for: the parent's registry shows it, and the child goes on.
func (f *flow) publishStatus(side *Side, response *Message, results []Message) error {
	status := ""
	for i := range results {
		if m := &results[i]; side.SessionStatus.Tool != "" && m.Name == side.SessionStatus.Tool && m.ToolStatus == ToolSucceeded {
			status = strings.TrimSpace(boundText(side.SessionStatus, response, m))
		}
	}
	if status == "" || f.thread.Parent == "" {
		return nil
	}
	var n news
	err := f.update(func(tx record.Tx, t *Thread) error {
		n = news{}
		return f.setStatus(tx, &n, t, status)
	})
	if err == nil {
		f.publish(f.ctx, &n)
	}
	return err
}

const maxStatus = 500 // bytes of what a thread says of itself

// setStatus is what a thread says of itself in the registry of its parent.
func (r *Runtime) setStatus(tx record.Tx, n *news, t *Thread, status string) error {
	status = prefix(status, maxStatus)
	c, err := children.get(tx, t.Parent, t.ID)
	if err != nil || c == nil || c.Terminated || c.Status == status {
		return err
	}
	c.Status = status
	return r.enter(tx, n, t.Parent, c, childReported)
}

// SetStatus shows how far the thread is in the registry of its parent. Without a parent it does nothing.
func (s *State) SetStatus(ctx context.Context, status string) error {
	if strings.TrimSpace(status) == "" {
		return item.Usagef("a status is not empty")
	}
	return s.toParent(ctx, func(tx record.Tx, n *news, t *Thread) error { return s.setStatus(tx, n, t, status) })
}

// NotifyParent sends the parent a message, which only its models see. Without a parent it does nothing.
func (s *State) NotifyParent(ctx context.Context, content string) error {
	if strings.TrimSpace(content) == "" {
		return item.Usagef("a message has a text")
	}
	return s.toParent(ctx, func(tx record.Tx, n *news, t *Thread) error { return s.notifyParent(tx, n, t, content) })
}

func (r *Runtime) notifyParent(tx record.Tx, n *news, t *Thread, content string) error {
	c, err := children.get(tx, t.Parent, t.ID)
	if err != nil || c == nil {
		return err
	}
	parent, err := threads.get(tx, t.Parent, the)
	if err != nil || parent == nil || !parent.Terminated.IsZero() {
		return err
	}
	return r.queueFrom(tx, n, parent.ID, c, "The subagent "+c.label()+" says:\n\n"+content, nil)
}

func (s *State) toParent(ctx context.Context, do func(tx record.Tx, n *news, t *Thread) error) error {
	var n news
	err := s.storage.Update(ctx, func(tx record.Tx) error {
		n = news{}
		t, err := loadLive(tx, s.thread)
		if err != nil || t.Parent == "" {
			return err
		}
		return do(tx, &n, t)
	})
	if err == nil {
		s.publish(ctx, &n)
	}
	return err
}
