package engine

import (
	"context"
	"errors"
	"fmt"
	"maps"

	"github.com/ryeos/rye/pkg/graph"
	"github.com/ryeos/rye/pkg/item"
	"github.com/ryeos/rye/pkg/process"
	"github.com/ryeos/rye/pkg/redact"
	"github.com/ryeos/rye/pkg/thread"
)

// record makes the run a thread of the registry, with this process as its runner. A resumed run is a thread of its own, which
// continues the one before.
func (r *graphRun) record(ctx context.Context, c *Call, params map[string]any, secrets *redact.Redactor) error {
	store, err := c.engine.Threads(ctx, false)
	if err != nil {
		return err
	}
	asked := maps.Clone(params)
	asked["graph_run_id"] = r.id
	request, err := c.stored(item.Request{Ref: c.ref.String(), Parameters: asked}, secrets)
	if err != nil {
		return err
	}
	n := thread.New{ID: r.id, Item: c.ref.String(), Parent: c.engine.options.Thread, Request: request}
	for attempt := 2; ; attempt++ {
		t, err := store.Register(ctx, n)
		switch {
		case err == nil:
			return r.begin(ctx, store, t.ID)
		case n.Parent != "" && noThread(err):
			n.Parent = ""
		case errors.Is(err, thread.ErrExists):
			n = r.again(n, attempt)
		default:
			return err
		}
	}
}

// again names the thread of a later attempt at the run, or that of a single step on its state, which continues nothing.
func (r *graphRun) again(n thread.New, attempt int) thread.New {
	if r.single {
		n.ID = fmt.Sprintf("%s/step-%d", r.id, attempt)
		return n
	}
	n.ContinuationOf, n.ID = n.ID, fmt.Sprintf("%s%s%d", r.id, resumeSuffix, attempt)
	return n
}

// resumeSuffix stands between a run's id and the number of an attempt in the id of its thread.
const resumeSuffix = "/resume-"

func (r *graphRun) begin(ctx context.Context, store *thread.Store, id string) error {
	lock, err := store.Lock(ctx, id)
	if err != nil {
		return err
	}
	r.store, r.lock, r.thread = store, lock, id
	process.EnterRun(store.RunTag(id)) // whoever finds this process dead finds by that what it has left running
	return store.Begin(ctx, lock)
}

// finish records how the run ended. One that can be resumed is not at its end, but nobody is behind it now.
func (r *graphRun) finish(w walked, c *Call, secrets *redact.Redactor) error {
	resp := &item.Response{Status: item.StatusSuccess, Type: item.Tool, ItemID: c.ref.String(), Data: w, Chain: c.chain.IDs()}
	o := thread.Outcome{Status: thread.Status(w.Status), Error: w.Error, ErrorType: w.ErrorType}
	if !w.Success {
		resp.Status, resp.Error, resp.ErrorType, resp.Hints = item.StatusError, w.Error, w.ErrorType, w.Hints
	}
	switch {
	case w.Status == graph.StatusUnknown, w.Status == "" && !w.Success:
		o.Status = thread.Error
	case w.Status == "":
		o.Status = thread.Completed
	}
	o.Result = recordable(resp, secrets)
	return r.store.Finish(context.Background(), r.thread, o)
}
