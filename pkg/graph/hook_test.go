package graph_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/ryeos/rye/internal/graphtest"
	"github.com/ryeos/rye/pkg/graph"
)

// TestRetry: a retry takes no step, waits longer each time, and ends after max_retries.
func TestRetry(t *testing.T) {
	const nodes = `  start: a
  nodes:
    a: {action: {item_id: "tool:x/y"}, next: b}
    b: {type: return, output: "${state._retries.a}"}
  hooks:
`
	control := `    - {event: error, condition: {path: error.message, op: regex, value: "time.?out"}, action: {item_id: "tool:rye/agent/threads/internal/control", params: {action: retry, max_retries: 2}}}`
	for _, test := range []struct {
		name, hook string
		failures   int
		class      *graph.Classification
		want       string
		waits      []time.Duration
	}{
		{"control", control, 2, nil, `{"status": "completed", "output": 2, "steps": 2}`, []time.Duration{2 * time.Second, 4 * time.Second}},
		{"control, once too often", control, 3, nil, `{"status": "error", "error": "timeout", "steps": 1}`, []time.Duration{2 * time.Second, 4 * time.Second}},
		{"the hook's own form", "    - {event: error, action: {retry: true}}", 3, nil, `{"output": 3}`, []time.Duration{2 * time.Second, 4 * time.Second, 8 * time.Second}},
		{"no hook for this", "    - {event: error, condition: {path: classification.retryable, value: true}, action: {retry: true}}", 1, nil, `{"status": "error"}`, nil},
		{"classified", "    - {event: error, condition: {path: classification.retryable, value: true}, action: {retry: true}}", 1,
			&graph.Classification{Retryable: true, Delay: time.Minute}, `{"status": "completed"}`, []time.Duration{time.Minute}},
		{"the first that asks wins", "    - {event: error, layer: 0, action: {item_id: 'tool:rye/agent/threads/internal/control', params: {action: fail}}}\n" + control, 1, nil,
			`{"status": "error"}`, nil},
		{"saying nothing is not asking", "    - {event: error, layer: 0, action: {item_id: 'tool:rye/agent/threads/internal/control', params: {action: continue}}}\n" + control, 1, nil,
			`{"status": "completed"}`, []time.Duration{2 * time.Second}},
	} {
		t.Run(test.name, func(t *testing.T) {
			var waits []time.Duration
			w := &graphtest.World{Slept: func(d time.Duration) { waits = append(waits, d) }}
			w.Answer = func(a graph.Action) (any, error) {
				if a.Attempt <= test.failures {
					return nil, errors.New("timeout")
				}
				return nil, nil
			}
			opts := options()
			if test.class != nil {
				opts.Classify = func(message, code string, attempt int) graph.Classification { return *test.class }
			}
			wantJSON(t, parse(t, nodes+test.hook).Run(context.Background(), opts, w), test.want)
			if !slices.Equal(waits, test.waits) {
				t.Errorf("waited %v, want %v", waits, test.waits)
			}
		})
	}
}

// TestHooks: which hooks run when, in the order of their layers, and with what.
func TestHooks(t *testing.T) {
	w := &graphtest.World{Answer: failing}
	opts := options()
	extra, problems := graph.ParseHooks([]any{
		map[string]any{"id": "u", "event": "graph_started", "action": map[string]any{"item_id": "tool:h/user", "params": map[string]any{"g": "${graph_id}"}}},
		map[string]any{"id": "broken", "event": "after_step", "action": map[string]any{"item_id": "h/plain"}},
	}, 0)
	if len(extra) != 1 || len(problems) != 1 {
		t.Fatalf("%d hooks and the problems %q", len(extra), problems)
	}
	opts.Hooks = extra
	r := parse(t, `  start: a
  max_steps: 4
  on_error: continue
  nodes:
    a: {action: {item_id: "tool:x/a"}, next: g}
    g: {type: gate, next: b}
    b: {action: {item_id: "tool:x/b", params: {fail: true, error: e}}, next: done}
    done: {type: return, output: 7}
  hooks:
    - {event: graph_started, action: {item_id: "tool:h/started"}}
    - {event: after_step, action: {item_id: "tool:h/after", params: {n: "${node}", s: "${status}", i: "${step_count}", next: "${next_node}"}}}
    - {event: error, action: {item_id: "tool:h/error", params: {m: "${error.message}", c: "${classification.category}", n: "${node}", fail: true, error: "a hook that fails is no harm"}}}
    - {event: limit, action: {item_id: "tool:h/limit"}}
    - {event: graph_completed, actions: [{item_id: "tool:h/one", params: {out: "${output}"}}, {item_id: "tool:h/two"}]}
`).Run(context.Background(), opts, w)
	wantJSON(t, r, `{"status": "completed_with_errors", "steps": 4, "output": 7}`)
	var calls []any
	for _, a := range w.Actions() {
		calls = append(calls, []any{a.Ref.ID, a.Params})
	}
	wantJSON(t, calls, `[["h/user", {"g": "demo/sub/g"}], ["h/started", {}], ["x/a", {}], ["h/after", {"n": "a", "s": "ok", "i": 1, "next": "g"}],
		["x/b", {"fail": true, "error": "e"}], ["h/error", {"m": "e", "c": "permanent", "n": "b", "fail": true, "error": "a hook that fails is no harm"}],
		["h/after", {"n": "b", "s": "error", "i": 3, "next": "done"}], ["h/one", {"out": 7}], ["h/two", {}]]`)
}

