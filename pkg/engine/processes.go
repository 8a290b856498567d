package engine

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"time"

	"github.com/ryeos/rye/pkg/builtin"
	"github.com/ryeos/rye/pkg/item"
	"github.com/ryeos/rye/pkg/thread"
)

// processes are the functions behind the tools rye/core/processes/* (spec/rye-core §9.2): what `rye threads` does, for
// agents. A process is a thread there, and a run.
func (e *Engine) processes() builtin.Functions {
	return builtin.Functions{
		"processes/list":   e.listRuns,
		"processes/status": e.runStatus,
		"processes/cancel": e.cancelRun,
		"processes/steps":  e.runSteps,
	}
}

// run is a thread in the words of these tools.
type run struct {
	ID        string        `json:"run_id"`
	Status    thread.Status `json:"status"`
	PID       int           `json:"pid"`
	Item      string        `json:"directive"`
	Parent    string        `json:"parent_id,omitempty"`
	CreatedAt time.Time     `json:"created_at"`
	UpdatedAt time.Time     `json:"updated_at"`
	Alive     *bool         `json:"alive,omitempty"`
}

func runOf(t thread.Thread) run {
	return run{ID: t.ID, Status: t.Status, PID: t.PID, Item: t.Item, Parent: t.Parent, CreatedAt: t.CreatedAt, UpdatedAt: t.UpdatedAt}
}

func (e *Engine) listRuns(ctx context.Context, _ builtin.Call, params json.RawMessage) (any, error) {
	p := struct{ Status thread.Status }{}
	if err := decodeParams(params, &p); err != nil {
		return nil, err
	}
	filter := thread.Filter{Status: thread.Active(), Limit: 1000}
	if p.Status != "" {
		filter.Status = []thread.Status{p.Status}
	}
	runs := []run{}
	store, err := e.Threads(ctx, true)
	if err == nil {
		var threads []thread.Thread
		threads, err = store.List(ctx, filter)
		for _, t := range threads {
			runs = append(runs, runOf(t))
		}
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	return map[string]any{"runs": runs, "count": len(runs)}, nil
}

func (e *Engine) runStatus(ctx context.Context, _ builtin.Call, params json.RawMessage) (any, error) {
	t, err := e.namedRun(ctx, params, &struct{}{})
	if err != nil {
		return nil, err
	}
	r, alive := runOf(t), !t.Status.Terminal() && t.Status != thread.Suspended // Get has just looked for its process
	r.Alive = &alive
	return r, nil
}

func (e *Engine) cancelRun(ctx context.Context, _ builtin.Call, params json.RawMessage) (any, error) {
	more := struct{ Grace *float64 }{}
	t, err := e.namedRun(ctx, params, &more)
	if err != nil {
		return nil, err
	}
	grace := DefaultGrace
	if more.Grace != nil {
		grace = time.Duration(*more.Grace * float64(time.Second))
	}
	done, err := e.CancelThread(ctx, t.ID, grace)
	if err != nil {
		return nil, err
	}
	return map[string]any{"run_id": t.ID, "pid": done[0].PID, "method": done[0].Method, "status": done[0].Thread.Status}, nil
}

// runSteps is what a run of a graph did.
func (e *Engine) runSteps(ctx context.Context, _ builtin.Call, params json.RawMessage) (any, error) {
	p := struct {
		ID string `json:"run_id"`
	}{}
	if err := decodeParams(params, &p); err != nil {
		return nil, err
	}
	if p.ID == "" {
		return nil, item.Usagef("Missing required parameter: run_id")
	}
	run, err := e.FindGraphRun(ctx, p.ID)
	if item.TypeOf(err) == item.TypeNotFound {
		return nil, item.Errorf(item.TypeNotFound, "Run not found: %s", p.ID)
	}
	if err != nil {
		return nil, err
	}
	failed, cached := 0, 0
	for _, s := range run.Steps {
		if s.Status == "error" {
			failed++
		}
		if s.CacheHit {
			cached++
		}
	}
	return map[string]any{
		"run_id": run.ID, "status": run.Status, "steps": run.Steps, "total_steps": len(run.Steps), "errors": failed, "cache_hits": cached,
	}, nil
}

// namedRun finds the thread that the parameter run_id names; more takes the other parameters.
func (e *Engine) namedRun(ctx context.Context, params json.RawMessage, more any) (thread.Thread, error) {
	p := struct {
		ID string `json:"run_id"`
	}{}
	if err := errors.Join(decodeParams(params, &p), decodeParams(params, more)); err != nil {
		return thread.Thread{}, err
	}
	if p.ID == "" {
		return thread.Thread{}, item.Usagef("Missing required parameter: run_id")
	}
	store, err := e.Threads(ctx, true)
	if errors.Is(err, fs.ErrNotExist) {
		return thread.Thread{}, item.Errorf(item.TypeNotFound, "Thread registry not found")
	}
	if err != nil {
		return thread.Thread{}, err
	}
	t, err := store.Get(ctx, p.ID)
	if errors.Is(err, thread.ErrNotFound) {
		return thread.Thread{}, item.Errorf(item.TypeNotFound, "Run not found: %s", p.ID)
	}
	return t, err
}

// decodeParams reads parameters that the tool's schema has already been held against.
func decodeParams(params json.RawMessage, into any) error {
	if len(params) == 0 {
		return nil
	}
	if err := json.Unmarshal(params, into); err != nil {
		return item.Usagef("Parameters must be a JSON object: %w", err)
	}
	return nil
}
