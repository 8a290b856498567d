package engine

import (
	"context"
	"encoding/json"
	"errors"
	"path/filepath"
	"sync"

	"github.com/ryeos/rye/pkg/item"
	"github.com/ryeos/rye/pkg/runtime"
	"github.com/ryeos/rye/pkg/space"
	"github.com/ryeos/rye/pkg/thread"
)

// threadsDir is where a project keeps its registry, below `.ai` (design §6).
const threadsDir = "state/threads"

// ParentThread is the environment variable that names the thread a program works for.
const ParentThread = runtime.ParentThread

// registry is the store of threads, opened when it is first needed: SQLite is not on the way of a plain tool run.
type registry struct {
	sync.Mutex
	store *thread.Store
}

// Threads opens the project's thread registry at the first call. Unless existing is set it is made if there is none; if
// it is set and there is none, the error wraps fs.ErrNotExist.
func (e *Engine) Threads(ctx context.Context, existing bool) (*thread.Store, error) {
	e.threads.Lock()
	defer e.threads.Unlock()
	if e.threads.store != nil {
		return e.threads.store, nil
	}
	dir := filepath.Join(e.options.Project, space.Dir, filepath.FromSlash(threadsDir))
	store, err := thread.Open(ctx, dir, thread.Options{Now: e.options.Now, Existing: existing, Root: e.options.Project})
	if err != nil {
		return nil, err
	}
	e.threads.store = store
	return store, nil
}

// ThreadResponse is the recorded response of a thread that is at its end: what `rye execute` would have returned. Of one
// that was lost, cancelled before it began or killed, it is made from its row.
func (e *Engine) ThreadResponse(ctx context.Context, t thread.Thread) (*item.Response, error) {
	store, err := e.Threads(ctx, true)
	if err != nil {
		return nil, err
	}
	result, err := store.Result(ctx, t.ID)
	if err != nil {
		return nil, err
	}
	resp := &item.Response{}
	if result == nil || json.Unmarshal(result, (*recorded)(resp)) != nil {
		resp = rowResponse(t)
	}
	resp.ThreadID = t.ID
	return resp, nil
}

// recorded reads an envelope back; its data stays as it was written.
type recorded item.Response

func (r *recorded) UnmarshalJSON(data []byte) error {
	type envelope item.Response
	doc := struct {
		*envelope
		Data json.RawMessage `json:"data"`
	}{envelope: (*envelope)(r)}
	if err := json.Unmarshal(data, &doc); err != nil {
		return err
	}
	if len(doc.Data) > 0 {
		r.Data = doc.Data
	}
	return nil
}

// rowResponse is the response of a thread that left none.
func rowResponse(t thread.Thread) *item.Response {
	resp := &item.Response{Status: item.StatusSuccess, ItemID: t.Item}
	if ref, err := item.ParseRef(t.Item); err == nil {
		resp.Type = ref.Kind
	}
	if !t.CompletedAt.IsZero() && !t.StartedAt.IsZero() {
		resp.Metadata = &item.Facts{DurationMS: t.CompletedAt.Sub(t.StartedAt).Milliseconds(), ExitCode: t.ExitCode}
	}
	switch t.Status {
	case thread.Completed, thread.CompletedWithErrors, thread.Continued:
	case thread.Cancelled, thread.Killed:
		resp.Status, resp.ErrorType, resp.Error = item.StatusError, item.TypeInterrupted, "the thread was "+string(t.Status)
	default:
		resp.Status, resp.ErrorType, resp.Error = item.StatusError, item.TypeUnavailable, "the thread is "+string(t.Status)
	}
	if t.Error != "" {
		resp.Error = t.Error
	}
	if t.ErrorType != "" {
		resp.ErrorType = t.ErrorType
	}
	if t.Status == thread.Lost {
		resp.Hints = []string{"rye threads show " + t.ID, "rye threads rerun " + t.ID}
		if run := requestedRun(t); run != "" {
			resp.Hints[1] = "rye graph resume " + run
		}
	}
	return resp
}

// storedRequest is the request as the registry keeps it, for people and for a rerun: without secrets.
type storedRequest struct {
	item.Request
	Withheld []string `json:"withheld,omitempty"` // parameters that are not recorded and must be given again
	RerunOf  string   `json:"rerun_of,omitempty"`
}

// noThread reports whether a parent is not in this registry: it belongs to another project.
func noThread(err error) bool { return errors.Is(err, thread.ErrNotFound) }
