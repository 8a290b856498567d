package chain

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/ryeos/rye/pkg/integrity"
	"github.com/ryeos/rye/pkg/item"
)

// Deps is what dependency verification covered.
type Deps struct {
	Files int
	Bytes int64
	Kept  []VerifiedFile // the files themselves, when they were asked for
}

// VerifiedFile is a dependency with the bytes that were verified.
type VerifiedFile struct {
	Dependency
	Proof integrity.Verified
}

// VerifyDeps verifies every file that the chain's verify_deps asks for: those of the anchored tree and of the runtime's
// library folder with a listed suffix. It does nothing while the anchor is inactive (design §2 row 6). The first
// failure wins. With keep the verified bytes are part of the answer.
func (r *Resolver) VerifyDeps(c *Chain, a *Anchor, keep bool) (Deps, error) {
	files, err := r.DependencyFiles(c, a)
	if err != nil {
		return Deps{}, err
	}
	return r.verifyAll(files, keep)
}

// DependencyFiles lists what VerifyDeps verifies, sorted, without looking at signatures.
func (r *Resolver) DependencyFiles(c *Chain, a *Anchor) ([]Dependency, error) {
	owner := c.First(func(m *item.Metadata) bool { return m.VerifyDeps != nil })
	if owner == nil || !owner.Meta.VerifyDeps.Enabled || !a.Active {
		return nil, nil
	}
	spec := *owner.Meta.VerifyDeps
	base, err := scopeOf(c, a, &spec)
	if err != nil || base.Space == nil {
		return nil, err
	}
	files, err := (&depsWalk{spec: spec}).run(base)
	if err != nil {
		return nil, err
	}
	if a.Lib.Space != nil && !within(a.Lib, base) {
		lib, err := (&depsWalk{spec: spec}).run(a.Lib)
		if err != nil {
			return nil, err
		}
		files = append(files, lib...)
	}
	return files, nil
}

// scopeOf turns `scope` into a folder; spec.Recursive is cleared for scopes that are not.
func scopeOf(c *Chain, a *Anchor, spec *item.VerifyDeps) (Folder, error) {
	tool := c.Tool().Place
	toolDir := Folder{Space: tool.Space, Rel: path.Dir(tool.Rel)}
	switch spec.Scope {
	case "anchor", "":
		return a.Dir, nil
	case "tool_dir":
		return toolDir, nil
	case "tool_siblings":
		spec.Recursive = false
		return toolDir, nil
	case "tool_file":
		return Folder{}, nil // the tool itself was verified with the chain
	}
	return Folder{}, item.Errorf(item.TypeChain, "verify_deps.scope %q is unknown: use anchor, tool_dir, tool_siblings or tool_file", spec.Scope)
}

func within(inner, outer Folder) bool {
	if inner.Space != outer.Space || outer.Project {
		return inner.Space == outer.Space && outer.Project
	}
	rel, err := filepath.Rel(outer.Rel, inner.Rel)
	return err == nil && filepath.IsLocal(rel)
}

// depsWalk collects the files of one folder.
type depsWalk struct {
	spec  item.VerifyDeps
	base  Folder
	real  string // the folder's path with its links resolved; "" in the system space
	files []Dependency
}

func (w *depsWalk) run(base Folder) ([]Dependency, error) {
	w.base = base
	fsys, err := base.Space.FS()
	if base.Project {
		fsys, err = os.DirFS(base.Space.Base), nil
	}
	if err != nil {
		return nil, err
	}
	if base.Space.Base != "" {
		w.real, err = filepath.EvalSymlinks(base.Display())
		if errors.Is(err, fs.ErrNotExist) {
			return nil, nil
		}
		if err != nil {
			return nil, fmt.Errorf("verifying dependencies: %w", err)
		}
	}
	err = fs.WalkDir(fsys, base.Rel, w.visit)
	if errors.Is(err, fs.ErrNotExist) && len(w.files) == 0 {
		return nil, nil
	}
	return w.files, err
}

func (w *depsWalk) visit(rel string, d fs.DirEntry, err error) error {
	switch {
	case err != nil:
		return err
	case d.IsDir():
		if rel != w.base.Rel && (!w.spec.Recursive || slices.Contains(w.spec.ExcludeDirs, d.Name())) {
			return fs.SkipDir
		}
		return nil
	case d.Type()&fs.ModeSymlink != 0:
		return w.link(rel)
	case d.Type().IsRegular() && w.wanted(rel):
		w.files = append(w.files, Dependency{w.base, rel})
	}
	return nil
}

func (w *depsWalk) wanted(rel string) bool { return slices.Contains(w.spec.Extensions, path.Ext(rel)) }

// link refuses links that lead out of the folder, because an interpreter would follow them to code that nobody
// verified. A link inside is as good as its target, which the walk visits by itself unless its suffix hides it.
func (w *depsWalk) link(rel string) error {
	dep := Dependency{w.base, rel}
	target, err := filepath.EvalSymlinks(dep.Display())
	if errors.Is(err, fs.ErrNotExist) {
		return nil // a dangling link loads nothing
	}
	if err != nil {
		return fmt.Errorf("verifying dependencies: %w", err)
	}
	inside, err := filepath.Rel(w.real, target)
	if err != nil || !filepath.IsLocal(inside) || w.excluded(inside) {
		return item.Errorf(item.TypeIntegrity, "Symlink escape: %s resolves to %s", dep.Display(), target).
			Hint("replace the link by the file, then: rye sign --all")
	}
	targetRel := path.Join(w.base.Rel, filepath.ToSlash(inside))
	if info, err := os.Stat(target); err == nil && info.Mode().IsRegular() && w.wanted(rel) && !w.wanted(targetRel) {
		w.files = append(w.files, Dependency{w.base, targetRel})
	}
	return nil
}

func (w *depsWalk) excluded(inside string) bool {
	for dir := filepath.Dir(inside); dir != "."; dir = filepath.Dir(dir) {
		if slices.Contains(w.spec.ExcludeDirs, filepath.Base(dir)) {
			return true
		}
	}
	return slices.Contains(w.spec.ExcludeDirs, filepath.Base(inside))
}

// verifyAll verifies files on all cores; the failure of the first file in order is reported.
func (r *Resolver) verifyAll(files []Dependency, keep bool) (Deps, error) {
	failures := make([]error, len(files))
	kept := make([]VerifiedFile, len(files))
	var next, size atomic.Int64
	var wg sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(files)) {
		wg.Go(func() {
			for i := next.Add(1) - 1; i < int64(len(files)); i = next.Add(1) - 1 {
				proof, n, err := r.verifyDependency(files[i])
				size.Add(int64(n))
				if keep {
					kept[i] = VerifiedFile{files[i], proof}
				}
				if failures[i] = err; err != nil {
					next.Store(int64(len(files)))
				}
			}
		})
	}
	wg.Wait()
	deps := Deps{Files: len(files), Bytes: size.Load()}
	if keep {
		deps.Kept = kept
	}
	return deps, first(failures)
}

func first(errs []error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// verifyDependency accepts a file signed as a dependency, or an item that happens to stand in the tree.
func (r *Resolver) verifyDependency(d Dependency) (proof integrity.Verified, size int, err error) {
	src, err := d.Source()
	if err != nil {
		return proof, 0, err
	}
	proof, err = r.Verifier.VerifyDependency(src, d.SignedPath())
	return proof, len(src.Data), err
}
