package agent

import (
	"fmt"
	"strings"

	"github.com/ryeos/rye/pkg/record"
)

// messageChild gives a child that is there its next task. The call of a blocking one takes as long as the child does.
func (f *flow) messageChild(reference, text string, names []string, row *Message) ToolResult {
	var n news
	var c *Child
	told := 0
	err := f.update(func(tx record.Tx, t *Thread) (err error) {
		n = news{}
		if c, err = reachableChild(tx, t.ID, reference); err != nil {
			return err
		}
		told = c.Told
		child, err := f.mayMessage(tx, t, c)
		if err != nil {
			return err
		}
		if err := threads.put(tx, child.ID, the, child); err != nil {
			return err
		}
		idle, err := f.deliver(tx, t.ID, c, text, names)
		if err != nil {
			return err
		}
		c.Running, c.Status, c.Call, c.Result = true, string(StatusRunning), "", nil
		if c.Blocking {
			c.Call = row.ID
		} else if idle {
			n.wake = append(n.wake, c.Reference)
		}
		row.Subagent = c.Reference // also for who takes up a call that was interrupted
		if err := storeMessage(tx, t.ID, row); err != nil {
			return err
		}
		return f.enter(tx, &n, t.ID, c, childMessaged)
	})
	if err != nil {
		return refusedBy(err)
	}
	f.publish(f.ctx, &n)
	if c.Blocking {
		return f.await(reference, told)
	}
	return ToolResult{Subagent: reference, Result: fmt.Sprintf("The subagent %s has the message. You will get one when it is done.", c.label())}
}

// reachableChild finds a child that can be sent messages, or says which can.
func reachableChild(tx record.Reader, parent, reference string) (*Child, error) {
	c, err := children.get(tx, parent, reference)
	if err != nil || c != nil && c.reachable() {
		return c, err
	}
	all, err := children.list(tx, parent, record.Range{})
	if err != nil {
		return nil, err
	}
	var there []Child
	for _, other := range all {
		if other.reachable() {
			there = append(there, other)
		}
	}
	known := "there are none"
	if len(there) > 0 {
		known = "there are: " + list(there)
	}
	switch {
	case c == nil:
		return nil, refuse("unknown_subagent", "no subagent of yours has the reference %q; %s", reference, known)
	case c.Terminated:
		return nil, refuse("subagent_terminated", "the subagent %s is terminated; %s", c.label(), known)
	}
	return nil, refuse("not_resumable", "the subagent %s does its one task and takes no messages; %s", c.label(), known)
}

// mayMessage looks whether a child may get another task, and bounds it anew by what the parent has left.
func (f *flow) mayMessage(tx record.Reader, t *Thread, c *Child) (*Thread, error) {
	child, err := loadLive(tx, c.Reference)
	if err != nil {
		return nil, err
	}
	stop, err := stops.get(tx, c.Reference, the)
	if err != nil {
		return nil, err
	}
	if stop != nil {
		return nil, refuse("subagent_stopped", "the subagent %s was stopped: only a person can make it go on", c.label())
	}
	if !c.Running {
		siblings, err := children.list(tx, t.ID, record.Range{})
		if err != nil {
			return nil, err
		}
		if err := mayWork(t, siblings); err != nil {
			return nil, err
		}
	}
	agent, err := f.definitions.Agent(c.Agent)
	if err != nil {
		return nil, err
	}
	child.Limits, err = f.childLimits(agent, t, child)
	return child, err
}

// deliver queues a message for a child, from the side that the child takes its parent for.
func (f *flow) deliver(tx record.Tx, parent string, c *Child, text string, names []string) (idle bool, err error) {
	attached, err := f.handOver(tx, parent, c.Reference, names)
	if err != nil {
		return false, err
	}
	role := User
	if strings.EqualFold(c.Resumable.Receives, "side_b") {
		role = Assistant
	}
	m := &Message{Role: role, Content: text, Attachments: attached, Metadata: Metadata{"parent_thread_id": parent}}
	return f.enqueue(tx, c.Reference, &work{Message: m})
}
