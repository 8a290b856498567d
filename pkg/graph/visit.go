package graph

import (
	"context"
	"time"

	"github.com/ryeos/rye/pkg/template"
)

// visit is the execution of one node.
type visit struct {
	*walker
	node    *Node
	step    int // that is at hand
	attempt int
	started time.Time
}

func (w *walker) visit(n *Node, step int) *visit {
	return &visit{walker: w, node: n, step: step, attempt: w.attempt, started: w.env.Now()}
}

// scope is what the node's expressions see besides extra.
func (v *visit) scope(state map[string]any, extra map[string]any) template.Scope {
	now := v.env.Now()
	values := map[string]any{
		"state": state, "inputs": state["inputs"],
		"_now": now.UTC().Format(time.RFC3339), "_timestamp": now.UnixMilli(),
	}
	for name, value := range extra {
		values[name] = value
	}
	return template.Scope{Values: values, Null: func(expression string) {
		v.warn("${" + expression + "} is null")
	}}
}

func (v *visit) warn(message string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.emit(eventWarning, map[string]any{"step": v.step, "node": v.node.Name, "message": message})
}

func (v *visit) announce(key, value string) {
	v.emit(eventStepStarted, map[string]any{"step": v.step, "node": v.node.Name, key: value, "max_steps": v.maxSteps})
}

// finish is what a return node does.
func (v *visit) finish(ctx context.Context) *failure {
	v.announce("node_type", string(Return))
	output, err := evaluate(v.scope(v.state, nil), v.node.Output)
	if err != nil {
		return v.broken(err)
	}
	return v.walker.finish(ctx, output, v.step)
}

// broken ends the run at a node that cannot be evaluated.
func (v *visit) broken(err error) *failure {
	return v.fail(nil, outcome{Error: err.Error(), Code: CodeNode, Node: v.node.Name, Steps: v.step})
}

// gate sets state and chooses an edge.
func (v *visit) gate() *failure {
	v.announce("node_type", string(Gate))
	set, err := v.assign(v.scope(v.state, nil))
	if err != nil {
		return v.broken(err)
	}
	r := &record{Set: set, Status: "ok", Next: v.next(map[string]any{})}
	if f := v.receipt(r); f != nil {
		return f
	}
	v.completed(eventStepCompleted, r, nil)
	return nil
}

// assign evaluates the node's assignments in their order, each in the light of those before it, and gives what they set.
// The state holds them afterwards; the receipt that follows sets them again, to the same.
func (v *visit) assign(scope template.Scope) (map[string]any, error) {
	set, before := map[string]any{}, map[string]any{}
	for _, a := range v.node.Assign {
		value, err := evaluate(scope, a.Value)
		if err != nil {
			for key := range set {
				delete(v.state, key)
			}
			for key, old := range before {
				v.state[key] = old
			}
			return nil, err
		}
		old, exists := v.state[a.Key]
		if _, again := set[a.Key]; exists && !again {
			before[a.Key] = old
		}
		v.state[a.Key], set[a.Key] = value, value
	}
	return set, nil
}

// next is where the first edge leads whose condition holds, "" if there is none.
func (v *visit) next(result map[string]any) string {
	document := map[string]any{"state": v.state, "result": result, "inputs": v.state["inputs"]}
	for _, e := range v.node.Next {
		if e.When.Holds(document) {
			return e.To
		}
	}
	return ""
}

// receipt ends the step.
func (v *visit) receipt(r *record) *failure {
	r.Kind, r.Step, r.Node = recordReceipt, v.step, v.node.Name
	return v.commit(r)
}

// completed tells that the step is over, and where the run stands.
func (v *visit) completed(event string, r *record, details map[string]any) {
	payload := map[string]any{
		"step": v.step, "node": v.node.Name, "status": r.Status, "elapsed_s": v.elapsed(v.started), "next_node": nil,
		"max_steps": v.maxSteps, "keys": r.keys(),
	}
	if r.Next != "" {
		payload["next_node"] = r.Next
	}
	for key, value := range details {
		payload[key] = value
	}
	v.emit(event, payload)
	v.emit(eventStateCheckpoint, map[string]any{"step": v.step, "current_node": v.walker.node, "state_hash": v.stateHash()})
}
