package engine

import (
	"context"
	"errors"
	"path/filepath"
	"time"

	"github.com/ryeos/rye/pkg/item"
	"github.com/ryeos/rye/pkg/thread"
)

// LilluxWatched is the status of a thread that was waited for.
type LilluxWatched struct {
	Error  string        `json:"error,omitempty"` // why nothing can be said
	Status thread.Status `json:"status"`
	ID     string        `json:"thread_id"`
}

// lilluxTimeout is the status that says that the thread was not seen at its end.
const lilluxTimeout thread.Status = "timeout"

// LilluxWatch waits until a thread of the registry in a file is at its end, or suspended. One that is not registered may
// still be.
func LilluxWatch(ctx context.Context, database, id string, timeout time.Duration) LilluxWatched {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	status, err := endOf(ctx, database, id)
	out := LilluxWatched{Status: status, ID: id}
	if err != nil {
		out.Status = lilluxTimeout
		if ctx.Err() == nil {
			out.Error = err.Error()
		}
	}
	return out
}

func endOf(ctx context.Context, database, id string) (thread.Status, error) {
	if filepath.Base(database) != thread.DatabaseName {
		return "", item.Usagef("a registry is a file with the name %s, not %s", thread.DatabaseName, item.Quote(filepath.Base(database)))
	}
	store, err := thread.Open(ctx, filepath.Dir(database), thread.Options{Existing: true})
	if err != nil {
		return "", err
	}
	for {
		t, err := store.Wait(ctx, id)
		if !errors.Is(err, thread.ErrNotFound) {
			return t.Status, err
		}
		select {
		case <-ctx.Done():
			return "", ctx.Err()
		case <-time.After(registerPause):
		}
	}
}

// registerPause is how often is looked for a thread that is not registered yet.
const registerPause = 50 * time.Millisecond
