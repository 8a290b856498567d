package graph_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/ryeos/rye/internal/graphtest"
	"github.com/ryeos/rye/pkg/graph"
)

// TestRun is spec/rye-agent §3.5 to §3.7: one graph a line, and what becomes of it.
func TestRun(t *testing.T) {
	tests := []struct{ name, config, want string }{
		{"a return with values that keep their types", `
  start: a
  state: {seen: 0, none: null}
  nodes:
    a: {action: {item_id: "tool:x/y", params: {n: "${inputs.n}", none: "${state.none}", list: [null, {a: null}]}}, assign: {got: "${result}", n: "${result.n}"}, next: b}
    b: {type: return, output: {n: "${state.n}", text: "n=${state.n}", got: "${state.got}", at: "${_now}", ms: "${_timestamp}"}}`,
			`{"success": true, "status": "completed", "steps": 2, "graph_run_id": "run", "error": null, "state": null,
			  "output": {"n": 5, "text": "n=5", "got": {"n": 5, "list": [null, {}]}, "at": "2026-01-02T03:04:05Z", "ms": 1767323045000}}`},
		{"a dead end is a return without output", `
  start: a
  nodes:
    a: {type: gate, next: [{to: b, when: {path: inputs.n, value: 6}}]}
    b: {type: return, output: never}`,
			`{"success": true, "status": "completed", "output": {}, "steps": 1}`},
		{"a gate assigns before it chooses, and later assignments see earlier ones", `
  start: a
  nodes:
    a: {type: gate, assign: {y: 2, x: "${state.y}", r: "${result.z}"}, next: [{to: no, when: {path: state.x, op: ne, value: 2}}, {to: yes, when: {path: result, value: {}}}, {to: no}]}
    yes: {type: return, output: "${state.x}"}
    no: {type: return, output: no}`, `{"output": 2, "steps": 2}`},
		{"the first edge that holds wins", `
  start: a
  nodes:
    a: {action: {item_id: "tool:x/y"}, next: [{to: no, when: {path: result.gone, op: exists}}, {to: yes}, {to: no}]}
    yes: {type: return, output: yes}
    no: {type: return, output: no}`, `{"output": "yes"}`},
		{"an error ends the run", `
  start: a
  nodes:
    a: {action: {item_id: "tool:x/y", params: {fail: true, error: broken}}, assign: {never: 1}, next: b}
    b: {type: return}`,
			`{"success": false, "status": "error", "error": "broken", "node": "a", "code": "node_error", "phase": "execution", "steps": 1,
			  "state": {"inputs": {"dir": "/tmp", "n": 5, "items": ["a", "b", "c"]}, "_last_error": {"node": "a", "error": "broken"}}}`},
		{"an edge for errors", `
  start: a
  nodes:
    a: {action: {item_id: "tool:x/y", params: {fail: true, error: broken}}, assign: {never: 1}, on_error: bad, next: good}
    good: {type: return, output: good}
    bad: {type: return, output: "${state._last_error.node}: ${state._last_error.error}${state.never}"}`,
			`{"success": true, "status": "completed", "output": "a: broken", "steps": 2, "errors": null}`},
		{"errors that do not matter", `
  start: a
  on_error: continue
  nodes:
    a: {action: {item_id: "tool:x/y", params: {fail: true, error: broken}}, assign: {never: 1}, next: b}
    b: {type: return, output: "${state.never || state._last_error.node}"}`,
			`{"success": true, "status": "completed_with_errors", "output": "a", "errors_suppressed": 1, "errors": [{"step": 1, "node": "a", "error": "broken"}]}`},
		{"a loop that never ends", `
  start: a
  max_steps: 3
  state: {n: 0}
  nodes:
    a: {type: gate, assign: {n: "${_timestamp}"}, next: a}`,
			`{"success": false, "status": "error", "error": "Max steps exceeded (3)", "code": "max_steps_exceeded", "steps": 3,
			  "state": {"n": 1767323045000, "inputs": {"dir": "/tmp", "n": 5, "items": ["a", "b", "c"]}}}`},
		{"the last step may be the last that is allowed", `
  start: a
  max_steps: 2
  nodes:
    a: {type: gate, next: b}
    b: {type: return, output: 1}`, `{"success": true, "output": 1, "steps": 2}`},
		{"item ids are templates, kinds of older files count, nulls go", `
  start: a
  nodes:
    a: {action: {item_type: tool, item_id: "x/${inputs.n}", params: {gone: "${inputs.gone}", item: "{input:dir}/x"}}, assign: {r: "${result}"}, next: b}
    b: {type: return, output: "${state.r}"}`, `{"output": {"item": "/tmp/x"}}`},
		{"a value that doubles is stopped", `
  start: a
  nodes:
    a: {type: gate, assign: {s: "0123456789abcdefghijklmnopqrstuvwxyz${state.s}${state.s}${state.s}${state.s}${state.s}${state.s}${state.s}${state.s}${state.s}${state.s}"}, next: a}`,
			`{"success": false, "error": "the text becomes longer than 64 MiB", "node": "a", "code": "node_error"}`},
		{"the state in the state is a copy", `
  start: a
  nodes:
    a: {type: gate, assign: {x: "${state}"}, next: b}
    b: {type: return, output: "${state.x.x || state.x.inputs.n}"}`, `{"output": 5}`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			wantJSON(t, run(t, test.config[1:], &graphtest.World{Answer: failing}), test.want)
		})
	}
}

