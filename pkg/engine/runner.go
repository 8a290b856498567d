package engine

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"syscall"
	"time"

	"github.com/ryeos/rye/internal/failpoint"
	"github.com/ryeos/rye/pkg/item"
	"github.com/ryeos/rye/pkg/process"
	"github.com/ryeos/rye/pkg/redact"
	"github.com/ryeos/rye/pkg/runtime"
	"github.com/ryeos/rye/pkg/thread"
)

const (
	// cancelPoll is how often a runner looks for a request to cancel that no signal brought: from another container, or on
	// a system without such signals.
	cancelPoll = 2 * time.Second
	// fullDiskPatience is how long a runner waits for a registry that cannot be written, with a result in its hands or
	// before it has begun.
	fullDiskPatience = 10 * time.Minute
)

// cancelReason is what the response of a cancelled thread says.
const cancelReason = "the thread was cancelled"

// runner is the process of one detached thread.
type runner struct {
	id     string
	engine *Engine
	store  *thread.Store
	order  order
}

// RunThread is the detached runner of a registered thread: it takes the thread's lock, does what stdin says and records
// the end. base is what the runner's own process knows: System, Binary, Env, Warn. The end of ctx stops the run as a
// cancellation does. The error is about the runner itself; how the run ended is in the registry.
func RunThread(ctx context.Context, base Options, project, id string, stdin io.Reader) error {
	order, err := readOrder(stdin)
	if err != nil {
		return err
	}
	failpoint.At("runner.ordered")
	base.Project, base.Thread = project, id
	e, err := New(order.Engine.apply(base))
	if err != nil {
		return err
	}
	if err := process.BecomeReaper(); err != nil {
		e.options.Warn(err.Error())
	}
	r := &runner{id: id, engine: e, order: order}
	lock, err := r.begin(ctx)
	if err != nil {
		return err
	}
	defer lock.Release()
	failpoint.At("runner.begun")
	resp := r.run(ctx)
	err = r.finish(resp)
	failpoint.At("runner.finished")
	return err
}

// begin takes the lock of the thread and makes it running.
func (r *runner) begin(ctx context.Context) (lock *thread.Lock, err error) {
	err = r.persist(ctx, "begin", func() error {
		if r.store, err = r.engine.Threads(ctx, true); err != nil {
			return err
		}
		if lock, err = r.store.Lock(ctx, r.id); err != nil {
			return err
		}
		failpoint.At("runner.locked")
		if err = r.store.Begin(ctx, lock); err != nil {
			lock.Release()
		}
		return err
	})
	return lock, err
}

// run does the request until its end, or until somebody wants it to stop.
func (r *runner) run(ctx context.Context) *responseRecord {
	work, stop := context.WithCancelCause(context.WithoutCancel(ctx))
	defer stop(nil)
	go r.watch(ctx, work, stop)
	call, failed := r.engine.Prepare(r.order.Request)
	if failed != nil {
		return &responseRecord{Response: failed}
	}
	secrets := runtime.Secrets(call.Metadata(), r.order.Request.Parameters)
	log, err := r.store.CreateLog(r.id, secrets, 0)
	if err != nil {
		return &responseRecord{Response: call.failure(err)}
	}
	failpoint.At("runner.logged")
	resp := call.run(work, r.order.Request.Parameters, secrets, log.Stdout(), log.Stderr())
	failpoint.At("runner.ran")
	log.Close()
	if err := log.Err(); err != nil {
		r.engine.options.Warn("the logs are not complete: " + err.Error())
		resp.Warnings = append(slices.Clip(resp.Warnings), "the logs are not complete: "+err.Error())
	}
	return &responseRecord{Response: redacted(resp, secrets), secrets: secrets, stopped: context.Cause(work) != nil}
}

// watch turns the wish to stop into the end of the work, with the grace that was asked for.
func (r *runner) watch(asked, work context.Context, stop context.CancelCauseFunc) {
	tick := time.NewTicker(cancelPoll)
	defer tick.Stop()
	for {
		select {
		case <-work.Done():
			return
		case <-asked.Done():
			wanted, grace, _ := r.cancelRequest(work)
			failpoint.At("runner.stopping")
			reason := "the runner was asked to end"
			if wanted {
				reason = cancelReason
			}
			stop(&process.StopError{Grace: grace, Reason: reason})
			return
		case <-tick.C:
			if wanted, grace, err := r.cancelRequest(work); err == nil && wanted {
				stop(&process.StopError{Grace: grace, Reason: cancelReason})
				return
			}
		}
	}
}

// cancelRequest asks the registry whether the thread is to end, and how long its processes have for that.
func (r *runner) cancelRequest(ctx context.Context) (wanted bool, grace time.Duration, err error) {
	events, err := r.store.Events(ctx, r.id, 0, 1000)
	for _, e := range events {
		if e.Type == cancelEvent {
			var c cancelPayload
			json.Unmarshal(e.Payload, &c)
			wanted, grace = true, time.Duration(c.GraceMS)*time.Millisecond
			if grace <= 0 {
				grace = -1 // StopError has another meaning for 0
			}
		}
	}
	return wanted, grace, err
}

// responseRecord is a response on its way into the registry.
type responseRecord struct {
	*item.Response
	secrets *redact.Redactor
	stopped bool
}

// outcome is what the registry keeps. What the tool printed stays in the result, but not the secrets it was given: the
// registry is a file that others may read later.
func (r *responseRecord) outcome() thread.Outcome {
	o := thread.Outcome{Status: thread.Completed}
	if r.Failed() {
		o.Status, o.Error, o.ErrorType = thread.Error, r.Error, r.ErrorType
		if r.stopped && r.ErrorType == item.TypeInterrupted {
			o.Status = thread.Cancelled
		}
	}
	if r.Metadata != nil {
		o.ExitCode = r.Metadata.ExitCode
	}
	o.Result = recordable(r.Response, r.secrets)
	return o
}

// finish records the end.
func (r *runner) finish(resp *responseRecord) error {
	o := resp.outcome()
	ctx := context.Background()
	return r.persist(ctx, "record the end", func() error { return r.store.Finish(ctx, r.id, o) })
}

// persist repeats what cannot be done while the registry cannot be written: the disk may have room in a moment.
func (r *runner) persist(ctx context.Context, what string, do func() error) error {
	deadline := time.Now().Add(fullDiskPatience)
	for pause := 50 * time.Millisecond; ; pause = min(2*pause, 5*time.Second) {
		err := do()
		if err == nil || !mayPass(err) || time.Now().After(deadline) {
			return err
		}
		r.engine.options.Warn("cannot " + what + " yet: " + err.Error())
		select {
		case <-ctx.Done():
			return err
		case <-time.After(pause):
		}
	}
}

// mayPass reports whether an error may be over in a moment without the end of this process.
func mayPass(err error) bool {
	return item.TypeOf(err) == item.TypeUnavailable && !errors.Is(err, thread.ErrLocked) && !errors.Is(err, syscall.EMFILE)
}
