package graph_test

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"github.com/ryeos/rye/internal/graphtest"
	"github.com/ryeos/rye/pkg/graph"
)

const each = `  start: each
  state: {k: v, it: mine}
  nodes:
    each: {type: foreach, over: "${inputs.items}", as: it, %s action: {item_id: "tool:x/y", params: {it: "${it}", s: "${state.it}", k: "${state.k}"}}, collect: out, next: done}
    done: {type: return, output: {out: "${state.out}", it: "${state.it}"}}`

// TestForeach: results are in the order of the items, and parallel actions see the same as sequential ones.
func TestForeach(t *testing.T) {
	for _, mode := range []string{"", "parallel: true,", "parallel: true, max_concurrency: 2,"} {
		t.Run(mode, func(t *testing.T) {
			w := &graphtest.World{}
			wantJSON(t, run(t, fmt.Sprintf(each, mode), w), `{"status": "completed", "steps": 2, "output": {"it": "mine", "out": [
				{"it": "a", "s": "a", "k": "v"}, {"it": "b", "s": "b", "k": "v"}, {"it": "c", "s": "c", "k": "v"}]}}`)
			if events := w.Events("foreach_completed"); len(events) != 1 || events[0].Payload["next_node"] != "done" {
				t.Errorf("the events are %v", events)
			}
		})
	}
}

// TestForeachConcurrency: the actions of one foreach do run at once, as many as allowed and no more.
func TestForeachConcurrency(t *testing.T) {
	for mode, want := range map[string]int{"": 1, "parallel: true,": 3, "parallel: true, max_concurrency: 2,": 2} {
		var mu sync.Mutex
		running, most := 0, 0
		full := make(chan struct{})
		w := &graphtest.World{Answer: func(a graph.Action) (any, error) {
			mu.Lock()
			running++
			if most = max(most, running); running == want && most == want {
				select {
				case <-full:
				default:
					close(full)
				}
			}
			mu.Unlock()
			<-full // until as many run as may: fewer would wait for ever
			mu.Lock()
			running--
			mu.Unlock()
			return nil, nil
		}}
		if r := run(t, fmt.Sprintf(each, mode), w); !r.Success || most != want {
			t.Errorf("%q: %d at once, want %d: %+v", mode, most, want, r)
		}
	}
}

func TestForeachResults(t *testing.T) {
	answer := func(a graph.Action) (any, error) {
		switch a.Params["it"] {
		case "a":
			return map[string]any{"status": "error", "error": "broken"}, nil
		case "b":
			return map[string]any{"data": map[string]any{"thread_id": "t", "status": "running"}}, nil
		}
		return map[string]any{"data": map[string]any{"thread_id": "t", "outputs": 1}}, nil
	}
	wantJSON(t, run(t, fmt.Sprintf(each, ""), &graphtest.World{Answer: answer}), `{"success": true, "status": "completed_with_errors",
		"errors": [{"step": 1, "node": "each", "item": 0, "error": "broken"}],
		"output": {"it": "mine", "out": [{"status": "error", "error": "broken"}, "t", {"thread_id": "t", "outputs": 1}]}}`)

	// An edge for errors is taken once all items are over.
	w := &graphtest.World{Answer: answer}
	wantJSON(t, run(t, `  start: each
  nodes:
    each: {type: foreach, over: "${inputs.items}", action: {item_id: "tool:x/y", params: {it: "${item}"}}, on_error: bad}
    bad: {type: return, output: "${state._last_error.error}"}`, w), `{"status": "completed", "output": "broken"}`)
	if len(w.Actions()) != 3 {
		t.Errorf("%d items were executed", len(w.Actions()))
	}
}

func TestForeachOverNothing(t *testing.T) {
	for _, over := range []string{"${inputs.dir}", "${gone}", "${inputs.n}", "[]"} {
		w := &graphtest.World{}
		r := run(t, fmt.Sprintf("  start: e\n  nodes:\n    e: {type: foreach, over: %q, action: {item_id: 'tool:x/y'}, collect: out, next: d}\n    d: {type: return, output: '${state.out}'}", over), w)
		wantJSON(t, r, `{"status": "completed", "output": []}`)
		if len(w.Actions()) != 0 {
			t.Errorf("%s gave items", over)
		}
	}
}

// TestForeachResume: only what has no receipt is executed, and what may have happened is named before anything is.
func TestForeachResume(t *testing.T) {
	g := parse(t, fmt.Sprintf(each, ""))
	opts := options()
	killed := &graphtest.Journal{Kill: 5} // begin, a's intent and receipt, b's intent, and no receipt
	opts.Journal = killed
	w := &graphtest.World{}
	wantJSON(t, g.Run(context.Background(), opts, w), `{"status": "error", "code": "journal_failed"}`)

	opts.Journal, opts.Resume = killed.Revived(0, false), true
	wantJSON(t, g.Run(context.Background(), opts, w), `{"status": "unknown", "unknown": [{"step": 1, "node": "each", "item": 1, "action": "tool:x/y"}]}`)
	if len(w.Actions()) != 2 {
		t.Errorf("%d actions ran although something is unknown", len(w.Actions()))
	}
	opts.Repeatable = func(a graph.Action) bool { return a.Params["it"] == "b" }
	wantJSON(t, g.Run(context.Background(), opts, w), `{"status": "completed", "steps": 2}`)
	var items []any
	for _, a := range w.Actions() {
		items = append(items, a.Params["it"])
	}
	wantJSON(t, map[string]any{"items": items}, `{"items": ["a", "b", "b", "c"]}`)
	if a := w.Actions(); a[1].Key != a[2].Key || a[1].Key == a[3].Key {
		t.Error("a repeated action must have its old key, and no other")
	}
}
