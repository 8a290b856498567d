package runtime_test

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/ryeos/rye/internal/ryetest"
	"github.com/ryeos/rye/pkg/item"
)

// echo is a tool's config that hands its arguments and parameters on.
const echo = `config: {command: /bin/echo, args: ["{command}", "{args}", "{name}"], input_data: "{params_json}"}`

// Engine keys steer the engine, unless the tool's schema declares them: then they are the tool's.
func TestEngineKeys(t *testing.T) {
	given := map[string]any{"timeout": json.Number("7"), "cwd": "sub", "env": map[string]any{"COLOUR": "red"}, "name": "Ada"}
	w, in := yamlTool(t, echo)
	w.Project.Mkdir("sub")
	p := plan(t, in, given)
	if string(p.Stdin) != `{"name":"Ada"}` || p.Timeout.Seconds() != 7 || p.TimeoutOwner != "the caller" ||
		p.Cwd != w.Project.Path("sub") || env(p, "COLOUR") != "red" {
		t.Errorf("steering: stdin %s, timeout %v of %s, cwd %s, COLOUR %s", p.Stdin, p.Timeout, p.TimeoutOwner, p.Cwd, env(p, "COLOUR"))
	}

	w, in = yamlTool(t, echo, "config_schema: {type: object, properties: {timeout: {}, cwd: {}, env: {}}}")
	p = plan(t, in, given)
	if string(p.Stdin) != `{"cwd":"sub","env":{"COLOUR":"red"},"name":"Ada","timeout":7}` || p.Timeout.Seconds() != 300 ||
		p.Cwd != w.Project.Base || env(p, "COLOUR") != "unset" {
		t.Errorf("declared: stdin %s, timeout %v, cwd %s, COLOUR %s", p.Stdin, p.Timeout, p.Cwd, env(p, "COLOUR"))
	}
}

func TestEngineKeysAreChecked(t *testing.T) {
	_, in := yamlTool(t, echo)
	for _, bad := range []any{"soon", json.Number("0"), json.Number("-1"), true, nil, json.Number("1e300")} {
		refusedPlan(t, in, map[string]any{"timeout": bad}, item.TypeUsage, "the timeout of the caller must be a positive number of seconds")
	}
	refusedPlan(t, in, map[string]any{"env": "A=1"}, item.TypeUsage, "the parameter env must be an object of strings")
	refusedPlan(t, in, map[string]any{"env": map[string]any{"A=B": "1"}}, item.TypePermission, "the variable")
	refusedPlan(t, in, map[string]any{"cwd": "/etc"}, item.TypePermission, "Working directory is outside the project workspace")
}

// A caller's command and args are what {command} and {args} mean in the chain's arguments, never the chain's own.
func TestCallersCommandNeverReplacesTheChains(t *testing.T) {
	_, in := yamlTool(t, echo)
	p := plan(t, in, map[string]any{"command": "/bin/evil", "args": []any{"a", json.Number("1")}, "input_data": "x", "name": "Ada"})
	if want := []string{"/bin/echo", "/bin/evil", "a", "1", "Ada"}; !slices.Equal(p.Argv, want) {
		t.Errorf("argv %q, want %q", p.Argv, want)
	}
	if want := `{"args":["a",1],"command":"/bin/evil","input_data":"x","name":"Ada"}`; string(p.Stdin) != want {
		t.Errorf("stdin %s, want %s", p.Stdin, want)
	}
	if p := plan(t, in, nil); !slices.Equal(p.Argv, []string{"/bin/echo", "{command}", "{args}", "{name}"}) {
		t.Errorf("without parameters: argv %q", p.Argv)
	}
}

// Seed 000's bash runtime: {command} is the caller's shell text, the tool and the project are $0 and $1.
func TestBashRuntimeRunsTheCallersCommand(t *testing.T) {
	w := ryetest.New(t)
	w.Project.Tool("my/sh.yaml", ryetest.YAML("rye/core/runtimes/bash/bash"))
	p := plan(t, w.Input("my/sh"), map[string]any{"command": `echo "$HOME {project_path}" '${X}'`})
	want := []string{"/bin/bash", "-c", `echo "$HOME {project_path}" '${X}'`, w.Project.Path(".ai/tools/my/sh.yaml"), w.Project.Base}
	if !slices.Equal(p.Argv, want) {
		t.Errorf("argv %q, want %q", p.Argv, want)
	}
}

// What callers say is data: it cannot pretend to be the context, and is never read as a template.
func TestCallersDataIsOpaque(t *testing.T) {
	_, in := yamlTool(t, `config: {command: /bin/echo, args: ["{project_path}", "{text}"], input_data: "{params_json}"}`)
	in.Env = append(in.Env, "SECRET=s")
	p := plan(t, in, map[string]any{"project_path": "/etc", "text": "${SECRET} {project_path} {params_json}"})
	if want := []string{"/bin/echo", in.Project, "${SECRET} {project_path} {params_json}"}; !slices.Equal(p.Argv, want) {
		t.Errorf("argv %q, want %q", p.Argv, want)
	}
	if want := `{"project_path":"/etc","text":"${SECRET} {project_path} {params_json}"}`; string(p.Stdin) != want {
		t.Errorf("stdin %s, want %s", p.Stdin, want)
	}
}

