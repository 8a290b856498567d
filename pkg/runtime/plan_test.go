package runtime_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/ryeos/rye/internal/ryetest"
	"github.com/ryeos/rye/pkg/item"
	"github.com/ryeos/rye/pkg/runtime"
)

const bashPy = `"""The seed's shell tool."""
__version__ = "1.0.0"
__tool_type__ = "python"
__executor_id__ = "rye/core/runtimes/python/script"
__category__ = "rye"
`

// plan makes the plan of a tool with these parameters.
func plan(t *testing.T, in runtime.Input, params map[string]any) *runtime.Plan {
	t.Helper()
	in.Params = params
	p, err := runtime.NewPlan(in)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// refusedPlan asserts that there is no plan, why, and how the message starts.
func refusedPlan(t *testing.T, in runtime.Input, params map[string]any, want item.ErrorType, message string) {
	t.Helper()
	in.Params = params
	_, err := runtime.NewPlan(in)
	if err == nil || item.TypeOf(err) != want || !strings.HasPrefix(err.Error(), message) {
		t.Errorf("got %s error %v, want %s error %q", item.TypeOf(err), err, want, message)
	}
}

// env is a variable's value in the child, "unset" when it has none.
func env(p *runtime.Plan, name string) string {
	for _, entry := range p.Env.List() {
		if value, ok := strings.CutPrefix(entry, name+"="); ok {
			return value
		}
	}
	return "unset"
}

// yamlTool is an input for a tool that is the whole chain but the primitive.
func yamlTool(t *testing.T, more ...string) (*ryetest.World, runtime.Input) {
	t.Helper()
	w := ryetest.New(t)
	w.Project.Tool("x.yaml", ryetest.YAML(ryetest.Execute, more...))
	return w, w.Input("x")
}

// Seed 000: echo '{"command":"echo hello"}' | <project>/.venv/bin/python3 <project>/.ai/tools/rye/bash.py
// --project-path <project>
func TestSeedsBashCommand(t *testing.T) {
	w := ryetest.New(t)
	w.Project.Tool("rye/bash.py", bashPy)
	python := w.Project.Program(".venv/bin/python3", "#!/bin/sh\n")
	p := plan(t, w.Input("rye/bash"), map[string]any{"command": "echo hello"})

	if want := []string{python, w.Project.Path(".ai/tools/rye/bash.py"), "--project-path", w.Project.Base}; !slices.Equal(p.Argv, want) {
		t.Errorf("argv %q, want %q", p.Argv, want)
	}
	if p.Program != python || string(p.Stdin) != `{"command":"echo hello"}` || p.Cwd != w.Project.Base {
		t.Errorf("program %s, stdin %s, cwd %s", p.Program, p.Stdin, p.Cwd)
	}
	for name, want := range map[string]string{
		"RYE_PYTHON": python, "PROJECT_VENV_PYTHON": python, "PYTHONUNBUFFERED": "1", "PWD": w.Project.Base,
	} {
		if got := env(p, name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	if p.Timeout.Seconds() != 300 || p.TimeoutOwner != "rye/core/runtimes/python/script" {
		t.Errorf("timeout %v of %s", p.Timeout, p.TimeoutOwner)
	}
}

// A system tool must not run a program of the folder that it is called in.
func TestProjectInterpreterIsForProjectTools(t *testing.T) {
	for _, where := range []string{"project", "user"} {
		w := ryetest.New(t)
		python := w.Project.Program(".venv/bin/python3", "#!/bin/sh\n")
		space := map[string]*ryetest.Space{"project": w.Project, "user": w.User}[where]
		space.Tool("my/x.py", bashPy)
		p := plan(t, w.Input("my/x"), nil)
		if got := p.Program == python; got != (where == "project") {
			t.Errorf("a tool of %s space runs %s", where, p.Program)
		}
	}
}

// The seed's Ruby runtime with perl in Ruby's place: interpreter by fallback, templates in env, env_paths, cwd.
func TestSeedsRubyRuntimeAsPerl(t *testing.T) {
	w := ryetest.New(t)
	w.Project.Tool("rye/core/runtimes/perl_runtime.yaml", perlRuntime)
	w.Project.Tool("my/app/bin/hello.pl", "# __executor_id__ = \"rye/core/runtimes/perl_runtime\"\nprint 1;\n")
	w.Project.Write(".ai/tools/my/app/cpanfile", "")
	app := w.Project.Path(".ai/tools/my/app")
	p := plan(t, w.Input("my/app/bin/hello"), map[string]any{"name": "Ada"})

	want := []string{p.Program, app + "/bin/hello.pl", "--project-path", w.Project.Base}
	if !slices.Equal(p.Argv, want) || !strings.HasSuffix(p.Program, "/perl") {
		t.Errorf("argv %q of %s", p.Argv, p.Program)
	}
	for name, want := range map[string]string{
		"RYE_PERL": "perl", "PERL_CPANFILE": app + "/cpanfile",
		"PERL5LIB": app + ":" + w.Project.Path(".ai/tools/rye/core/runtimes/lib/perl"),
	} {
		if got := env(p, name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	if p.Cwd != app || string(p.Stdin) != `{"name":"Ada"}` || p.Timeout.Seconds() != 300 {
		t.Errorf("cwd %s, stdin %s, timeout %v", p.Cwd, p.Stdin, p.Timeout)
	}

	local := w.Project.Program("local/bin/perl", "#!/bin/sh\n")
	if p := plan(t, w.Input("my/app/bin/hello"), nil); p.Program != local {
		t.Errorf("a local perl is there, and %s runs", p.Program)
	}
}

const perlRuntime = `version: "1.0.0"
tool_type: runtime
executor_id: rye/core/primitives/execute
category: rye/core/runtimes
description: "Perl runtime"
env_config:
  interpreter:
    type: local_binary
    binary: perl
    search_paths: ["local/bin", ".plenv/shims"]
    var: RYE_PERL
    fallback: perl
  env:
    PERL_CPANFILE: "{anchor_path}/cpanfile"
anchor:
  enabled: true
  mode: auto
  markers_any: [cpanfile, cpanfile.snapshot]
  root: tool_dir
  lib: lib/perl
  cwd: "{anchor_path}"
  env_paths:
    PERL5LIB:
      prepend: ["{anchor_path}", "{runtime_lib}"]
config:
  command: "${RYE_PERL}"
  args:
    - "{tool_path}"
    - "--project-path"
    - "{project_path}"
  input_data: "{params_json}"
  timeout: 300
`

func TestPlanNeedsAVerifiedChain(t *testing.T) {
	w := ryetest.New(t)
	w.Project.Write(".ai/tools/x.yaml", ryetest.YAML(ryetest.Execute, "config: {command: /bin/true}"))
	r := w.Resolver()
	c, err := r.Inspect(item.Ref{Kind: item.Tool, ID: "x"})
	if err != nil {
		t.Fatal(err)
	}
	a, err := r.Anchor(c)
	if err != nil {
		t.Fatal(err)
	}
	refusedPlan(t, runtime.Input{Chain: c, Anchor: a, Project: w.Project.Base}, nil, item.TypeIntegrity, "the chain of tool:x is not verified")
}

func TestPlanNeedsACommand(t *testing.T) {
	_, in := yamlTool(t, "config: {args: [x]}")
	refusedPlan(t, in, nil, item.TypeChain, "No command specified (chain: x → rye/core/primitives/execute)")
	_, in = yamlTool(t, "config: {command: no-such-program-anywhere}")
	refusedPlan(t, in, nil, item.TypeUnavailable, "cannot run x: ")
	_, in = yamlTool(t, "config: {command: ./relative}")
	refusedPlan(t, in, nil, item.TypeUnavailable, "cannot run x: ")
}

// A program named like an interpreter, in a folder of the project that is on PATH, is not what a chain means.
func TestProgramsOfTheProjectAreNotOnThePath(t *testing.T) {
	w, in := yamlTool(t, "config: {command: planted-tool}")
	w.Project.Program("bin/planted-tool", "#!/bin/sh\n")
	in.Env = []string{"PATH=" + w.Project.Path("bin") + ":.:/usr/bin"}
	refusedPlan(t, in, nil, item.TypeUnavailable, "cannot run x: ")
}

func TestWorkingDirectory(t *testing.T) {
	w, in := yamlTool(t, `config: {command: /bin/true, cwd: "{working_dir}"}`)
	w.Project.Mkdir("sub")
	for given, want := range map[string]string{"": w.Project.Base, "sub": w.Project.Path("sub"), w.Project.Path("sub"): w.Project.Path("sub")} {
		params := map[string]any{}
		if given != "" {
			params["working_dir"] = given
		}
		if p := plan(t, in, params); p.Cwd != want {
			t.Errorf("%q: cwd %s, want %s", given, p.Cwd, want)
		}
	}
	refusedPlan(t, in, map[string]any{"working_dir": ".."}, item.TypePermission, "Working directory is outside the project workspace")
	refusedPlan(t, in, map[string]any{"working_dir": "/"}, item.TypePermission, "Working directory is outside the project workspace")
	refusedPlan(t, in, map[string]any{"working_dir": "none"}, item.TypeUsage, "Working directory not found")
}
