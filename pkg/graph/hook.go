package graph

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/ryeos/rye/pkg/item"
	"github.com/ryeos/rye/pkg/template"
)

// Hook is what to do on an event of a run: graph_started, after_step, error, limit or graph_completed.
type Hook struct {
	ID         string
	Event      string
	Layer      int
	Condition  *template.Condition
	Calls      []Call
	Retry      bool // `action: {retry: true}`: on error, execute the node again
	MaxRetries int  // of Retry
	Idempotent bool
}

// graphLayer is where the hooks of a graph stand among those of users (0), rye (2), projects (3) and its machinery (4).
const graphLayer = 1

// ParseHooks reads hooks that do not come from the graph: those of configuration files, as their `hooks` lists them.
// It gives what it understands, and says what is wrong with the rest.
func ParseHooks(list []any, layer int) ([]Hook, []string) {
	p := &parser{graph: &Graph{}}
	var hooks []Hook
	for _, f := range (field{parser: p, path: []string{"hooks"}}).elements(ordered(list).([]any)) {
		before := len(p.graph.issues)
		hook := p.hook(f, len(hooks))
		if f.at("layer").value == nil {
			hook.Layer = layer
		}
		if len(p.graph.issues) == before {
			hooks = append(hooks, hook)
		}
	}
	var problems []string
	for _, issue := range slices.Concat(p.graph.issues, p.graph.notes) {
		problems = append(problems, issue.Message)
	}
	return hooks, problems
}

// ordered is a value as files give it, whose mappings have an order.
func ordered(v any) any {
	switch v := v.(type) {
	case []any:
		list := make([]any, len(v))
		for i, e := range v {
			list[i] = ordered(e)
		}
		return list
	case map[string]any:
		object := item.NewObject()
		for _, key := range slices.Sorted(maps.Keys(v)) {
			object.Set(key, ordered(v[key]))
		}
		return object
	}
	return v
}

func (p *parser) hook(f field, n int) Hook {
	f.object()
	h := Hook{
		ID: f.at("id").text(), Event: f.at("event").text(), Layer: graphLayer,
		Condition: f.at("condition").condition(), Idempotent: f.at("idempotent").flag(),
	}
	if h.ID == "" {
		h.ID = fmt.Sprintf("hook-%d", n+1)
	}
	if layer, ok := item.Float(f.at("layer").value); ok {
		h.Layer = int(layer)
	}
	if h.Event == "" {
		f.fail("needs an event, as in after_step")
	}
	action := f.at("action")
	if retry := action.at("retry"); retry.value != nil {
		h.Retry = retry.flag()
		h.MaxRetries = cmp.Or(action.at("max_retries").count(), defaultRetries)
		return h
	}
	if call := p.call(action); call != nil {
		h.Calls = append(h.Calls, *call)
	}
	for _, a := range f.at("actions").list() {
		if call := p.call(a); call != nil {
			h.Calls = append(h.Calls, *call)
		}
	}
	return h
}

// distinct gives every hook an id of its own: the journal knows its effects by that.
func distinct(hooks []Hook) []Hook {
	seen := map[string]int{}
	for i := range hooks {
		id := hooks[i].ID
		if seen[id]++; seen[id] > 1 {
			hooks[i].ID = fmt.Sprintf("%s#%d", id, seen[id])
		}
	}
	return hooks
}

// hooksOf gives the hooks for an event in the order in which they run.
func hooksOf(hooks []Hook, event string) []Hook {
	var chosen []Hook
	for _, h := range hooks {
		if h.Event == event {
			chosen = append(chosen, h)
		}
	}
	slices.SortStableFunc(chosen, func(a, b Hook) int { return a.Layer - b.Layer })
	return chosen
}

// controlTool is the item through which hooks steer. It has no effect of its own, so the walker answers it itself.
var controlTool = item.Ref{Kind: item.Tool, ID: internalPrefix + "control"}

// control is what a hook asks of the run: in a graph, to retry. What else the control tool knows (spec/rye-agent §2.7)
// only keeps later hooks from asking for a retry: errors are for the graph's own edges.
type control struct {
	action     string
	maxRetries int
}

const defaultRetries = 3

// controlOf reads what a hook's action answered: for the control tool its own parameters. Most answers ask for nothing.
func controlOf(answer map[string]any) *control {
	action, ok := answer["action"].(string)
	if !ok || action == "continue" || action == "skip" {
		return nil
	}
	c := &control{action: action, maxRetries: defaultRetries}
	if n, ok := item.Float(answer["max_retries"]); ok && n >= 0 && n <= maxCount {
		c.maxRetries = int(n)
	}
	return c
}
