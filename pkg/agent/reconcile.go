package agent

import (
	"context"

	"github.com/ryeos/rye/pkg/record"
)

// Reconcile looks after the children of a thread whose registry says that they are at work. Those whose session has ended, or
// that are terminated or gone, are settled, and the parent is told; those that a dead process left are woken, and will tell
// themselves. It returns the references of the former. Hosts call it from time to time, in any number of processes.
func (r *Runtime) Reconcile(ctx context.Context, parent string) ([]string, error) {
	var n news
	var settled []string
	err := r.storage.Update(ctx, func(tx record.Tx) error {
		n, settled = news{}, nil
		if _, err := loadThread(tx, parent); err != nil {
			return err
		}
		all, err := children.list(tx, parent, record.Range{})
		if err != nil {
			return err
		}
		for i := range all {
			if !all[i].Running {
				continue
			}
			done, err := r.reconcileChild(tx, &n, parent, &all[i])
			if err != nil {
				return err
			}
			if done {
				settled = append(settled, all[i].Reference)
			}
		}
		return nil
	})
	if err == nil {
		r.publish(ctx, &n)
	}
	return settled, err
}

// reconcileChild reports whether a child was settled.
func (r *Runtime) reconcileChild(tx record.Tx, n *news, parent string, c *Child) (bool, error) {
	t, err := threads.get(tx, c.Reference, the)
	if err != nil {
		return false, err
	}
	if t == nil {
		c.Terminated = true
		return true, r.giveUp(tx, n, &Thread{ID: c.Reference, Parent: parent}, c, "its thread is gone", false)
	}
	flow, err := flowTable.get(tx, t.ID, the)
	if err != nil {
		return false, err
	}
	todo, err := hasMessage(tx, t.ID)
	switch {
	case err != nil:
		return false, err
	case !t.Terminated.IsZero():
		c.Terminated = true
		return true, r.giveUp(tx, n, t, c, "it was terminated", false)
	case flow != nil && !r.stale(flow):
		return false, nil // who runs it will tell
	case !t.Session.Active && t.Session.Number > c.Told:
		return true, r.reconcileEnd(tx, n, t)
	case t.Session.Active || todo:
		return false, r.revive(tx, n, t)
	}
	return true, r.giveUp(tx, n, t, c, "its task was lost", false)
}

// reconcileEnd tells of a session that has ended by what is stored of it.
func (r *Runtime) reconcileEnd(tx record.Tx, n *news, t *Thread) error {
	agent, _ := r.definitions.Agent(t.Agent) // a thread outlives its agent's file
	if err := r.reportTo(tx, n, t, agent, ending{reason: t.Session.Reason}); err != nil {
		return err
	}
	return threads.put(tx, t.ID, the, t)
}

// revive has a child go on whose process died.
func (r *Runtime) revive(tx record.Tx, n *news, t *Thread) error {
	stop, err := stops.get(tx, t.ID, the)
	if err != nil || stop != nil {
		return err
	}
	n.wake = append(n.wake, t.ID)
	return waiting.put(tx, "", t.ID, &t.ID)
}
