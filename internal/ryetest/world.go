// Package ryetest builds scratch worlds for tests: a project, a user and a system space on a temporary disk, a trusted
// key, and an engine over them. Only tests import it.
package ryetest

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"testing/fstest"
	"time"

	"github.com/ryeos/rye"
	"github.com/ryeos/rye/pkg/chain"
	"github.com/ryeos/rye/pkg/engine"
	"github.com/ryeos/rye/pkg/integrity"
	"github.com/ryeos/rye/pkg/item"
	"github.com/ryeos/rye/pkg/runtime"
	"github.com/ryeos/rye/pkg/space"
)

// Now is the time of every signature that a World makes.
var Now = time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)

// World is a machine with rye on it, as far as rye can see. The system space starts as the real one.
type World struct {
	Project, User, System *Space
	Cache                 string
	Key                   *integrity.Key // the user's, trusted in user space

	t testing.TB
}

// New makes a world whose folders go when the test ends.
func New(t testing.TB) *World {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	w := &World{t: t, Cache: filepath.Join(dir, "cache")}
	w.Project = &Space{world: w, Base: filepath.Join(dir, "project")}
	w.User = &Space{world: w, Base: filepath.Join(dir, "home")}
	w.System = &Space{world: w, files: systemFiles(t)}
	w.Project.Mkdir(".")
	w.User.Mkdir(".")
	if w.Key, err = integrity.GenerateKey(filepath.Join(w.User.Base, ".ai/config/keys/signing"), false); err != nil {
		t.Fatal(err)
	}
	w.User.Trust(w.Key)
	return w
}

// systemFiles is a copy of what ships with rye, so that a test can add to it.
func systemFiles(t testing.TB) fstest.MapFS {
	files := fstest.MapFS{}
	err := fs.WalkDir(rye.System(), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := fs.ReadFile(rye.System(), name)
		files[name] = &fstest.MapFile{Data: data, Mode: 0o444}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// Engine makes an engine over the world.
func (w *World) Engine(options ...func(*engine.Options)) *engine.Engine {
	w.t.Helper()
	o := engine.Options{
		Project: w.Project.Base, User: w.User.Base, System: w.System.files, Cache: w.Cache,
		Env: w.Env(), Now: func() time.Time { return Now },
	}
	for _, option := range options {
		option(&o)
	}
	eng, err := engine.New(o)
	if err != nil {
		w.t.Fatal(err)
	}
	return eng
}

// Env is the environment of a caller who has set nothing but where programs are, and more.
func (w *World) Env(more ...string) []string {
	return append([]string{"PATH=" + os.Getenv("PATH")}, more...)
}

// Spaces are the world's three spaces, in lookup order.
func (w *World) Spaces() space.Spaces {
	w.t.Helper()
	system, err := fs.Sub(w.System.files, space.Dir)
	if err != nil {
		w.t.Fatal(err)
	}
	return space.Spaces{
		space.OnDisk(space.Project, w.Project.Base), space.OnDisk(space.User, w.User.Base), space.Embedded(system, w.Cache),
	}
}

// Resolver resolves chains over the world's spaces and trusts what its user and system spaces trust.
func (w *World) Resolver() *chain.Resolver {
	w.t.Helper()
	const trusted = "config/keys/trusted"
	var sources []integrity.TrustSource
	spaces := w.Spaces()
	for _, s := range spaces[1:] {
		fsys, err := s.FS()
		if err == nil {
			fsys, err = fs.Sub(fsys, trusted)
		}
		if err != nil {
			w.t.Fatal(err)
		}
		sources = append(sources, integrity.TrustSource{Space: string(s.Label), FS: fsys, Display: s.Display(trusted)})
	}
	return &chain.Resolver{Spaces: spaces, Verifier: &integrity.Verifier{Trust: integrity.NewTrustStore(sources...)}}
}

// Input resolves a tool's chain, anchor and configuration: what a plan of it is made from. Parameters and environment
// are the test's to fill in.
func (w *World) Input(tool string) runtime.Input {
	w.t.Helper()
	r := w.Resolver()
	c, err := r.Resolve(item.Ref{Kind: item.Tool, ID: tool})
	if err != nil {
		w.t.Fatal(err)
	}
	anchor, err := r.Anchor(c)
	if err != nil {
		w.t.Fatal(err)
	}
	resolved, _, err := r.ResolveConfig(c)
	if err != nil {
		w.t.Fatal(err)
	}
	return runtime.Input{
		Chain: c, Anchor: anchor, Resolved: resolved, Project: w.Project.Base, User: w.User.Base,
		System: func() (string, error) { return r.Spaces.Get(space.System).Materialise(".") }, Cache: w.Cache, Env: w.Env(),
	}
}
