package engine

import (
	"context"
	"errors"
	"io/fs"

	"github.com/ryeos/rye/pkg/item"
	"github.com/ryeos/rye/pkg/thread"
)

// PrepareResume is Prepare for letting a run of a graph go on that has stopped: it was lost, cancelled, or failed. The run is
// named by its id, or by any thread that it has had. The parameters of the request make it go on; a caller may add retry.
func (e *Engine) PrepareResume(ctx context.Context, idOrPrefix string) (*Call, *Rerun, *item.Response) {
	run, err := e.resumable(ctx, idOrPrefix)
	if err != nil {
		return nil, nil, item.ErrorResponse("", err)
	}
	call, failed := e.Prepare(item.Request{Ref: run.Ref.String()})
	if failed != nil {
		return nil, nil, failed
	}
	again := &Rerun{Of: run.ID, Request: item.Request{
		Ref: run.Ref.String(), Parameters: map[string]any{"graph_run_id": run.ID, "resume": true},
	}}
	return call, again, nil
}

func (e *Engine) resumable(ctx context.Context, idOrPrefix string) (*GraphRun, error) {
	run, err := e.FindGraphRun(ctx, idOrPrefix)
	var other *notGraphError
	if errors.As(err, &other) {
		return nil, other.resumeError()
	}
	if err != nil {
		return nil, err
	}
	switch run.Status {
	case thread.Created, thread.Running:
		return nil, item.Usagef("the run %s is %s: there is nothing to resume", run.ID, run.Status).
			Hint("rye graph show %s --run %s", run.Ref, run.ID)
	case thread.Completed, thread.CompletedWithErrors:
		return nil, item.Usagef("the run %s is %s: there is nothing to resume", run.ID, run.Status).
			Hint("run it again from the start: rye graph run %s", run.Ref)
	}
	return run, nil
}

// notGraphError tells of a thread that ran something else.
type notGraphError struct{ thread thread.Thread }

func (e *notGraphError) Error() string {
	return "thread " + e.thread.ID + " ran " + e.thread.Item + ", which is no state graph"
}

// resumeError says why such a thread cannot go on: it runs from start to end.
func (e *notGraphError) resumeError() error {
	t := e.thread
	if t.Status == thread.Running || t.Status == thread.Created {
		return item.Usagef("thread %s is %s: there is nothing to resume", t.ID, t.Status).Hint("rye threads logs -f %s", t.ID)
	}
	return item.Usagef("thread %s ran %s, which cannot be resumed: it has no steps to go on from", t.ID, t.Item).
		Hint("run it again from the start: rye threads rerun %s", t.ID)
}

// noRegistry reports whether a project has no registry yet.
func noRegistry(err error) bool { return errors.Is(err, fs.ErrNotExist) }