// TestRunStartup: what keeps a run from starting, before anything happened.
func TestRunStartup(t *testing.T) {
	const good = "  start: a\n  max_steps: 5\n  max_concurrency: 1\n  nodes: {a: {action: {item_id: 'tool:x/y'}, env_requires: [HOME, GONE]}}\n"
	vars := map[string]string{"HOME": "/h", "GONE": "x"}
	tests := []struct {
		name, config string
		vars         map[string]string
		change       func(*graph.Options)
		want         string
	}{
		{"invalid", "  start: z\n  nodes: {a: {type: gate, next: b}}\n", vars, nil,
			`{"code": "graph_validation_failed", "error": "Graph validation failed: [\"start node 'z' not found in nodes\", \"node 'a' references unknown node 'b'\"]"}`},
		{"environment", good, map[string]string{"HOME": "/h"}, nil,
			`{"code": "missing_environment_variables", "error": "Missing environment variables: [\"node 'a' (tool:x/y) requires 'GONE'\"]"}`},
		{"inputs", good, vars, func(o *graph.Options) { o.Inputs = nil },
			`{"code": "input_validation_failed", "error": "Input validation failed: [\"missing required input: 'dir'\"]"}`},
		{"steps", "  start: a\n  nodes: {a: {type: gate}}\n", nil, func(o *graph.Options) { o.MaxSteps = 0 },
			`{"code": "not_configured", "error": "max_steps not configured — check execution.yaml defaults"}`},
		{"concurrency", "  start: a\n  nodes: {a: {type: gate}}\n", nil, func(o *graph.Options) { o.MaxConcurrency = 0 },
			`{"code": "not_configured", "error": "max_concurrency not configured — check execution.yaml defaults"}`},
		{"nothing to resume", good, vars, func(o *graph.Options) { o.Resume, o.Journal = true, &graphtest.Journal{} },
			`{"code": "resume_state_not_found", "error": "Cannot resume: state not found or signature invalid for demo/sub/g/run"}`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			opts := options()
			if test.change != nil {
				test.change(&opts)
			}
			w := &graphtest.World{Vars: test.vars}
			r := parse(t, test.config).Run(context.Background(), opts, w)
			wantJSON(t, r, test.want)
			if r.Success || r.Status != graph.StatusError || r.Phase != "startup" || r.ErrorType() == "" || len(w.Actions()) != 0 {
				t.Errorf("the result is %+v after %d actions", r, len(w.Actions()))
			}
		})
	}
}

