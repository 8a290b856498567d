package agent

import (
	"github.com/ryeos/rye/pkg/record"
)

// retire terminates a child that is done and takes no messages, after its parent has been told.
func (r *Runtime) retire(tx record.Tx, n *news, t *Thread, c *Child) error {
	t.Terminated, t.Status = r.now(), StatusTerminated
	if _, err := countThreads(tx, t.root(), -1); err != nil {
		return err
	}
	if err := waiting.delete(tx, "", t.ID); err != nil {
		return err
	}
	if err := flowTable.delete(tx, t.ID, the); err != nil {
		return err
	}
	if err := r.note(tx, t.ID, "terminated", Metadata{"reason": "its task is done"}); err != nil {
		return err
	}
	c.Terminated, c.Running, c.Status = true, false, string(StatusTerminated)
	return r.enter(tx, n, t.Parent, c, childTerminated)
}

// terminateTree terminates a thread and all below it. Only the parent of the topmost is told: the others end with theirs.
func (r *Runtime) terminateTree(tx record.Tx, n *news, id, reason string, quiet bool) error {
	t, err := threads.get(tx, id, the)
	if err != nil || t == nil || !t.Terminated.IsZero() {
		return err
	}
	below, err := children.names(tx, id, record.Range{})
	if err != nil {
		return err
	}
	for _, child := range below {
		if err := r.terminateTree(tx, n, child, "its parent was terminated", true); err != nil {
			return err
		}
	}
	if t, err = loadThread(tx, id); err != nil { // with what its children have used
		return err
	}
	if t.Parent != "" {
		if err := r.terminateEntry(tx, n, t, reason, quiet); err != nil {
			return err
		}
	}
	n.halt = append(n.halt, id)
	return r.terminateRow(tx, n, t, reason)
}

// terminateEntry shows a terminated thread in the registry of its parent, which hears of a task that will not be done.
func (r *Runtime) terminateEntry(tx record.Tx, n *news, t *Thread, reason string, quiet bool) error {
	if _, err := countThreads(tx, t.root(), -1); err != nil {
		return err
	}
	c, err := children.get(tx, t.Parent, t.ID)
	if err != nil || c == nil {
		return err
	}
	c.Terminated = true
	return r.giveUp(tx, n, t, c, "it was terminated: "+reason, quiet)
}

// giveUp settles a child whose task will not be done.
func (r *Runtime) giveUp(tx record.Tx, n *news, t *Thread, c *Child, why string, quiet bool) error {
	event := childFailed
	if c.Status = string(StatusFailed); c.Terminated {
		c.Status, event = string(StatusTerminated), childTerminated
	}
	if c.Running {
		c.Result = &ChildResult{Session: t.Session.Number, Reason: WasTerminated, Failed: true, Message: "There is no result: " + why + "."}
	}
	if c.Running && !quiet {
		if err := r.tellParent(tx, n, t, c, c.Result); err != nil {
			return err
		}
	}
	c.Told, c.Running = max(c.Told, t.Session.Number), false
	return r.enter(tx, n, t.Parent, c, event)
}

// cascade terminates the children that work for a thread that was stopped or has failed; those that are idle stay
// (spec/agent-runtime D4 #21). t is stored and read again, because what its children have used is added to it.
func (r *Runtime) cascade(tx record.Tx, n *news, t *Thread, reason string) error {
	all, err := children.list(tx, t.ID, record.Range{})
	if err != nil {
		return err
	}
	busy := atWork(all)
	if len(busy) == 0 {
		return nil
	}
	if err := threads.put(tx, t.ID, the, t); err != nil {
		return err
	}
	for _, c := range busy {
		if err := r.terminateTree(tx, n, c.Reference, reason, true); err != nil {
			return err
		}
	}
	stored, err := loadThread(tx, t.ID)
	if err == nil {
		*t = *stored
	}
	return err
}
