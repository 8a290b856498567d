package agent

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/ryeos/rye/pkg/item"
	"github.com/ryeos/rye/pkg/record"
)

// ending is how a session ends.
type ending struct {
	reason  Reason
	text    string // what was said last
	err     error
	payload *Payload // for the parent, of a terminal tool
	leave   bool     // what is queued waits for the next run
}

const hookBudget = 30 * time.Second // for each call of a hook

var errHookSlow = fmt.Errorf("the hook took longer than %s", hookBudget)

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
		return f.leave(tx)
	})
	if err != nil {
		return err
	}
	f.ended(e)
	if e.leave {
		return errLeft
	}
	return nil
}

// endSession closes the session in a transaction, and tells the parent in the same one: it hears of each end once.
func (f *flow) endSession(tx record.Tx, t *Thread, agent *Agent, e ending) error {
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
	}
	return f.report(tx, t, agent, e)
}

// leave gives the flow up with work in the queue, which stays listed in Pending.
func (f *flow) leave(tx record.Tx) error {
	left, err := queue.names(tx, f.thread.ID, record.Range{Limit: 1})
	if err != nil {
		return err
	}
	if len(left) == 0 && !f.thread.Session.Active {
		return f.release(tx)
	}
	return flowTable.delete(tx, f.thread.ID, the)
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
	agent, _ := f.definitions.Agent(f.thread.Agent)
	err := f.settle(func(tx record.Tx, t *Thread) error {
		if err := f.interrupt(tx, t, e.reason.interruption()); err != nil {
			return err
		}
		if told && t.Session.Open != "" {
			if err := f.refuseCalls(tx, t, e.reason.interruption()); err != nil {
				return err
			}
		}
		if told && t.Session.Active {
			if err := f.endSession(tx, t, agent, e); err != nil {
				return err
			}
		}
		if e.reason == WasTerminated {
			t.Status = StatusTerminated
		}
		if e.reason == AbortedByUser {
			t.Status = StatusStopped
		}
		return f.leave(tx)
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

// interruption is what the calls are told that got no answer.
func (r Reason) interruption() string {
	switch r {
	case AbortedByUser:
		return "stopped by the user"
	case WasTerminated:
		return "the thread was terminated"
	}
	return "interrupted by restart: it may have done its work, or part of it"
}

// recover takes up what a dead process left: a call that was running gets an error and is not run again, because tools
// have effects; a response that was stored is not asked for again.
func (f *flow) recover() error {
	return f.update(func(tx record.Tx, t *Thread) error {
		return f.interrupt(tx, t, Aborted.interruption())
	})
}

// interrupt closes every row that is not whole: pending rows are always among the newest ones.
func (f *flow) interrupt(tx record.Tx, t *Thread, why string) error {
	found, err := f.closePending(tx, t, why)
	if err != nil {
		return err
	}
	logs, err := modelLogs.list(tx, t.ID, record.Range{Last: true, Limit: 1})
	if err != nil {
		return err
	}
	for _, log := range logs {
		if log.Ended.IsZero() {
			log.Ended, log.Error, log.ErrorType = f.now(), why, "interrupted_incomplete"
			if err := modelLogs.put(tx, t.ID, log.ID, &log); err != nil {
				return err
			}
		}
	}
	if found {
		f.fetched = false
		return f.note(tx, t.ID, "interrupted", Metadata{"error": why})
	}
	return nil
}

// closePending ends rows that a model or a tool was at work on.
func (f *flow) closePending(tx record.Tx, t *Thread, why string) (found bool, err error) {
	const newest = 64
	rows, err := messages.list(tx, t.ID, record.Range{Last: true, Limit: newest})
	if err != nil {
		return false, err
	}
	for i := range rows {
		m := &rows[i]
		if m.Status != Pending {
			continue
		}
		found = true
		m.Status, m.Ended = Failed, f.now()
		if m.Role == ToolRole {
			result := ToolResult{Error: why, ErrorCode: "interrupted"}
			m.Status, m.ToolStatus, m.Content, m.Error = Completed, ToolFailed, result.text(nil), &ToolResult{ErrorCode: "interrupted"}
		}
		if err := messages.put(tx, t.ID, m.ID, m); err != nil {
			return found, err
		}
	}
	return found, nil
}

// refuseCalls answers the calls of the open response that were never begun.
func (f *flow) refuseCalls(tx record.Tx, t *Thread, why string) error {
	response, err := messages.get(tx, t.ID, t.Session.Open)
	if err != nil || response == nil {
		return err
	}
	rows, err := messages.list(tx, t.ID, record.Range{After: response.ID})
	if err != nil {
		return err
	}
	answered := map[string]bool{}
	for _, m := range rows {
		if m.Role == ToolRole && m.Answers == response.ID {
			answered[m.ToolCallID] = true
		}
	}
	for _, call := range response.ToolCalls {
		if answered[call.ID] {
			continue
		}
		result := ToolResult{Error: why, ErrorCode: "interrupted"}
		m := &Message{Role: ToolRole, Side: response.Side, Name: call.Name, ToolCallID: call.ID, Answers: response.ID, Status: Completed,
			ToolStatus: ToolFailed, Content: result.text(nil), Error: &ToolResult{ErrorCode: "interrupted"}, Created: f.now(), Ended: f.now()}
		if err := appendMessage(tx, t.ID, m); err != nil {
			return err
		}
	}
	return nil
}

// note stores a silent row about the thread itself, for clients that show what happened (seed 004 §12).
func (r *Runtime) note(tx record.Tx, thread, kind string, data Metadata) error {
	if data == nil {
		data = Metadata{}
	}
	data["status_kind"] = kind
	return appendMessage(tx, thread, &Message{Role: System, Status: Completed, Silent: true, Metadata: data, Created: r.now()})
}

// lifecycle calls the hooks of a point. What fails there is told to listeners and changes nothing.
func (r *Runtime) lifecycle(ctx context.Context, p Point, d *PointData) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("%v", v)
		}
		var blocked *Blocked
		if err != nil && !errors.As(err, &blocked) {
			r.env.OnAgentEvent("", d.Scope.Thread, Event{Type: HookFailed, Thread: d.Scope.Thread, At: r.now(), Status: string(p), Error: err.Error()})
		}
	}()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	go func() {
		if r.clock.Sleep(ctx, hookBudget) == nil {
			cancel(errHookSlow)
		}
	}()
	return r.env.Hook().Lifecycle(ctx, p, d)
}
