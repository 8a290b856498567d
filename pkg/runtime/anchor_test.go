package runtime_test

import (
	"testing"

	"github.com/ryeos/rye/internal/ryetest"
)

// python is a world with a Python tool at .ai/tools/my/pkg/sub/x.py.
func python(t *testing.T) *ryetest.World {
	w := ryetest.New(t)
	w.Project.Tool("my/pkg/sub/x.py", bashPy)
	return w
}

func TestPythonPathOfAnAnchoredTool(t *testing.T) {
	w := python(t)
	w.Project.Write(".ai/tools/my/pkg/pyproject.toml", "") // two folders up: the anchor is found by walking
	anchor := w.Project.Path(".ai/tools/my/pkg")
	runtimeLib := func(w *ryetest.World) string {
		dir, err := w.Input("my/pkg/sub/x").Chain.Elements[1].Place.Space.Materialise("tools/rye/core/runtimes/python/lib")
		if err != nil {
			t.Fatal(err)
		}
		return dir
	}

	p := plan(t, w.Input("my/pkg/sub/x"), nil)
	if got, want := env(p, "PYTHONPATH"), anchor+":"+runtimeLib(w); got != want {
		t.Errorf("without a lib: PYTHONPATH is %s, want %s", got, want)
	}
	if got := env(p, "PYTHONSAFEPATH"); got != "unset" {
		t.Errorf("PYTHONSAFEPATH is %s: what is beside an anchored tool was verified", got)
	}

	w.Project.Mkdir(".ai/tools/my/pkg/lib")
	in := w.Input("my/pkg/sub/x")
	if got, want := env(plan(t, in, nil), "PYTHONPATH"), anchor+":"+anchor+"/lib"; got != want {
		t.Errorf("with a lib: PYTHONPATH is %s, want %s", got, want)
	}

	in.Env = w.Env("PYTHONPATH=/opt/mine:relative::" + anchor)
	if got, want := env(plan(t, in, nil), "PYTHONPATH"), anchor+"/lib:/opt/mine:"+anchor; got != want {
		t.Errorf("over the caller's: PYTHONPATH is %s, want %s", got, want)
	}
}

func TestPythonPathWithoutAnAnchor(t *testing.T) {
	w := python(t)
	p := plan(t, w.Input("my/pkg/sub/x"), nil)
	if path, safe := env(p, "PYTHONPATH"), env(p, "PYTHONSAFEPATH"); path != "unset" || safe != "1" {
		t.Errorf("PYTHONPATH is %s, PYTHONSAFEPATH is %s", path, safe)
	}
}

func TestAnchorVariablesInTemplates(t *testing.T) {
	for marker, want := range map[string]string{"": "a/b", "a/MARK": "a"} {
		w := ryetest.New(t)
		w.Project.Tool("a/b/x.yaml", ryetest.YAML(ryetest.Execute,
			"anchor: {enabled: true, markers_any: [MARK], lib: lib, cwd: \"{anchor_path}\"}",
			`config: {command: /bin/echo, args: ["{tool_path}", "{tool_dir}", "{tool_parent}", "{anchor_path}", "{user_space}", "{unknown}"]}`))
		if marker != "" {
			w.Project.Write(".ai/tools/"+marker, "")
		}
		p := plan(t, w.Input("a/b/x"), nil)
		tools := w.Project.Path(".ai/tools")
		for i, want := range []string{
			"/bin/echo", tools + "/a/b/x.yaml", tools + "/a/b", tools + "/a", tools + "/" + want, w.User.Base, "{unknown}",
		} {
			if p.Argv[i] != want {
				t.Errorf("marker %q: argument %d is %s, want %s", marker, i, p.Argv[i], want)
			}
		}
		if inactive := p.Cwd == w.Project.Base; inactive != (marker == "") {
			t.Errorf("marker %q: cwd %s", marker, p.Cwd)
		}
	}
}

// {system_space} ends in .ai, and what a child is pointed to is there.
func TestSystemSpaceOnDisk(t *testing.T) {
	w := ryetest.New(t)
	w.Project.Tool("x.yaml", ryetest.YAML(ryetest.Execute, `config: {command: /bin/cat, args: ["{system_space}/tools/rye/bash.yaml"]}`))
	p := plan(t, w.Input("x"), nil)
	result, err := p.Run(t.Context(), nil, nil)
	if err != nil || result.ExitCode != 0 || result.Stdout.Total == 0 {
		t.Errorf("%s: %+v, %v", p.Argv[1], result, err)
	}
}
