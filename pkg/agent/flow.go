package agent

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"github.com/ryeos/rye/pkg/item"
	"github.com/ryeos/rye/pkg/record"
)

// A flow is one process's right to run a thread. Its id is checked in every transaction, so that an owner that was asleep
// and has been replaced cannot write any more.
const (
	Heartbeat  = 10 * time.Second // between two signs of life of a flow
	StaleAfter = 3 * Heartbeat    // without one: somebody else may take over
	look       = time.Second      // between two looks at what other processes want of a flow
)

// Errors of flows. Others wrap them.
var (
	ErrBusy       = errors.New("the thread is at work")
	ErrTerminated = errors.New("the thread is terminated")
	errStopped    = errors.New("stopped")
	errFenced     = errors.New("another process has taken the thread over")
)

// flowRecord is the flow of a thread, as everybody sees it.
type flowRecord struct {
	ID      string    `json:"id"`
	Owner   string    `json:"owner"`
	Started time.Time `json:"started_at"`
	Beat    time.Time `json:"heartbeat_at"`
}

// flow is a flow that runs here.
type flow struct {
	*Runtime
	id     string
	of     string  // the thread's id, which watch may read as well
	thread *Thread // as of the last transaction
	ctx    context.Context
	cancel context.CancelCauseFunc
	done   chan struct{} // closed when watch has ended
	parted atomic.Bool   // it is giving itself up: who comes now need not wait long
	gone   chan struct{} // closed when another flow of the thread may begin here

	history  []Message // top-level rows since the last compaction
	archived string    // what was before
	touched  string    // the counter of changes that others made, when history was read
	fetched  bool

	compactFrom int            // rows that the history must have before a summary that failed is tried again
	scratch     map[string]any // State.Scratch
	news        news           // of the end of a session
}

func (r *Runtime) stale(f *flowRecord) bool {
	if f.Owner == r.owner {
		r.mu.Lock()
		defer r.mu.Unlock()
		for _, mine := range r.flows {
			if mine.id == f.ID {
				return false
			}
		}
		return true // of this process, which does not run it: its end could not be stored
	}
	return !r.env.Alive(f.Owner) || r.now().Sub(f.Beat) > StaleAfter
}

// acquire makes a flow. The error wraps ErrBusy if somebody else has one.
func (r *Runtime) acquire(ctx context.Context, thread string) (*flow, error) {
	f := &flow{Runtime: r, id: r.newID(), of: thread, done: make(chan struct{}), gone: make(chan struct{}), scratch: map[string]any{}}
	if err := f.enlist(ctx); err != nil {
		return nil, err
	}
	f.ctx, f.cancel = context.WithCancelCause(ctx)
	err := r.storage.Update(ctx, func(tx record.Tx) error {
		t, err := loadLive(tx, thread)
		if err != nil {
			return err
		}
		switch old, err := flowTable.get(tx, thread, the); {
		case err != nil:
			return err
		case old != nil && !r.stale(old):
			return busy(thread)
		}
		f.thread = t
		now := r.now()
		return flowTable.put(tx, thread, the, &flowRecord{ID: f.id, Owner: r.owner, Started: now, Beat: now})
	})
	if err != nil {
		f.forget()
		f.cancel(nil)
		return nil, err
	}
	go f.watch()
	return f, nil
}

// enlist puts a flow on the list of those that run here. One that is giving itself up has looked at the queue for the last
// time: whoever has queued something since must not be told that it is busy.
func (f *flow) enlist(ctx context.Context) error {
	for {
		f.mu.Lock()
		old := f.flows[f.of]
		if old == nil {
			f.flows[f.of] = f
		}
		f.mu.Unlock()
		switch {
		case old == nil:
			return nil
		case !old.parted.Load():
			return busy(f.of)
		}
		select {
		case <-old.gone:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// forget takes a flow off the list of those that run here.
func (f *flow) forget() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.flows[f.of] == f {
		delete(f.flows, f.of)
		close(f.gone)
	}
}

// part gives the flow up in a transaction.
func (f *flow) part(tx record.Tx) error {
	f.parted.Store(true)
	return flowTable.delete(tx, f.of, the)
}

// close ends what belongs to the flow in this process. What is in the storage stays as it is.
func (f *flow) close() {
	f.cancel(nil)
	<-f.done
	f.forget()
}

// fence makes sure that the flow has not been replaced.
func (f *flow) fence(tx record.Reader) (*flowRecord, error) {
	rec, err := flowTable.get(tx, f.of, the)
	if err == nil && (rec == nil || rec.ID != f.id) {
		err = errFenced
	}
	return rec, err
}

// update changes the thread in a transaction of the flow. f gets the thread as it is stored and may change it.
func (f *flow) update(change func(tx record.Tx, t *Thread) error) error {
	if err := context.Cause(f.ctx); err != nil {
		return err
	}
	return f.commit(f.ctx, func(tx record.Tx) error { return f.check(tx) }, change)
}

// settle is update for the end of a flow: it also works when the flow has been told to stop.
func (f *flow) settle(change func(tx record.Tx, t *Thread) error) error {
	fence := func(tx record.Tx) error { _, err := f.fence(tx); return err }
	return f.commit(context.WithoutCancel(f.ctx), fence, change)
}

func (f *flow) commit(ctx context.Context, check func(record.Tx) error, change func(tx record.Tx, t *Thread) error) error {
	var t *Thread
	err := f.storage.Update(ctx, func(tx record.Tx) error {
		f.parted.Store(false)
		if err := check(tx); err != nil {
			return err
		}
		var err error
		if t, err = loadThread(tx, f.of); err != nil {
			return err
		}
		if err := change(tx, t); err != nil {
			return err
		}
		return threads.putChanged(tx, t.ID, the, t)
	})
	if f.parted.Load() {
		f.forget() // before anybody is told of anything
	}
	if err == nil {
		f.thread = t
	}
	return err
}

func busy(thread string) error {
	return &item.Error{Type: item.TypeUnavailable, Err: ErrBusy, Message: "thread " + thread + " is at work"}
}

func terminated(thread string) error {
	return &item.Error{Type: item.TypeUsage, Err: ErrTerminated, Message: "Thread is terminated: " + thread}
}