// ${VAR} and {name} are quoted inside shell text and nowhere else.
func TestShellTextIsQuoted(t *testing.T) {
	_, in := yamlTool(t, `config: {command: /bin/sh, args: ["-c", "echo {name} ${X_NAME}", "{name}"]}`)
	in.Env = append(in.Env, "X_NAME=a b")
	p := plan(t, in, map[string]any{"name": "; rm -rf '/'"})
	want := []string{"/bin/sh", "-c", `echo '; rm -rf '\''/'\''' 'a b'`, "; rm -rf '/'"}
	if !slices.Equal(p.Argv, want) {
		t.Errorf("argv %q, want %q", p.Argv, want)
	}
	refusedPlan(t, in, map[string]any{"name": "a\x00b"}, item.TypeUsage, "the value of ")
}

func TestFixedParams(t *testing.T) {
	given := map[string]any{"mode": "theirs", "name": "Ada", "extra": true}
	_, in := yamlTool(t, `config: {command: /bin/cat, input_data: "{params_json}", fixed_params: {mode: ours, who: "{name}", where: "{project_path}"}}`)
	p := plan(t, in, given)
	want := `{"extra":true,"mode":"ours","name":"Ada","where":"` + in.Project + `","who":"Ada"}`
	if string(p.Stdin) != want || !slices.Equal(p.FixedParams, []string{"mode"}) {
		t.Errorf("stdin %s, want %s; lost %v", p.Stdin, want, p.FixedParams)
	}

	_, in = yamlTool(t, `config: {command: /bin/cat, input_data: "{params_json}", fixed_params: {mode: ours}, params_key: arguments}`)
	p = plan(t, in, given)
	want = `{"arguments":{"extra":true,"mode":"theirs","name":"Ada"},"mode":"ours"}`
	if string(p.Stdin) != want || len(p.FixedParams) > 0 {
		t.Errorf("with params_key: stdin %s, want %s; lost %v", p.Stdin, want, p.FixedParams)
	}
}

func TestResolvedConfigIsAParameter(t *testing.T) {
	w := ryetest.New(t)
	w.Project.Config("web/search.yaml", "limit: 3\n")
	w.Project.Tool("x.yaml", ryetest.YAML(ryetest.Execute, echo, "config_resolve: {path: web/search.yaml}"))
	p := plan(t, w.Input("x"), map[string]any{"resolved_config": "mine"})
	if want := `{"resolved_config":{"limit":3}}`; string(p.Stdin) != want {
		t.Errorf("stdin %s, want %s", p.Stdin, want)
	}
	w.Project.Remove(".ai/config/web")
	if p := plan(t, w.Input("x"), nil); string(p.Stdin) != "{}" {
		t.Errorf("nothing resolved: stdin %s", p.Stdin)
	}
}

func TestNumbersAndBytesArriveUnchanged(t *testing.T) {
	_, in := yamlTool(t, echo)
	const text = `{"big":12345678901234567890123,"bytes":"a` + "\xff" + `b","exact":1.10,"exp":1E5,"html":"<&>","list":[9007199254740993]}`
	params, err := item.DecodeParameters([]byte(strings.ReplaceAll(text, "\xff", "?")))
	if err != nil {
		t.Fatal(err)
	}
	params["bytes"] = "a\xffb"
	if p := plan(t, in, params); string(p.Stdin) != text {
		t.Errorf("stdin %q, want %q", p.Stdin, text)
	}
}

func TestCallersMapIsNotChanged(t *testing.T) {
	w := ryetest.New(t)
	w.Project.Config("c.yaml", "a: 1\n")
	w.Project.Tool("x.yaml", ryetest.YAML(ryetest.Execute, "config_resolve: {path: c.yaml}",
		`config: {command: /bin/cat, input_data: "{params_json}", fixed_params: {mode: ours, deep: {}}}`))
	given := map[string]any{"mode": "theirs", "timeout": 3, "deep": map[string]any{"a": []any{1}}}
	before := maps.Clone(given)
	plan(t, w.Input("x"), given)
	if got, want := marshal(t, given), marshal(t, before); got != want {
		t.Errorf("the caller's map became %s, was %s", got, want)
	}
}

func marshal(t *testing.T, v any) string {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// A script gets its parameters as variables too, except those that no variable can hold.
func TestParamsAsVariables(t *testing.T) {
	w := ryetest.New(t)
	w.Project.Tool("my/hi.sh", "# __executor_id__ = \"rye/core/runtimes/bash/bash\"\necho hi\n")
	p := plan(t, w.Input("my/hi"), map[string]any{
		"name": "Ada L", "n": json.Number("3"), "on": true, "list": []any{"a"}, "bad-name": "x", "long": strings.Repeat("x", 1<<20), "nul": "a\x00",
	})
	for name, want := range map[string]string{
		"NAME": "Ada L", "N": "3", "ON": "true", "LIST": `["a"]`, "BAD-NAME": "unset", "LONG": "unset", "NUL": "unset",
	} {
		if got := env(p, "RYE_PARAM_"+name); got != want {
			t.Errorf("RYE_PARAM_%s is %.20q, want %q", name, got, want)
		}
	}
	if want := []string{"/bin/bash", "-c", `exec "$BASH" "$0" "$@"`, w.Project.Path(".ai/tools/my/hi.sh"), w.Project.Base}; !slices.Equal(p.Argv, want) {
		t.Errorf("argv %q, want %q", p.Argv, want)
	}
}
