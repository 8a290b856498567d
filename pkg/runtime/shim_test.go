package runtime_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/ryeos/rye/pkg/runtime"
)

// shimWorld is a home with version managers, whose shims would fail the test's purpose by being slow, not by failing.
type shimWorld struct{ home, project, system string }

func newShimWorld(t *testing.T) shimWorld {
	t.Helper()
	base := t.TempDir()
	w := shimWorld{filepath.Join(base, "home"), filepath.Join(base, "home", "code", "project"), filepath.Join(base, "bin")}
	program := func(parts ...string) {
		file := filepath.Join(parts...)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte("#!/bin/sh\n# asdf-plugin: snake 3.1\n# asdf-plugin: ../snake 3.1\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.MkdirAll(w.project, 0o755); err != nil {
		t.Fatal(err)
	}
	program(w.system, "snake")
	program(w.home, "evil", "bin", "snake")
	for _, manager := range []string{".pyenv", ".asdf"} {
		program(w.home, manager, "shims", "snake")
	}
	for _, version := range []string{"3.9.1", "3.11.2", "3.11.10", "pypy-3"} {
		program(w.home, ".pyenv", "versions", version, "bin", "snake")
		program(w.home, ".asdf", "installs", "snake", version, "bin", "snake")
	}
	return w
}

func (w shimWorld) write(t *testing.T, file, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(w.home, file), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// What runs is what the version manager would have chosen, without asking it.
func TestProgramSeesThroughShims(t *testing.T) {
	for name, c := range map[string]struct {
		manager  string
		variable string
		files    map[string]string // below home
		want     string            // below home; "" for the shim itself, "system" for the program behind it on PATH
	}{
		"pyenv: variable":              {".pyenv", "PYENV_VERSION=3.9.1", map[string]string{"code/project/.python-version": "3.11.2"}, ".pyenv/versions/3.9.1"},
		"pyenv: project file":          {".pyenv", "", map[string]string{"code/project/.python-version": "3.9.1\n", ".pyenv/version": "3.11.2"}, ".pyenv/versions/3.9.1"},
		"pyenv: file above":            {".pyenv", "", map[string]string{"code/.python-version": "pypy-3"}, ".pyenv/versions/pypy-3"},
		"pyenv: global":                {".pyenv", "", map[string]string{".pyenv/version": "3.11.2\n"}, ".pyenv/versions/3.11.2"},
		"pyenv: newest of a prefix":    {".pyenv", "PYENV_VERSION=3.11", nil, ".pyenv/versions/3.11.10"},
		"pyenv: second choice":         {".pyenv", "PYENV_VERSION=4.0:3.9.1", nil, ".pyenv/versions/3.9.1"},
		"pyenv: system":                {".pyenv", "PYENV_VERSION=system", nil, "system"},
		"pyenv: nothing chosen":        {".pyenv", "", nil, "system"},
		"pyenv: not installed":         {".pyenv", "PYENV_VERSION=2.7", nil, ""},
		"pyenv: out of its folder":     {".pyenv", "", map[string]string{"code/project/.python-version": "../../evil"}, ""},
		"pyenv: the folder above":      {".pyenv", "PYENV_VERSION=..", nil, ""},
		"asdf: variable":               {".asdf", "ASDF_SNAKE_VERSION=3.9.1", nil, ".asdf/installs/snake/3.9.1"},
		"asdf: project file":           {".asdf", "", map[string]string{"code/project/.tool-versions": "other 1\nsnake 3.11.2 # why\n"}, ".asdf/installs/snake/3.11.2"},
		"asdf: file above has it":      {".asdf", "", map[string]string{"code/project/.tool-versions": "other 1\n", "code/.tool-versions": "snake pypy-3"}, ".asdf/installs/snake/pypy-3"},
		"asdf: home":                   {".asdf", "", map[string]string{".tool-versions": "snake 3.9.1"}, ".asdf/installs/snake/3.9.1"},
		"asdf: system":                 {".asdf", "", map[string]string{".tool-versions": "snake system"}, "system"},
		"asdf: a path is not followed": {".asdf", "", map[string]string{".tool-versions": "snake path:/tmp ../../../evil"}, ""},
		"asdf: nothing chosen":         {".asdf", "", nil, ""},
	} {
		t.Run(name, func(t *testing.T) {
			w := newShimWorld(t)
			for file, text := range c.files {
				w.write(t, file, text)
			}
			shim := filepath.Join(w.home, c.manager, "shims", "snake")
			want := map[string]string{"": shim, "system": filepath.Join(w.system, "snake")}[c.want]
			if want == "" {
				want = filepath.Join(w.home, c.want, "bin", "snake")
			}
			env := []string{"HOME=" + w.home, "PATH=" + filepath.Dir(shim) + string(os.PathListSeparator) + w.system, c.variable}
			found, runs, err := runtime.Program("snake", w.project, env)
			if err != nil || found != shim || runs != want {
				t.Errorf("found %s, runs %s, %v; want %s", found, runs, err, want)
			}
		})
	}
}