// TestUnwrap: what an expression sees of a response (spec/rye-agent §3.6).
func TestUnwrap(t *testing.T) {
	for _, test := range []struct {
		response any
		err      error
		want     string // the result, or the error
	}{
		{nil, nil, `{}`}, {"text", nil, `{"result": "text"}`}, {[]any{1}, nil, `{"result": [1]}`},
		{map[string]any{"status": "success", "data": map[string]any{"a": 1, "chain": 2, "path": "p"}, "chain": 3}, nil, `{"a": 1}`},
		{map[string]any{"status": "success", "data": []any{1}, "metadata": 1, "item_id": "x"}, nil, `{"status": "success", "data": [1], "item_id": "x"}`},
		{map[string]any{"status": "error", "error": "e1", "data": map[string]any{"a": 1}}, nil, `"e1"`},
		{map[string]any{"status": "error", "error": "e1", "data": map[string]any{"error": "e2"}}, nil, `"e2"`},
		{map[string]any{"status": "success", "data": map[string]any{"success": false, "stderr": "e3"}}, nil, `"e3"`},
		{map[string]any{"success": false, "error": map[string]any{"message": "e4"}}, nil, `"e4"`},
		{nil, errors.New("e5"), `"e5"`},
		{func() {}, nil, `"the result of tool:x/y cannot be used: the value has no JSON form: json: unsupported type: func()"`},
	} {
		w := &graphtest.World{Answer: func(graph.Action) (any, error) { return test.response, test.err }}
		r := run(t, `  start: a
  nodes:
    a: {action: {item_id: "tool:x/y"}, assign: {r: "${result}"}, on_error: bad, next: good}
    good: {type: return, output: "${state.r}"}
    bad: {type: return, output: "${state._last_error.error}"}`, w)
		wantJSON(t, map[string]any{"r": r.Output}, `{"r": `+test.want+`}`)
	}
}

// TestActions: how directives, remotes and threads are called.
func TestActions(t *testing.T) {
	w := &graphtest.World{}
	run(t, `  start: a
  nodes:
    a: {action: {item_id: "directive:d/x"}, remote: gpu, next: b}
    b: {action: {item_id: "tool:rye/agent/threads/thread_directive", params: {directive: d}}, next: c}
    c: {action: {item_id: "tool:rye/agent/threads/thread_directive", params: {parent_thread_id: mine}}, next: d}
    d: {action: {primary: fetch, params: {query: q, scope: knowledge.demo}}}`, w)
	a := w.Actions()
	if len(a) != 4 {
		t.Fatalf("%d actions", len(a))
	}
	for i, want := range []string{
		`{"Thread": "fork", "Target": "remote:gpu", "Primary": "execute", "Attempt": 1, "RunID": "run", "Node": "a"}`,
		`{"Thread": "inline", "Target": "local", "Params": {"directive": "d", "parent_thread_id": "run"}}`,
		`{"Params": {"parent_thread_id": "mine"}}`,
		`{"Primary": "fetch", "Ref": {"Kind": "", "ID": ""}, "Params": {"query": "q", "scope": "knowledge.demo"}}`,
	} {
		wantJSON(t, a[i], want)
	}
	if a[0].Key == a[1].Key || strings.TrimSpace(a[0].Key) == "" {
		t.Errorf("the keys %q and %q do not tell the effects apart", a[0].Key, a[1].Key)
	}
}

func TestCancel(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	j := &graphtest.Journal{}
	w := &graphtest.World{Answer: func(a graph.Action) (any, error) {
		if a.Node == "b" {
			cancel()
			return nil, ctx.Err()
		}
		return graphtest.Echo(a)
	}}
	g := parse(t, `  start: a
  nodes:
    a: {action: {item_id: "tool:x/y"}, next: b}
    b: {action: {item_id: "tool:x/y"}, next: c}
    c: {action: {item_id: "tool:x/y"}}`)
	opts := options()
	opts.Journal = j
	r := g.Run(ctx, opts, w)
	wantJSON(t, r, `{"success": false, "status": "cancelled", "code": "cancelled", "steps": 1}`)
	if len(w.Events("graph_cancelled")) != 1 {
		t.Error("nobody was told that the run was cancelled")
	}

	// What was under way may have happened: a resumed run says so, until it is told to go on.
	opts.Resume = true
	w.Answer = nil
	r = g.Run(context.Background(), opts, w)
	wantJSON(t, r, `{"status": "unknown", "node": "b", "unknown": [{"step": 2, "node": "b", "action": "tool:x/y"}]}`)
	opts.Retry = true
	r = g.Run(context.Background(), opts, w)
	wantJSON(t, r, `{"status": "completed", "steps": 3}`)
	if got := nodes(w); got != "a b b c" {
		t.Errorf("executed %s", got)
	}
}

// TestCancelBetweenSteps: gates are no exception.
func TestCancelBetweenSteps(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	r := parse(t, "  start: a\n  nodes: {a: {type: gate, next: a}}").Run(ctx, options(), &graphtest.World{})
	wantJSON(t, r, `{"status": "cancelled", "steps": 0}`)
}
