package engine

import (
	"context"
	"errors"
	"os"
	"time"

	"github.com/ryeos/rye/internal/failpoint"
	"github.com/ryeos/rye/pkg/item"
	"github.com/ryeos/rye/pkg/process"
	"github.com/ryeos/rye/pkg/thread"
)

// DefaultGrace is how long a cancelled thread's processes have between being asked to end and being killed.
const DefaultGrace = 5 * time.Second

// cancelEvent asks a runner to end; its payload says how.
const cancelEvent = "cancel"

type cancelPayload struct {
	GraceMS int64 `json:"grace_ms"`
	By      int   `json:"by_pid"`
}

// The ways in which a thread was cancelled.
const (
	MethodNotRunning = "not_running" // it had not begun, or was suspended
	MethodTerminated = "terminated"  // its runner ended it and recorded that
	MethodKilled     = "killed"      // its runner did not answer and was killed with all it had started
	MethodFinished   = "finished"    // it came to its own end meanwhile
)

// Cancellation is one thread that was to end.
type Cancellation struct {
	Thread thread.Thread
	PID    int // of its runner; 0 if there was none
	Method string
}

// CancelThread ends a thread and then what it started: its runner is asked, ends the tool's whole tree within the grace and
// records the end; a runner that does not answer is killed, and its tree with it. It works from any process. A thread that
// is at its end already is an error. The first result is the thread itself, its descendants follow.
func (e *Engine) CancelThread(ctx context.Context, idOrPrefix string, grace time.Duration) ([]Cancellation, error) {
	store, err := e.Threads(ctx, true)
	if err != nil {
		return nil, err
	}
	t, err := store.Get(ctx, idOrPrefix)
	if err != nil {
		return nil, err
	}
	if t.Status.Terminal() {
		return nil, item.Usagef("Run already in terminal state: %s", t.Status).Hint("rye threads show %s", t.ID)
	}
	first, err := e.cancelOne(ctx, store, t, grace)
	if err != nil {
		return nil, err
	}
	failpoint.At("cancel.parent")
	done := []Cancellation{first}
	return e.cancelChildren(ctx, store, t.ID, grace, done)
}

// cancelChildren follows the tree down. A parent is cancelled before its children, so that it starts no more of them.
func (e *Engine) cancelChildren(ctx context.Context, store *thread.Store, id string, grace time.Duration, done []Cancellation) ([]Cancellation, error) {
	children, err := store.Children(ctx, id, thread.Filter{Status: thread.Active(), Limit: 1 << 20})
	if err != nil {
		return done, err
	}
	for _, child := range children {
		c, err := e.cancelOne(ctx, store, child, grace)
		if err != nil && !errors.Is(err, thread.ErrTransition) {
			return done, err
		}
		if done, err = e.cancelChildren(ctx, store, child.ID, grace, append(done, c)); err != nil {
			return done, err
		}
	}
	return done, nil
}

func (e *Engine) cancelOne(ctx context.Context, store *thread.Store, t thread.Thread, grace time.Duration) (Cancellation, error) {
	c := Cancellation{Thread: t, PID: t.PID, Method: MethodNotRunning}
	if _, err := store.AppendEvent(ctx, t.ID, cancelEvent, cancelPayload{grace.Milliseconds(), os.Getpid()}); err != nil {
		return c, err
	}
	failpoint.At("cancel.noted")
	running, err := store.RequestCancel(ctx, t.ID)
	if err != nil {
		return c, err
	}
	failpoint.At("cancel.requested")
	if running {
		if t, err = store.Get(ctx, t.ID); err != nil { // it may have begun just now, with another process
			return c, err
		}
		c.PID = t.PID
		if c.Method, err = e.stop(ctx, store, t, grace); err != nil {
			return c, err
		}
	}
	c.Thread, err = store.Get(ctx, t.ID)
	return c, err
}

// recordTime is what a runner may take beyond the grace, to kill, to drain and to write the end down.
const recordTime = 10 * time.Second

// stop asks the runner, and kills it if it does not answer.
func (e *Engine) stop(ctx context.Context, store *thread.Store, t thread.Thread, grace time.Duration) (string, error) {
	if err := t.Runner.Terminate(); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return "", item.Errorf(item.TypePermission, "Failed to cancel PID %d: %w", t.PID, err)
	}
	failpoint.At("cancel.signalled")
	limited, cancel := context.WithTimeout(ctx, max(grace, 0)+recordTime)
	defer cancel()
	ended, err := store.Wait(limited, t.ID)
	switch {
	case err == nil && ended.Status == thread.Cancelled:
		return MethodTerminated, nil
	case err == nil:
		return MethodFinished, nil
	case ctx.Err() != nil:
		return "", err
	}
	return MethodKilled, e.kill(ctx, store, t)
}

// kill ends a runner that does not answer, and all it has started. It records the end itself, as nobody else will; should
// the runner have done it in the last moment, that stays.
func (e *Engine) kill(ctx context.Context, store *thread.Store, t thread.Thread) error {
	if err := t.Runner.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return item.Errorf(item.TypePermission, "Failed to cancel PID %d: %w", t.PID, err)
	}
	failpoint.At("cancel.killed")
	limited, cancel := context.WithTimeout(ctx, recordTime)
	defer cancel()
	if err := t.Runner.WaitGone(limited); err != nil {
		return item.Errorf(item.TypeUnavailable, "PID %d does not end, not even by SIGKILL: %w", t.PID, err)
	}
	process.KillRun(store.RunTag(t.ID))
	failpoint.At("cancel.swept")
	err := store.Finish(ctx, t.ID, thread.Outcome{
		Status: thread.Killed, ErrorType: item.TypeInterrupted, Error: "the runner did not answer a cancellation and was killed",
	})
	if errors.Is(err, thread.ErrTransition) {
		return nil
	}
	return err
}
