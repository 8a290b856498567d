package graph_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/ryeos/rye/internal/graphtest"
	"github.com/ryeos/rye/pkg/graph"
)

const twoSteps = `  start: a
  state: {x: 0}
  nodes:
    a: {action: {item_id: "tool:x/y"}, assign: {x: 1}, next: b}
    b: {action: {item_id: "tool:x/y", params: {x: "${state.x}"}}, assign: {y: "${result.x}"}, next: [{to: c, when: {path: state.y, op: exists}}]}
    c: {type: return, output: "${state.y}"}`

// TestStep: one node and nothing else, on a given state or on that of a run, which stays where it is.
func TestStep(t *testing.T) {
	g := parse(t, twoSteps)
	opts := options()
	opts.State = map[string]any{"x": 7}
	w := &graphtest.World{}
	wantJSON(t, g.Step(context.Background(), "b", opts, w),
		`{"success": true, "executed_node": "b", "next_node": "c", "step_count": 1, "state": {"x": 7, "y": 7, "inputs": {"dir": "/tmp", "n": 5, "items": ["a", "b", "c"]}}}`)
	wantJSON(t, g.Step(context.Background(), "c", opts, w), `{"success": true, "executed_node": "c", "next_node": null, "output": null}`)
	wantJSON(t, g.Step(context.Background(), "z", opts, w), `{"success": false, "error": "Target node 'z' not found in graph", "code": "target_node_not_found"}`)
	if got := nodes(w); got != "b" {
		t.Errorf("executed %s", got)
	}

	j := &graphtest.Journal{Kill: 4} // the second step's intent
	opts.State, opts.Journal = nil, j
	g.Run(context.Background(), opts, w)
	dead := j.Revived(0, false)
	opts.Journal, opts.Resume = dead, true
	wantJSON(t, g.Step(context.Background(), "b", opts, w), `{"success": true, "executed_node": "b", "next_node": "c", "step_count": 2, "state": {"x": 1, "y": 1, "inputs": {"dir": "/tmp", "n": 5, "items": ["a", "b", "c"]}}}`)
	if dead.Writes() != 0 {
		t.Error("the step wrote to the journal of the run")
	}

	failing := &graphtest.World{Answer: func(graph.Action) (any, error) { return nil, errors.New("broken") }}
	wantJSON(t, g.Step(context.Background(), "a", options(), failing), `{"success": false, "error": "broken", "node": "a", "executed_node": "a", "step_count": 1}`)
}

func TestInvoke(t *testing.T) {
	g := parse(t, "  start: a\n  nodes: {a: {type: return}}")
	in, err := g.Invoke(map[string]any{
		"dir": "/x", "max_steps": json.Number("7"), "max_concurrency": 2, "async": true, "validate": true, "node": "a", "retry": true,
		"resume_run_id": "r", "inject_state": map[string]any{"k": 1}, "capabilities": []any{"rye.*"}, "limits": map[string]any{"turns": 3}, "depth": 5,
	})
	if err != nil {
		t.Fatal(err)
	}
	wantJSON(t, in, `{"Inputs": {"dir": "/x"}, "MaxSteps": 7, "MaxConcurrency": 2, "Async": true, "Validate": true, "Node": "a", "Resume": true, "Retry": true,
		"RunID": "r", "State": {"k": 1}, "Caller": ["rye.*"], "Limits": {"turns": 3}, "Depth": 5}`)

	// A graph that declares one of the names has it as an input.
	own, err := graph.Parse("g.yaml", []byte("permissions: [x]\nconfig_schema: {type: object, properties: {node: {type: string}}}\nconfig: {start: a, nodes: {a: {type: return}}}"))
	if err != nil {
		t.Fatal(err)
	}
	if in, err := own.Invoke(map[string]any{"node": "mine"}); err != nil || in.Node != "" || in.Inputs["node"] != "mine" {
		t.Errorf("%+v, %v", in, err)
	}
	for params, want := range map[string]string{
		`{"resume": true}`: "resume needs graph_run_id", `{"max_steps": 0}`: "max_steps must be a positive whole number", `{"node": 1}`: "node must be a text",
		`{"capabilities": [1]}`: "capabilities must be a list", `{"inject_state": 1}`: "inject_state must be a mapping", `{"resume": "yes"}`: "resume must be true or false",
	} {
		var m map[string]any
		if err := json.Unmarshal([]byte(params), &m); err != nil {
			t.Fatal(err)
		}
		if _, err := g.Invoke(m); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", params, err, want)
		}
	}
}

