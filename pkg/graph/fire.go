package graph

import (
	"context"

	"github.com/ryeos/rye/pkg/template"
)

// firePending runs the hooks of what has just been written, or the rest of them after a resume.
func (w *walker) firePending(ctx context.Context) *failure {
	event := w.pending
	if event == "" {
		return nil
	}
	payload := map[string]any{"state": w.state, "inputs": w.state["inputs"]}
	if event == eventAfterStep {
		payload["node"], payload["status"], payload["step_count"] = w.last.Node, w.last.Status, w.last.Step
		payload["next_node"] = w.last.Next
	}
	_, f := w.fire(ctx, event, payload)
	if f == nil {
		w.settled()
	}
	return f
}

// fire runs every hook for an event whose condition holds. The first that asks for something is listened to; the others
// run nevertheless.
func (w *walker) fire(ctx context.Context, event string, payload map[string]any) (*control, *failure) {
	var asked *control
	for _, h := range hooksOf(w.hooks, event) {
		payload["graph_id"], payload["graph_run_id"] = w.graph.ID, w.runID
		if !h.Condition.Holds(payload) {
			continue
		}
		var c *control
		if h.Retry {
			c = &control{action: "retry", maxRetries: h.MaxRetries}
		}
		for i := range h.Calls {
			answer, f := w.call(ctx, event, h, i, payload)
			if f != nil {
				return nil, f
			}
			if c == nil {
				c = answer
			}
		}
		if asked == nil {
			asked = c
		}
	}
	return asked, nil
}

// call executes one action of a hook. A hook that fails only warns.
func (w *walker) call(ctx context.Context, event string, h Hook, i int, payload map[string]any) (*control, *failure) {
	v := w.visit(&Node{Name: "hook " + h.ID}, w.step)
	if event == eventError {
		v.step++ // the step is not over
	}
	a, err := w.action(&h.Calls[i], "", template.Scope{Values: payload})
	if err != nil {
		v.warn(err.Error())
		return nil, nil
	}
	if a.Ref == controlTool {
		return controlOf(a.Params), nil
	}
	slot := hookSlot(event, v.attempt, h.ID, i)
	if known := v.known(slot); known.done {
		result, _ := known.result.(map[string]any)
		return controlOf(result), nil
	}
	digest, err := a.digest()
	if err != nil {
		v.warn(err.Error())
		return nil, nil
	}
	a.Node, a.Attempt, a.Key = v.node.Name, v.attempt, v.effectKey(slot)
	result, f := v.once(ctx, slot, a, digest, h.Idempotent)
	if f != nil {
		return nil, f
	}
	if f := v.settle(slot, result); f != nil {
		return nil, f
	}
	if isError(result) {
		v.warn(errorMessage(result))
		return nil, nil
	}
	return controlOf(result), nil
}
