package builtin

import (
	"cmp"
	"context"
	"errors"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"
)

const (
	maxWalked = 100_000 // entries
	maxDepth  = 200     // folders

	searchTime = 30 * time.Second
)

// ignored are folders that hold copies and products rather than sources (spec/rye-core §9.1, file-system/glob).
var ignored = map[string]bool{
	"node_modules": true, "__pycache__": true, ".git": true, ".venv": true, "venv": true, ".tox": true,
	".pytest_cache": true, ".mypy_cache": true, ".ruff_cache": true, "dist": true, "build": true, ".eggs": true,
	".nox": true, ".hg": true, ".svn": true,
}

// isIgnored also leaves out rye's own cache, whose indexes would match searches for hexadecimal digits.
func isIgnored(rel string) bool {
	name := path.Base(rel)
	return ignored[name] || strings.HasSuffix(name, ".egg-info") || rel == ".ai/cache"
}

// entries reads at most limit entries of a folder, sorted by name; complete is false if there are more.
func (w *workspace) entries(rel string, limit int) (found []fs.DirEntry, complete bool, err error) {
	dir, err := w.open(rel)
	if err != nil {
		return nil, false, err
	}
	defer dir.Close()
	for {
		some, err := dir.ReadDir(1024)
		found = append(found, some...)
		done := errors.Is(err, io.EOF)
		if err != nil && !done {
			return nil, false, err
		}
		if complete = len(found) <= limit; done || !complete {
			break
		}
	}
	slices.SortFunc(found, func(a, b fs.DirEntry) int { return cmp.Compare(a.Name(), b.Name()) })
	return found[:min(limit, len(found))], complete, nil
}

// walk visits everything below a folder that is not itself a folder, in the order of names, without following links to
// folders and without looking into ignored ones. visit returns false to stop. complete is false when visit stopped the
// walk, when a bound did, or when a folder could not be read.
func (w *workspace) walk(ctx context.Context, folder string, visit func(rel string, e fs.DirEntry) bool) (complete bool, err error) {
	walk := walker{w: w, ctx: ctx, left: maxWalked, visit: visit, complete: true}
	if err := walk.folder(folder, 0); err != nil {
		return false, err
	}
	return walk.complete, ctx.Err()
}

type walker struct {
	w        *workspace
	ctx      context.Context
	left     int // entries
	visit    func(string, fs.DirEntry) bool
	stopped  bool
	complete bool
}

// folder gives an error only for the folder itself: one further down that cannot be read just makes the walk incomplete.
func (k *walker) folder(rel string, depth int) error {
	found, all, err := k.w.entries(rel, k.left)
	if err != nil {
		return err
	}
	k.left -= len(found)
	k.complete = k.complete && all
	for _, e := range found {
		if k.stopped || k.ctx.Err() != nil {
			return nil
		}
		at := path.Join(rel, e.Name())
		switch {
		case !e.IsDir():
			if !k.visit(at, e) {
				k.stopped, k.complete = true, false
			}
		case isIgnored(at):
		case depth == maxDepth || k.folder(at, depth+1) != nil:
			k.complete = false
		}
	}
	return nil
}

// searchPath resolves where a search starts; the empty name is the project.
func (w *workspace) searchPath(name string) (rel string, info fs.FileInfo, err error) {
	rel, err = w.resolve(name)
	if errors.Is(err, errOutside) {
		return "", nil, errSearchOutside
	}
	if err != nil {
		return "", nil, err
	}
	info, err = w.root.Lstat(rel)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil, failuref("Search path not found: %s", printable(name))
	}
	if err != nil {
		return "", nil, explain(name, err)
	}
	return rel, info, nil
}

// explainSearch words the error of a search that was given searchTime within ctx.
func explainSearch(ctx context.Context, name string, err error) error {
	if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
		return failuref("The search took longer than %v. Narrow it down with 'path' or with the pattern", searchTime)
	}
	return explain(name, err)
}

// relativeTo is path rel as seen from the folder above it.
func relativeTo(folder, rel string) string {
	if folder == "." {
		return rel
	}
	return strings.TrimPrefix(rel, folder+"/")
}