// TestCache: the same action in the same graph is executed once; errors, other actions and other versions are not cached.
func TestCache(t *testing.T) {
	const config = `  start: a
  nodes:
    a: {action: {item_id: "tool:x/y", params: {dir: "${inputs.dir}"}}, CACHE: true, on_error: b, next: b}
    b: {type: foreach, over: [1, 1, 2], action: {item_id: "tool:x/y", params: {i: "${item}"}}, CACHE: true, collect: out, next: c}
    c: {type: return, output: "${state.out}"}`
	for _, name := range []string{"cache_result", "cache"} {
		g := parse(t, strings.ReplaceAll(config, "CACHE", name))
		cache := &graphtest.Cache{}
		executed := func(change func(*graph.Options), answer func(graph.Action) (any, error)) int {
			w, opts := &graphtest.World{Answer: answer}, options()
			opts.Cache = cache
			if change != nil {
				change(&opts)
			}
			r := g.Run(context.Background(), opts, w)
			if answer == nil {
				wantJSON(t, r.Output, `[{"i": 1}, {"i": 1}, {"i": 2}]`)
			}
			return len(w.Actions())
		}
		if n := executed(nil, func(graph.Action) (any, error) { return nil, errors.New("no") }); n != 4 {
			t.Errorf("%s: %d executed when all fail", name, n)
		}
		if n := executed(nil, nil); n != 3 || cache.Len() != 3 {
			t.Errorf("%s: %d executed at first, %d cached", name, n, cache.Len())
		}
		if n := executed(nil, nil); n != 0 {
			t.Errorf("%s: %d executed again", name, n)
		}
		if n := executed(func(o *graph.Options) { o.Inputs["dir"] = "/other" }, nil); n != 1 {
			t.Errorf("%s: %d executed with another input", name, n)
		}
		cache.Version = "2"
		if n := executed(nil, nil); n != 3 {
			t.Errorf("%s: %d executed after the item has changed", name, n)
		}
	}
}

func TestEvents(t *testing.T) {
	w := &graphtest.World{Answer: failing}
	run(t, `  start: a
  nodes:
    a: {action: {item_id: "tool:x/y", params: {gone: "${state.gone}", fail: true, error: broken}}, on_error: b}
    b: {type: return}`, w)
	wantJSON(t, w.Events("graph_started")[0].Payload, `{"graph_id": "demo/sub/g", "graph_run_id": "run", "start_node": "a"}`)
	wantJSON(t, w.Events("step_started")[0].Payload, `{"step": 1, "node": "a", "action_id": "tool:x/y"}`)
	wantJSON(t, w.Events("step_started")[1].Payload, `{"step": 2, "node": "b", "node_type": "return"}`)
	completed := w.Events("step_completed")[0].Payload
	wantJSON(t, completed, `{"step": 1, "node": "a", "status": "error", "error": "broken", "next_node": "b", "cache_hit": false, "elapsed_s": 0, "action_id": "tool:x/y"}`)
	for _, name := range []string{"node_input_hash", "node_result_hash"} {
		if hash, _ := completed[name].(string); len(hash) != 64 {
			t.Errorf("%s is %q", name, hash)
		}
	}
	wantJSON(t, w.Events("graph_completed")[0].Payload, `{"status": "completed", "steps": 2, "elapsed_s": 0}`)
	if warnings := w.Events("warning"); len(warnings) != 1 || warnings[0].Payload["message"] != "${state.gone} is null" {
		t.Errorf("the warnings are %v", warnings)
	}
	checkpoints := w.Events("state_checkpoint")
	wantJSON(t, checkpoints[0].Payload, `{"step": 1, "current_node": "b"}`)

	// The hash depends on everything that happened.
	other := &graphtest.World{}
	run(t, "  start: a\n  nodes:\n    a: {action: {item_id: 'tool:x/y'}, assign: {x: 1}, next: b}\n    b: {type: return}", other)
	if hash := checkpoints[0].Payload["state_hash"]; hash == other.Events("state_checkpoint")[0].Payload["state_hash"] || len(hash.(string)) != 64 {
		t.Errorf("the state hash %v is the same for another state", hash)
	}
}

func TestProgress(t *testing.T) {
	var out strings.Builder
	progress := graph.Progress(&out, "demo/g")
	w := &graphtest.World{Answer: failing}
	run(t, `  start: a
  nodes:
    a: {action: {item_id: "tool:x/y"}, assign: {k: 1, "l\e": 2}, next: b}
    b: {action: {item_id: "tool:x/y", params: {fail: true, error: "bro\eken\nmore"}}}`, w)
	for _, kind := range []string{"graph_started", "step_completed", "graph_error"} {
		for _, e := range w.Events(kind) {
			progress(e)
		}
	}
	want := "[graph:demo/g] step 1/100 a ✓ 0.0s (+k, l\\x1b)\n[graph:demo/g] ✗ error after 2 steps, 0.0s (bro\\x1bken)\n"
	if out.String() != want {
		t.Errorf("got\n%s\nwant\n%s", out.String(), want)
	}
}
