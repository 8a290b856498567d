package engine

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/ryeos/rye/pkg/item"
)

// PrepareRerun is Prepare for the request of a recorded thread; it also returns the parameters that were recorded. Those that
// held secrets were not: the caller gives them again, and CheckRerun says which are missing. The item is looked up and
// verified anew.
func (e *Engine) PrepareRerun(ctx context.Context, idOrPrefix string) (*Call, *Rerun, *item.Response) {
	r, err := e.rerun(ctx, idOrPrefix)
	if err != nil {
		return nil, nil, item.ErrorResponse("", err)
	}
	call, failed := e.Prepare(r.Request)
	if failed != nil {
		return nil, nil, failed
	}
	call.rerunOf = r.Of
	return call, r, nil
}

// Rerun is a recorded request.
type Rerun struct {
	Of       string // the thread
	Request  item.Request
	Withheld []string // parameters that must be given again
}

func (e *Engine) rerun(ctx context.Context, idOrPrefix string) (*Rerun, error) {
	store, err := e.Threads(ctx, true)
	if err != nil {
		return nil, err
	}
	t, err := store.Get(ctx, idOrPrefix)
	if err != nil {
		return nil, err
	}
	if len(t.Request) == 0 {
		return nil, item.Usagef("thread %s has no recorded request to repeat", t.ID).Hint("rye threads show %s", t.ID)
	}
	var stored storedRequest
	dec := json.NewDecoder(bytes.NewReader(t.Request))
	dec.UseNumber()
	if err := dec.Decode(&stored); err != nil {
		return nil, item.Errorf(item.TypeChain, "the request of thread %s cannot be read: %w", t.ID, err)
	}
	stored.Ref = t.Item
	for _, name := range stored.Withheld {
		delete(stored.Parameters, name)
	}
	if stored.Parameters["resume"] != true && stored.Parameters["resume_run_id"] == nil {
		delete(stored.Parameters, "graph_run_id") // of a graph: each run has its own
	}
	return &Rerun{Of: t.ID, Request: stored.Request, Withheld: stored.Withheld}, nil
}

// Check reports the parameters that the registry did not keep and the caller has not given again.
func (r *Rerun) Check(params map[string]any) error {
	missing := slices.DeleteFunc(slices.Clone(r.Withheld), func(name string) bool { _, given := params[name]; return given })
	if len(missing) == 0 {
		return nil
	}
	return item.Usagef("secrets, and bytes that are no text, are not recorded: give these parameters again: %s", strings.Join(missing, ", ")).
		Hint("rye threads rerun %s --%s VALUE", r.Of, strings.ReplaceAll(missing[0], "_", "-"))
}
