package engine

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/ryeos/rye/pkg/item"
	"github.com/ryeos/rye/pkg/space"
	"github.com/ryeos/rye/pkg/thread"
)

// GraphRun is a run of a graph, as far as it has come.
type GraphRun struct {
	ID      string        `json:"graph_run_id"`
	Ref     item.Ref      `json:"-"`
	Graph   string        `json:"item_id"`
	Thread  string        `json:"thread_id,omitempty"` // of the latest attempt
	Status  thread.Status `json:"status"`              // of the latest attempt
	Started time.Time     `json:"started_at,omitzero"`
	Steps   []*GraphStep  `json:"steps"`
	Current string        `json:"current_node,omitempty"` // where it stands, if it has not come to its end
}

// FindGraphRun finds a run by its id, by the start of it, or by a thread that it has had, and reads what it did.
func (e *Engine) FindGraphRun(ctx context.Context, idOrPrefix string) (*GraphRun, error) {
	store, err := e.Threads(ctx, true)
	if err != nil && !noRegistry(err) {
		return nil, err
	}
	id, err := e.graphRunID(ctx, store, idOrPrefix)
	if err != nil {
		return nil, err
	}
	run := &GraphRun{ID: id, Status: thread.Lost}
	if err := e.readTranscript(run); err != nil {
		return nil, err
	}
	if store != nil {
		if err := run.latest(ctx, store); err != nil {
			return nil, err
		}
	}
	if run.Ref.ID == "" {
		return nil, item.Errorf(item.TypeNotFound, "nothing tells which graph the run %s is of", id)
	}
	run.Graph = run.Ref.String()
	run.stand()
	return run, nil
}

// graphRunID resolves what people type to the id of a run.
func (e *Engine) graphRunID(ctx context.Context, store *thread.Store, typed string) (string, error) {
	ids, err := e.GraphRunIDs(typed)
	if err != nil {
		return "", err
	}
	if len(ids) == 1 || slices.Contains(ids, typed) {
		return ids[0], nil
	}
	missing := item.Errorf(item.TypeNotFound, "there is no run %s of a graph", item.Quote(typed)).Hint("rye graph list")
	if len(ids) > 1 {
		return "", item.Usagef("%s is the start of %d runs: %s", item.Quote(typed), len(ids), strings.Join(ids[:min(len(ids), 5)], ", "))
	}
	if store == nil {
		return "", missing
	}
	t, err := store.Get(ctx, typed)
	if errors.Is(err, thread.ErrNotFound) {
		return "", missing
	}
	if err != nil {
		return "", err
	}
	return e.graphRunOf(t)
}

// graphRunOf is the run that a thread is an attempt at, or that it has started as a detached one.
func (e *Engine) graphRunOf(t thread.Thread) (string, error) {
	id := requestedRun(t)
	if id == "" {
		id, _, _ = strings.Cut(t.ID, "/")
	}
	if checkRunID(id) != nil || !e.graphRunKnown(id) {
		return "", &notGraphError{t}
	}
	return id, nil
}

// GraphRunIDs lists the runs whose ids start with a text, newest first; one that is the text itself comes before all others.
func (e *Engine) GraphRunIDs(prefix string) ([]string, error) {
	entries, err := os.ReadDir(e.graphsFolder())
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	type found struct {
		id   string
		time int64
	}
	var runs []found
	for _, entry := range entries {
		if !entry.IsDir() || !strings.HasPrefix(entry.Name(), prefix) {
			continue
		}
		if info, err := entry.Info(); err == nil {
			runs = append(runs, found{entry.Name(), info.ModTime().UnixNano()})
		}
	}
	slices.SortStableFunc(runs, func(a, b found) int {
		switch {
		case a.id == prefix || b.id != prefix && a.time > b.time:
			return -1
		case b.id == prefix || a.time < b.time:
			return 1
		}
		return 0
	})
	ids := make([]string, len(runs))
	for i, r := range runs {
		ids[i] = r.id
	}
	return ids, nil
}

func (e *Engine) graphsFolder() string {
	return filepath.Join(e.options.Project, space.Dir, filepath.FromSlash(graphsDir))
}

func (e *Engine) graphRunKnown(id string) bool {
	info, err := os.Lstat(filepath.Join(e.graphsFolder(), id))
	return err == nil && info.IsDir()
}

// latest takes over what the registry says of the latest attempt. A run that was reserved and has not begun has none: then
// the thread that is to begin it counts.
func (r *GraphRun) latest(ctx context.Context, store *thread.Store) error {
	chain, err := store.Chain(ctx, r.ID)
	if errors.Is(err, thread.ErrNotFound) || err == nil && chain[0].ID != r.ID { // another id that starts so
		chain, err = r.launcher(ctx, store)
	}
	if err != nil || len(chain) == 0 {
		return err
	}
	t := chain[len(chain)-1]
	r.Thread, r.Status = t.ID, t.Status
	if ref, err := item.ParseRef(t.Item); err == nil {
		r.Ref = ref
	}
	return nil
}

// recentThreads is how many threads are searched for the one that has reserved a run.
const recentThreads = 200

func (r *GraphRun) launcher(ctx context.Context, store *thread.Store) ([]thread.Thread, error) {
	threads, err := store.List(ctx, thread.Filter{Limit: recentThreads})
	if err != nil {
		return nil, err
	}
	for _, t := range threads {
		if requestedRun(t) == r.ID {
			return []thread.Thread{t}, nil
		}
	}
	return nil, nil
}

// requestedRun is the run that a thread's request names.
func requestedRun(t thread.Thread) string {
	var stored storedRequest
	if json.Unmarshal(t.Request, &stored) != nil {
		return ""
	}
	id, _ := stored.Parameters["graph_run_id"].(string)
	return id
}
