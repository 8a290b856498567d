package agent

import (
	"context"
	"errors"
	"time"

	"github.com/ryeos/rye/pkg/item"
	"github.com/ryeos/rye/pkg/record"
)

// stopRecord says that a thread is to stop. It stays until a person sends a message, or calls Continue.
type stopRecord struct {
	At     time.Time `json:"at"`
	Reason string    `json:"reason,omitempty"`
}

// Stop ends what a thread does now. Whoever runs it notices at the next transaction or within a second, in this process or
// another. Messages that come from tools and children stay in the queue until a person sends one, or Continue.
func (r *Runtime) Stop(ctx context.Context, thread, reason string) error {
	var n news
	err := r.storage.Update(ctx, func(tx record.Tx) error {
		n = news{}
		t, err := loadLive(tx, thread)
		if err != nil {
			return err
		}
		if err := stops.put(tx, thread, the, &stopRecord{At: r.now(), Reason: reason}); err != nil {
			return err
		}
		if err := r.note(tx, thread, "stopped", Metadata{"reason": reason}); err != nil {
			return err
		}
		if err := r.cascade(tx, &n, t, "its parent was stopped"); err != nil {
			return err
		}
		return r.settleIdle(tx, &n, t, ending{reason: AbortedByUser})
	})
	if err == nil {
		r.interruptFlow(thread)
		r.publish(ctx, &n)
	}
	return err
}

// Continue takes a Stop back and makes it the turn of a side, without a message. The thread still has to be Run.
func (r *Runtime) Continue(ctx context.Context, thread string, side SideName) error {
	if side != SideA && side != SideB {
		return item.Usagef("a side is a or b, not %q", side)
	}
	err := r.storage.Update(ctx, func(tx record.Tx) error {
		t, err := loadLive(tx, thread)
		if err != nil {
			return err
		}
		owner, err := flowTable.get(tx, thread, the)
		if err != nil {
			return err
		}
		if owner != nil && !r.stale(owner) {
			return busy(thread)
		}
		last := t.Session
		if !last.Active {
			t.newSession(r.now())
		}
		if last.Side == side {
			t.Session.Since = last.Since // it goes on with its turn
		}
		if t.Session.Side = side; last.Open != "" {
			t.Session.Side, t.Session.Forced = last.Side, side // after the tools of whoever has called them
		}
		if err := stops.delete(tx, thread, the); err != nil {
			return err
		}
		if err := waiting.put(tx, "", thread, &t.ID); err != nil {
			return err
		}
		return threads.put(tx, thread, the, t)
	})
	if err == nil {
		r.env.Wake(ctx, thread)
	}
	return err
}

// Terminate shuts a thread down for good (seed 004 §10): what runs is aborted, and nothing can be sent to it any more.
// Everything that it has stored stays there. Its children are terminated as well.
func (r *Runtime) Terminate(ctx context.Context, thread, reason string) error {
	var n news
	err := r.storage.Update(ctx, func(tx record.Tx) error {
		n = news{}
		if _, err := loadThread(tx, thread); err != nil {
			return err
		}
		return r.terminateTree(tx, &n, thread, reason, false)
	})
	if err == nil {
		r.publish(ctx, &n)
	}
	return err
}

// terminateRow terminates a thread in a transaction, without its children.
func (r *Runtime) terminateRow(tx record.Tx, n *news, t *Thread, reason string) error {
	t.Terminated = r.now()
	if err := stops.put(tx, t.ID, the, &stopRecord{At: t.Terminated, Reason: reason}); err != nil {
		return err
	}
	if err := waiting.delete(tx, "", t.ID); err != nil {
		return err
	}
	if err := r.note(tx, t.ID, "terminated", Metadata{"reason": reason}); err != nil {
		return err
	}
	return r.settleIdle(tx, n, t, ending{reason: WasTerminated})
}

// settleIdle stores the end of a thread that nobody runs; whoever runs one does it on the way out.
func (r *Runtime) settleIdle(tx record.Tx, n *news, t *Thread, e ending) error {
	owner, err := flowTable.get(tx, t.ID, the)
	if err != nil {
		return err
	}
	if owner == nil || r.stale(owner) {
		f := &flow{Runtime: r, thread: t}
		if err := f.interrupt(tx, t, e.reason.interruption()); err != nil {
			return err
		}
		if err := f.obey(tx, t, e); err != nil {
			return err
		}
		n.add(&f.news)
		t.Session.Reason = e.reason
		if err := flowTable.delete(tx, t.ID, the); err != nil {
			return err
		}
	}
	return threads.put(tx, t.ID, the, t)
}

// interruptFlow has a flow of this process look at once what is wanted of it; those of others look for themselves. The order
// counts that is in the storage: a person may have taken this one back already. One that has only begun sees it there.
func (r *Runtime) interruptFlow(thread string) {
	r.mu.Lock()
	f := r.flows[thread]
	r.mu.Unlock()
	if f == nil {
		return
	}
	if err := r.storage.View(context.Background(), f.check); errors.Is(err, errStopped) || errors.Is(err, ErrTerminated) {
		f.cancel(err)
	}
}