func TestLimitHook(t *testing.T) {
	w := &graphtest.World{}
	run(t, `  start: a
  max_steps: 2
  nodes: {a: {type: gate, next: a}}
  hooks:
    - {event: limit, condition: {path: limit_code, value: max_steps_exceeded}, action: {item_id: "tool:h/limit", params: {c: "${current_value}", m: "${current_max}"}}}
    - {event: graph_completed, action: {item_id: "tool:h/never"}}`, w)
	if a := w.Actions(); len(a) != 1 {
		t.Errorf("executed %v", a)
	} else {
		wantJSON(t, a[0].Params, `{"c": 2, "m": 2}`)
	}
}

// TestRetryOfARun: a run that ended in an error is over, until somebody asks for another attempt.
func TestRetryOfARun(t *testing.T) {
	g := parse(t, "  start: a\n  nodes:\n    a: {action: {item_id: 'tool:x/y'}, next: b}\n    b: {action: {item_id: 'tool:x/z'}}")
	w := &graphtest.World{Answer: func(a graph.Action) (any, error) {
		if a.Ref.ID == "x/z" && a.Attempt == 1 {
			return nil, errors.New("no")
		}
		return nil, nil
	}}
	opts := options()
	opts.Journal = &graphtest.Journal{}
	wantJSON(t, g.Run(context.Background(), opts, w), `{"status": "error", "error": "no", "node": "b", "steps": 2}`)
	opts.Resume = true
	wantJSON(t, g.Run(context.Background(), opts, w), `{"status": "error", "error": "no", "node": "b", "steps": 2}`)
	opts.Retry = true
	wantJSON(t, g.Run(context.Background(), opts, w), `{"status": "completed", "steps": 2}`)
	if got := nodes(w); got != "a b b" {
		t.Errorf("executed %s", got)
	}
	if a := w.Actions(); a[1].Key == a[2].Key {
		t.Error("another attempt is another effect, with another key")
	}
	opts.Resume, opts.Retry = false, false
	wantJSON(t, g.Run(context.Background(), opts, w), `{"status": "error", "code": "journal_failed", "error": "the run run exists: resume it, or start under another id"}`)
	other := parse(t, "  start: a\n  nodes:\n    a: {action: {item_id: 'tool:x/other'}}")
	opts.Resume = true
	wantJSON(t, other.Run(context.Background(), opts, w), `{"status": "error", "code": "resume_graph_changed"}`)
}

// TestHookKilled: that a node has failed is known before its hooks run, whenever they are killed.
func TestHookKilled(t *testing.T) {
	g := parse(t, `  start: a
  nodes: {a: {action: {item_id: "tool:x/y", params: {fail: true, error: broken}}}}
  hooks: [{id: h, event: error, action: {item_id: "tool:h/error"}}]`)
	opts, w := options(), &graphtest.World{Answer: failing}
	dying := &graphtest.Journal{Kill: 5} // begin, a's intent and failure, h's intent, and no result
	opts.Journal = dying
	g.Run(context.Background(), opts, w)
	opts.Journal, opts.Resume = dying.Revived(0, false), true
	wantJSON(t, g.Run(context.Background(), opts, w), `{"status": "unknown", "unknown": [{"step": 1, "hook": "h", "action": "tool:h/error"}]}`)
	opts.Retry = true
	wantJSON(t, g.Run(context.Background(), opts, w), `{"status": "error", "error": "broken", "node": "a"}`)
	if got := nodes(w); got != "a hook h hook h" {
		t.Errorf("executed %s", got)
	}
}
