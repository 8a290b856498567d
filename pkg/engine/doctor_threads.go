package engine

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"

	"github.com/ryeos/rye/pkg/item"
	"github.com/ryeos/rye/pkg/space"
	"github.com/ryeos/rye/pkg/thread"
)

// From here on it is worth to clean up.
const (
	manyThreads = 100_000
	largeLogs   = 1 << 30
)

// checkRegistry looks at the record of runs, if there is one.
func (e *Engine) checkRegistry(ctx context.Context) []Check {
	const name, prune = "registry", "rye threads prune --older-than 30d"
	dir := filepath.Join(e.options.Project, space.Dir, filepath.FromSlash(threadsDir))
	store, err := e.Threads(ctx, true)
	if errors.Is(err, fs.ErrNotExist) {
		return []Check{noted(name, "no threads were recorded in this project")}
	}
	var all, active, lost int64
	if err == nil {
		all, active, lost, err = countThreads(ctx, store)
	}
	if err != nil {
		fix := "ls -l " + item.ShellWord(dir)
		if hints := item.HintsOf(err); len(hints) > 0 {
			fix = hints[0]
		}
		return []Check{broken(name, fix, "%v", err)}
	}
	if !writable(dir) {
		return []Check{broken(name, "chmod u+w "+item.ShellWord(dir), "%s cannot be written", dir)}
	}
	files, bytes := sizeOf(dir)
	c := passed(name, "%d threads, %d active, %d lost; %d KiB in %s", all, active, lost, bytes>>10, dir)
	if all > manyThreads || bytes > largeLogs || files == maxDoctorFiles {
		c.Status, c.Fix = CheckWarn, prune
	}
	return []Check{c}
}

func countThreads(ctx context.Context, store *thread.Store) (all, active, lost int64, err error) {
	for _, count := range []struct {
		of []thread.Status
		n  *int64
	}{{nil, &all}, {thread.Active(), &active}, {[]thread.Status{thread.Lost}, &lost}} {
		if *count.n, err = store.Count(ctx, thread.Filter{Status: count.of}); err != nil {
			return 0, 0, 0, err
		}
	}
	return all, active, lost, nil
}
