package runtime_test

import (
	"os"
	"strings"
	"testing"

	"github.com/ryeos/rye/internal/ryetest"
	"github.com/ryeos/rye/pkg/item"
)

// interpreted is a world whose tool a/x runs ${X_BIN}, found as spec says.
func interpreted(t *testing.T, spec string) *ryetest.World {
	w := ryetest.New(t)
	w.Project.Tool("a/x.yaml", ryetest.YAML(ryetest.Execute, `config: {command: "${X_BIN}"}`,
		"env_config: {interpreter: {var: X_BIN, "+spec+"}}"))
	return w
}

func TestLocalBinary(t *testing.T) {
	const spec = "type: local_binary, binary: one, candidates: [two, one, ../evil], search_paths: [bin, alt/bin], fallback: cat"
	for _, test := range []struct {
		name, spec, want string // want is below the project; a name alone is on PATH
		programs         []string
	}{
		{"the binary in the first search path", spec, "bin/one", []string{"bin/one", "bin/two", "alt/bin/one"}},
		{"a candidate of an earlier path beats the binary of a later one", spec, "bin/two", []string{"bin/two", "alt/bin/one"}},
		{"a later path", spec, "alt/bin/one", []string{"alt/bin/one"}},
		{"nothing", spec, "cat", []string{"other/one", "evil"}},
		{"search_roots come before the project", spec + `, search_roots: ["{anchor_path}"]`, ".ai/tools/a/bin/one",
			[]string{"bin/one", ".ai/tools/a/bin/one"}},
		{"the project comes after search_roots", spec + `, search_roots: ["{anchor_path}"]`, "bin/one", []string{"bin/one"}},
		{"a relative search root is none", spec + `, search_roots: ["."]`, "cat", nil},
		{"no search paths", "type: local_binary, binary: one, fallback: cat", "cat", []string{"bin/one"}},
	} {
		w := interpreted(t, test.spec)
		for _, program := range test.programs {
			w.Project.Program(program, "#!/bin/sh\n")
		}
		want := test.want
		if strings.Contains(want, "/") {
			want = w.Project.Path(want)
		}
		if got := env(plan(t, w.Input("a/x"), nil), "X_BIN"); got != want {
			t.Errorf("%s: got %s, want %s", test.name, got, want)
		}
	}
}

func TestLocalBinaryMustBeExecutable(t *testing.T) {
	w := interpreted(t, "type: local_binary, binary: one, search_paths: [bin], fallback: cat")
	w.Project.Write("bin/one", "")
	if got := env(plan(t, w.Input("a/x"), nil), "X_BIN"); got != "cat" {
		t.Errorf("got %s", got)
	}
	w.Project.Remove("bin/one")
	w.Project.Mkdir("bin/one")
	if got := env(plan(t, w.Input("a/x"), nil), "X_BIN"); got != "cat" {
		t.Errorf("a folder: got %s", got)
	}
}

func TestSystemBinary(t *testing.T) {
	w := interpreted(t, "type: system_binary, binary: one, fallback: /bin/true")
	dir := w.User.Mkdir("bin")
	w.User.Program("bin/one", "#!/bin/sh\n")
	w.Project.Program("bin/one", "#!/bin/sh\n")
	in := w.Input("a/x")
	in.Env = []string{"PATH=" + w.Project.Path("bin") + ":" + dir}
	if got := env(plan(t, in, nil), "X_BIN"); got != dir+"/one" {
		t.Errorf("got %s, want the one outside the project", got)
	}
	in.Env = []string{"PATH=/nowhere"}
	if got := env(plan(t, in, nil), "X_BIN"); got != "/bin/true" {
		t.Errorf("without one: got %s", got)
	}
}

func TestResolveCommand(t *testing.T) {
	for name, test := range map[string]struct{ cmd, want string }{
		"first line, trimmed":  {`[sh, -c, 'echo; echo " /bin/echo "; echo two']`, "/bin/echo"},
		"sees the environment": {`[sh, -c, 'echo $FROM_CALLER']`, "/bin/echo"},
		"fails":                {`[sh, -c, 'echo /bin/echo; exit 1']`, "/bin/true"},
		"prints nothing":       {`["true"]`, "/bin/true"},
		"is not there":         {`[no-such-program-anywhere]`, "/bin/true"},
		"is empty":             {`[]`, "/bin/true"},
	} {
		in := interpreted(t, "type: command, fallback: /bin/true, resolve_cmd: "+test.cmd).Input("a/x")
		in.Env = append(in.Env, "FROM_CALLER=/bin/echo")
		if got := env(plan(t, in, nil), "X_BIN"); got != test.want {
			t.Errorf("resolve_cmd %s: got %s, want %s", name, got, test.want)
		}
	}
}

func TestResolveCommandRunsInTheProject(t *testing.T) {
	w := interpreted(t, `type: command, resolve_cmd: [sh, -c, 'echo "$(pwd)/bin/one"']`)
	program := w.Project.Program("bin/one", "#!/bin/sh\n")
	if got := env(plan(t, w.Input("a/x"), nil), "X_BIN"); got != program {
		t.Errorf("got %s, want %s", got, program)
	}
}

// The caller who sets the variable to a program has chosen; a project file that sets it has not.
func TestPresetInterpreter(t *testing.T) {
	for _, spec := range []string{
		"type: local_binary, binary: one, search_paths: [bin], fallback: /bin/true",
		"type: system_binary, binary: 'true'", "type: command, resolve_cmd: [echo, /bin/true]",
	} {
		w := interpreted(t, spec)
		chosen := w.User.Program("mine", "#!/bin/sh\n")
		in := w.Input("a/x")
		in.Env = w.Env("X_BIN=" + chosen)
		if got := env(plan(t, in, nil), "X_BIN"); got != chosen {
			t.Errorf("%s: the caller chose %s, got %s", spec, chosen, got)
		}
		for _, no := range []string{"mine", "/no/such/file", w.User.Base} {
			in.Env = w.Env("X_BIN=" + no)
			if got := env(plan(t, in, nil), "X_BIN"); !strings.HasSuffix(got, "/true") {
				t.Errorf("%s: the caller's %q is no program, got %s", spec, no, got)
			}
		}
		w.Project.Write(".env", "X_BIN="+chosen+"\n")
		if got := env(plan(t, w.Input("a/x"), nil), "X_BIN"); !strings.HasSuffix(got, "/true") {
			t.Errorf("%s: .env chose %s", spec, got)
		}
	}
}

// Without a fallback the variable stays unset, whatever a project file says.
func TestInterpreterNotFound(t *testing.T) {
	for _, spec := range []string{
		"type: local_binary, binary: one, search_paths: [bin]", "type: system_binary, binary: no-such-program-anywhere",
		"type: command, resolve_cmd: ['false']",
	} {
		w := interpreted(t, spec)
		refusedPlan(t, w.Input("a/x"), nil, item.TypeChain, "No command specified")
		w.Project.Write(".env", "X_BIN="+os.Args[0]+"\n")
		refusedPlan(t, w.Input("a/x"), nil, item.TypeChain, "No command specified")
	}
}

func TestInterpreterTypeMustBeKnown(t *testing.T) {
	in := interpreted(t, "fallback: /bin/true").Input("a/x")
	refusedPlan(t, in, nil, item.TypeChain, `env_config.interpreter.type "" of a/x is unknown`)
}
