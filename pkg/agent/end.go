package agent

import (
	"context"
	"errors"
	"fmt"

	"github.com/ryeos/rye/pkg/item"
	"github.com/ryeos/rye/pkg/record"
)

// ending is how a session ends.
type ending struct {
	reason  Reason
	text    string // what was said last
	err     error
	payload *payload // for the parent, of a terminal tool
	leave   bool     // what is queued waits for the next run
}

// errLeft ends the loop of a flow that gave itself up with work in the queue.
var errLeft = errors.New("the flow has been given up")

// end ends the session.
func (f *flow) end(e ending) error { return f.endWith(e, nil) }

// endWith ends the session together with another change.
func (f *flow) endWith(e ending, change func(record.Tx, *Thread) error) error {
	agent, _ := f.definitions.Agent(f.thread.Agent)
	err := f.update(func(tx record.Tx, t *Thread) error {
		if change != nil {
			if err := change(tx, t); err != nil {
				return err
			}
		}
		if err := f.endSession(tx, t, agent, e); err != nil || !e.leave {
			return err
		}
		return f.leave(tx, t)
	})
	if err != nil {
		return err
	}
	f.ended(e)
	if e.leave || !f.thread.Terminated.IsZero() {
		return errLeft
	}
	return nil
}

// endSession closes the session in a transaction, and tells the parent in the same one: it hears of each end once.
func (f *flow) endSession(tx record.Tx, t *Thread, agent *Agent, e ending) error {
	f.news = news{} // also of a transaction that was taken back
	s := &t.Session
	s.Active, s.Open, s.Forced, s.Reason = false, "", "", e.reason
	if e.text != "" {
		s.Text = e.text
	}
	if e.err != nil {
		s.Error = e.err.Error()
	}
	t.Status = e.status(agent)
	if e.reason == HookBlocked && e.text != "" {
		m := &Message{Role: s.Side.role(), Side: s.Side, Status: Completed, Content: e.text, Created: f.now(), Metadata: Metadata{"code": string(HookBlocked)}}
		if err := appendMessage(tx, t.ID, m); err != nil {
			return err
		}
		f.fetched = false
	}
	if e.failed() {
		if err := f.note(tx, t.ID, "session_failed", Metadata{"reason": string(e.reason), "error": s.Error}); err != nil {
			return err
		}
		if err := f.cascade(tx, &f.news, t, "its parent has failed"); err != nil {
			return err
		}
	}
	return f.report(tx, t, agent, e)
}

// leave gives the flow up. A thread with work in the queue, or in the middle of a session, stays listed in Pending.
func (f *flow) leave(tx record.Tx, t *Thread) error {
	left, err := queue.names(tx, t.ID, record.Range{Limit: 1})
	if err != nil {
		return err
	}
	if len(left) == 0 && !t.Session.Active {
		return f.release(tx)
	}
	return f.part(tx)
}

func (f *flow) ended(e ending) {
	o := f.outcome()
	event := Event{Type: Done, Outcome: o, Error: o.Error}
	f.emit(event)
	f.afterReport()
}

// failed tells ends that are failures from the others.
func (e *ending) failed() bool {
	switch e.reason {
	case SessionStop, StopTool, StopOnResponse, MaxSessionTurns, AwaitingHuman, ForcedHuman, Suspended, AbortedByUser, Aborted, WasTerminated:
		return false
	}
	return true
}

// status is what a thread is after an end (spec/agent-runtime D5).
func (e *ending) status(agent *Agent) Status {
	switch {
	case e.reason == WasTerminated:
		return StatusTerminated
	case e.reason == AbortedByUser:
		return StatusStopped
	case e.reason == Suspended:
		return StatusSuspended
	case e.failed():
		return StatusFailed
	case e.reason == AwaitingHuman || e.reason == ForcedHuman:
		return StatusAwaiting
	}
	return StatusIdle
}

// abandon ends a flow that cannot go on, and leaves the thread so that the next run finds nothing half done.
func (f *flow) abandon(cause error) (*Outcome, error) {
	if order := context.Cause(f.ctx); isOrder(order) && !errors.Is(cause, errLeft) {
		cause = order // a storage that was interrupted may say so in its own words
	}
	switch {
	case errors.Is(cause, errLeft):
		return f.outcome(), nil
	case errors.Is(cause, errFenced):
		return nil, item.Errorf(item.TypeUnavailable, "thread %s: %w", f.thread.ID, errFenced)
	}
	e, told := ending{reason: Aborted, err: cause}, errors.Is(cause, errStopped) || errors.Is(cause, ErrTerminated)
	switch {
	case errors.Is(cause, errStopped):
		e = ending{reason: AbortedByUser}
	case errors.Is(cause, ErrTerminated):
		e = ending{reason: WasTerminated}
	}
	err := f.settle(func(tx record.Tx, t *Thread) error {
		if !t.Terminated.IsZero() { // together with its parent, which may be why ctx ended
			e, told = ending{reason: WasTerminated}, true
		}
		if err := f.interrupt(tx, t, e.reason.interruption()); err != nil {
			return err
		}
		if told {
			if err := f.obey(tx, t, e); err != nil {
				return err
			}
		}
		return f.leave(tx, t)
	})
	switch {
	case errors.Is(err, errFenced):
		return nil, item.Errorf(item.TypeUnavailable, "thread %s: %w", f.thread.ID, errFenced)
	case err != nil:
		return nil, errors.Join(cause, err)
	}
	f.thread.Session.Reason = e.reason
	f.ended(e)
	if told {
		return f.outcome(), nil
	}
	return nil, fmt.Errorf("running thread %s: %w", f.thread.ID, cause)
}

// obey ends the session of a thread that was told to stop, for now or for good.
func (f *flow) obey(tx record.Tx, t *Thread, e ending) error {
	if err := f.refuseCalls(tx, t, e.reason.interruption()); err != nil {
		return err
	}
	if t.Session.Active {
		agent, _ := f.definitions.Agent(t.Agent) // a thread outlives its agent's file
		if err := f.endSession(tx, t, agent, e); err != nil {
			return err
		}
	}
	t.Status = e.status(nil)
	return nil
}
