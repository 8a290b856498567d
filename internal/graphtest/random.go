package graphtest

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
)

// Source is a random state graph as YAML, always the same for a seed. It validates, ends by its own limits, and names
// every kind of node, edge, error policy and hook that there is.
func Source(seed uint64) []byte {
	g := &generator{Rand: rand.New(rand.NewPCG(seed, 1)), nodes: map[string]any{}}
	for i := range 2 + g.IntN(7) {
		g.names = append(g.names, fmt.Sprintf("n%d", i))
	}
	for _, name := range g.names {
		g.nodes[name] = g.node()
	}
	config := map[string]any{
		"start": "n0", "nodes": g.nodes, "max_steps": 1 + g.IntN(15), "max_concurrency": 1 + g.IntN(4),
		"on_error": g.pick("fail", "continue"), "state": map[string]any{"k0": 0, "list": []any{1, "b", nil}}, "hooks": g.hooks(),
	}
	source, err := json.Marshal(map[string]any{
		"version": "1.0.0", "tool_type": "graph", "executor_id": "rye/core/runtimes/state-graph/runtime", "category": "random",
		"permissions": []string{"rye.execute.*"}, "config": config,
	})
	if err != nil {
		panic(err) // it is made of texts and numbers
	}
	return source
}

type generator struct {
	*rand.Rand
	names []string
	nodes map[string]any
}

func (g *generator) chance(percent int) bool { return g.IntN(100) < percent }

func (g *generator) pick(words ...string) string { return words[g.IntN(len(words))] }

func (g *generator) node() map[string]any {
	n := map[string]any{}
	switch k := g.IntN(10); {
	case k < 1:
		return map[string]any{"type": "return", "output": map[string]any{"all": "${state}", "n": g.expression()}}
	case k < 3:
		n["type"], n["assign"] = "gate", g.assign()
	case k < 6:
		n["type"], n["over"], n["as"] = "foreach", g.pick("${state.list}", "${inputs.items}", "${state.k1.list || inputs.items}"), "it"
		n["action"], n["parallel"] = g.action("${it}"), g.chance(50)
		if g.chance(80) {
			n["collect"] = g.key()
		}
	default:
		n["action"], n["assign"] = g.action(g.expression()), g.assign()
	}
	if n["action"] != nil {
		n["idempotent"], n["cache_result"] = g.chance(30), g.chance(20)
		if g.chance(30) {
			n["on_error"] = g.pick(g.names...)
		}
	}
	if g.chance(90) {
		n["next"] = g.edges()
	}
	return n
}

func (g *generator) action(value any) map[string]any {
	return map[string]any{
		"item_id": g.pick("tool:demo/a", "tool:demo/b", "directive:demo/c"), "params": map[string]any{"v": value, "w": g.expression()},
	}
}

func (g *generator) key() string { return fmt.Sprintf("k%d", g.IntN(4)) }

func (g *generator) assign() map[string]any {
	set := map[string]any{}
	for range g.IntN(3) {
		set[g.key()] = g.expression()
	}
	return set
}

func (g *generator) expression() any {
	switch g.IntN(6) {
	case 0:
		return "${result.n || state.k0 || inputs.n}"
	case 1:
		return "${state." + g.key() + "}"
	case 2:
		return "n={input:n} ${inputs.items.-1}"
	case 3:
		return map[string]any{"r": "${result}", "none": nil}
	case 4:
		return g.IntN(5)
	}
	return "${result.list || result}"
}

func (g *generator) edges() any {
	if g.chance(50) {
		return g.pick(g.names...)
	}
	var edges []any
	for range 1 + g.IntN(3) {
		e := map[string]any{"to": g.pick(g.names...)}
		if g.chance(70) {
			e["when"] = g.condition()
		}
		edges = append(edges, e)
	}
	return edges
}

func (g *generator) condition() map[string]any {
	switch g.IntN(4) {
	case 0:
		return map[string]any{"not": g.condition()}
	case 1:
		return map[string]any{"any": []any{g.condition(), g.condition()}}
	}
	return map[string]any{
		"path": g.pick("state.k0", "state.k1", "result.n", "inputs.n", "result"), "value": g.IntN(5),
		"op": g.pick("eq", "ne", "gt", "gte", "lt", "exists", "contains"),
	}
}

// hooks act on every event. Those that ask for retries have effects of their own, too.
func (g *generator) hooks() []any {
	hooks := []any{}
	for _, event := range []string{"graph_started", "after_step", "error", "limit", "graph_completed"} {
		if g.chance(30) {
			hooks = append(hooks, map[string]any{"event": event, "action": g.action("${node}"), "idempotent": g.chance(50)})
		}
	}
	transient := map[string]any{"path": "error.message", "op": "contains", "value": "transient"}
	if g.chance(50) {
		hooks = append(hooks, map[string]any{"event": "error", "condition": transient, "action": map[string]any{"retry": true, "max_retries": 2}})
	}
	if g.chance(50) {
		hooks = append(hooks, map[string]any{"event": "error", "condition": transient, "action": map[string]any{
			"item_id": "tool:rye/agent/threads/internal/control", "params": map[string]any{"action": "retry"},
		}})
	}
	return hooks
}
