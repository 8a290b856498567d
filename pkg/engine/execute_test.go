package engine_test

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/ryeos/rye/internal/ryetest"
	"github.com/ryeos/rye/pkg/engine"
	"github.com/ryeos/rye/pkg/item"
)

// shellTool runs its parameter `command` with sh; more are further lines of the tool.
func shellTool(more ...string) string {
	return ryetest.YAML(ryetest.Execute, append(more, `config: {command: /bin/sh, args: ["-c", "{command}"], input_data: "{params_json}"}`)...)
}

func execute(t *testing.T, e *engine.Engine, req item.Request) *item.Response {
	t.Helper()
	return e.Execute(t.Context(), req, nil, nil)
}

// refused asserts an error envelope.
func refused(t *testing.T, resp *item.Response, want item.ErrorType, message string) {
	t.Helper()
	if !resp.Failed() || resp.ErrorType != want || !strings.HasPrefix(resp.Error, message) {
		t.Errorf("got %s, %s error %q; want %s error %q", resp.Status, resp.ErrorType, resp.Error, want, message)
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

// The envelope of seed 002's sample.
func TestExecuteEnvelope(t *testing.T) {
	w := ryetest.New(t)
	w.Project.Tool("my/cat.yaml", ryetest.YAML(ryetest.Execute, `config: {command: /bin/cat, input_data: "{params_json}"}`))
	resp := execute(t, w.Engine(), item.Request{Ref: "my/cat", Parameters: map[string]any{"path": "x"}})
	want := `{"status":"success","type":"tool","item_id":"tool:my/cat","data":{"path":"x"},` +
		`"chain":["my/cat","rye/core/primitives/execute"],"metadata":{"duration_ms":0,"exit_code":0}}`
	if got := marshal(t, resp); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestExecuteFailures(t *testing.T) {
	w := ryetest.New(t)
	w.Project.Tool("sh.yaml", shellTool())
	w.Project.Write(".ai/tools/unsigned.yaml", shellTool())
	w.Project.Tool("broken.yaml", ryetest.YAML("no/such/runtime"))
	w.Project.Tool("schema.yaml", shellTool("config_schema: {type: object, required: [command], properties: {command: {type: string}}}"))
	e := w.Engine()

	resp := execute(t, e, item.Request{Ref: "tool:sh", Parameters: map[string]any{"command": "echo out; exit 7"}})
	refused(t, resp, item.TypeFailed, "exited with code 7")
	if s, ok := resp.Data.(*item.Streams); !ok || s.Stdout != "out\n" || s.ExitCode != 7 || *resp.Metadata.ExitCode != 7 || len(resp.Chain) != 2 {
		t.Errorf("a failure has no data: %+v", resp)
	}
	resp = execute(t, e, item.Request{Ref: "tool:broken"})
	refused(t, resp, item.TypeChain, "Executor not found: no/such/runtime.")
	if !slices.Equal(resp.Chain, []string{"broken"}) || resp.ItemID != "tool:broken" || resp.Metadata == nil {
		t.Errorf("the partial chain is missing: %+v", resp)
	}
	refused(t, execute(t, e, item.Request{Ref: "tool:unsigned"}), item.TypeIntegrity, "Unsigned item: ")
	refused(t, execute(t, e, item.Request{Ref: "tool:schema"}), item.TypeUsage, "missing required parameter: command")
	refused(t, execute(t, e, item.Request{Ref: "tool:" + ryetest.Execute}), item.TypeChain, "No command specified")

	resp = execute(t, e, item.Request{Ref: "tool:schem"})
	refused(t, resp, item.TypeNotFound, "Tool not found: schem")
	if !slices.Contains(resp.Hints, "did you mean tool:schema?") {
		t.Errorf("hints %q", resp.Hints)
	}
}

// A dry run is everything but the run: the same refusals, and no effect.
func TestDryRun(t *testing.T) {
	w := ryetest.New(t)
	w.Project.Tool("touch.yaml", shellTool("config_schema: {type: object, properties: {command: {type: string}}}"))
	w.Project.Tool("unsigned-runtime.yaml", ryetest.YAML("r"))
	w.Project.Write(".ai/tools/r.yaml", shellTool())
	w.Project.Tool("no-program.yaml", ryetest.YAML(ryetest.Execute, "config: {command: no-such-program-anywhere}"))
	e := w.Engine()
	touched := w.Project.Path("touched")

	resp := execute(t, e, item.Request{Ref: "touch", DryRun: true, Parameters: map[string]any{"command": "touch " + touched}})
	want := `{"status":"validation_passed","message":"Tool chain validation passed (dry run)","type":"tool","item_id":"tool:touch",` +
		`"chain":["touch","rye/core/primitives/execute"],"validated_pairs":["touch -\u003e rye/core/primitives/execute"],"metadata":{"duration_ms":0}}`
	if got := marshal(t, resp); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if _, err := os.Stat(touched); !os.IsNotExist(err) {
		t.Errorf("a dry run ran the tool: %v", err)
	}
	refused(t, execute(t, e, item.Request{Ref: "touch", DryRun: true, Parameters: map[string]any{"command": 1}}), item.TypeUsage, `parameter "command"`)
	refused(t, execute(t, e, item.Request{Ref: "unsigned-runtime", DryRun: true}), item.TypeIntegrity, "Unsigned item: ")
	refused(t, execute(t, e, item.Request{Ref: "no-program", DryRun: true}), item.TypeUnavailable, "cannot run no-program")
	refused(t, execute(t, e, item.Request{Ref: "none", DryRun: true}), item.TypeNotFound, "Item not found: none")
}

func TestPlainIDs(t *testing.T) {
	w := ryetest.New(t)
	w.Project.Tool("both.yaml", shellTool())
	w.Project.Tool("tool.yaml", shellTool())
	w.Project.Write(".ai/directives/both.md", "")
	w.User.Write(".ai/directives/prose.md", "")
	w.Project.Write(".ai/knowledge/fact.md", "")
	e := w.Engine()
	run := func(ref string) *item.Response {
		return execute(t, e, item.Request{Ref: ref, Parameters: map[string]any{"command": "true"}})
	}

	if resp := run("tool"); resp.Failed() || resp.ItemID != "tool:tool" {
		t.Errorf("got %+v", resp)
	}
	resp := run("both")
	refused(t, resp, item.TypeUsage, "both is ambiguous: it is a tool and a directive")
	if !slices.Equal(resp.Hints, []string{"say which: tool:both or directive:both"}) || resp.ItemID != "both" {
		t.Errorf("item %s, hints %q", resp.ItemID, resp.Hints)
	}
	if resp := run("tool:both"); resp.Failed() {
		t.Errorf("got %+v", resp)
	}
	if resp := run("prose"); resp.ItemID != "directive:prose" {
		t.Errorf("got %+v", resp)
	}
	resp = run("fact")
	refused(t, resp, item.TypeNotFound, "Item not found: fact")
	if !slices.Contains(resp.Hints, "there is a knowledge of that name: rye show knowledge:fact") {
		t.Errorf("hints %q", resp.Hints)
	}
}

// Malformed ids are refused before anything looks at a disk: there is none here to look at.
func TestBadIDsAreRefused(t *testing.T) {
	e, err := engine.New(engine.Options{Project: "/nowhere", User: "/nowhere/else", System: fstest.MapFS{}})
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{
		"", "..", "../x", "a/../../x", "/etc/passwd", "a//b", "a/", "./a", `a\b`, "a\x00b", "a\nb", "a\x1b[31mb", "a\u202eb", "a\xffb",
		strings.Repeat("a/", 300) + "a", strings.Repeat("a", 201),
	} {
		for _, prefix := range []string{"", "tool:", "directive:"} {
			resp := execute(t, e, item.Request{Ref: prefix + id})
			refused(t, resp, item.TypeUsage, "the ")
			if strings.ContainsAny(resp.Error, "\x00\x1b\n\u202e") {
				t.Errorf("the message would steer a terminal: %q", resp.Error)
			}
			if _, err := e.Show(prefix + id); item.TypeOf(err) != item.TypeUsage {
				t.Errorf("show %q: %v", prefix+id, err)
			}
		}
	}
	refused(t, execute(t, e, item.Request{Ref: "script:x"}), item.TypeUsage, "unknown kind")
	refused(t, execute(t, e, item.Request{Ref: "Tool:x"}), item.TypeUsage, "unknown kind")
	refused(t, execute(t, e, item.Request{Ref: "tools:x"}), item.TypeUsage, "unknown kind")
}

// An anchored tool imports what stands beside it, as long as all of it is signed.
func TestDependenciesAreVerifiedBeforeARun(t *testing.T) {
	w := ryetest.New(t)
	w.Project.Tool("my/x.py", "__executor_id__ = \"rye/core/runtimes/python/function\"\nimport helper\ndef execute(p, project):\n    return {\"said\": helper.say()}\n")
	w.Project.Dependency(".ai/tools/my/__init__.py", "")
	w.Project.Dependency(".ai/tools/my/helper.py", "def say():\n    return 'hi'\n")
	e := w.Engine()
	if resp := execute(t, e, item.Request{Ref: "my/x"}); resp.Failed() || marshal(t, resp.Data) != `{"said":"hi"}` {
		t.Errorf("got %s", marshal(t, resp))
	}
	w.Project.Write(".ai/tools/my/planted.py", "")
	refused(t, execute(t, e, item.Request{Ref: "my/x"}), item.TypeIntegrity, "Unsigned item: "+w.Project.Path(".ai/tools/my/planted.py"))
}

// Without an anchor nothing beside the tool was verified, so nothing beside it can be imported.
func TestUnverifiedSiblingsAreNotImported(t *testing.T) {
	for _, runtime := range []string{"script", "function"} {
		w := ryetest.New(t)
		w.Project.Tool("my/x.py", "__executor_id__ = \"rye/core/runtimes/python/"+runtime+"\"\nimport json\ndef execute(p, project):\n    return {\"evil\": hasattr(json, \"evil\")}\n"+
			"if __name__ == \"__main__\":\n    print(json.dumps(execute({}, \"\")))\n")
		w.Project.Write(".ai/tools/my/json.py", "evil = True\ndef dumps(x, **k):\n    return '{\"evil\":true}'\n")
		w.Project.Write("json.py", "evil = True\ndef dumps(x, **k):\n    return '{\"evil\":true}'\n")
		resp := execute(t, w.Engine(), item.Request{Ref: "my/x"})
		if got := marshal(t, resp.Data); resp.Failed() || got != `{"evil":false}` {
			t.Errorf("python/%s: %s", runtime, marshal(t, resp))
		}
	}
}
