package graph

import (
	"context"
	"math"
	"strconv"
	"time"

	"github.com/ryeos/rye/pkg/item"
)

// do executes the action of a node.
func (v *visit) do(ctx context.Context) *failure {
	if f := v.rest(ctx); f != nil {
		return f
	}
	v.announce("action_id", v.node.Action.ItemID)
	slot := actionSlot(v.attempt)
	p, f := v.perform(ctx, slot, v.scope(v.state, nil))
	if f != nil {
		return f
	}
	if isError(p.result) {
		return v.failed(ctx, slot, p)
	}
	set, err := v.assign(v.scope(v.state, map[string]any{"result": p.result}))
	if err != nil {
		p.result = errorResult(err)
		return v.failed(ctx, slot, p)
	}
	return v.over(&record{Set: set, Status: "ok", Next: v.next(p.result)}, p)
}

// over ends the step of an action.
func (v *visit) over(r *record, p performed) *failure {
	r.Event = eventAfterStep
	if f := v.receipt(r); f != nil {
		return f
	}
	details := map[string]any{
		"action_id": v.node.Action.ItemID, "cache_hit": p.cached, "node_input_hash": p.digest,
	}
	if hash, err := digestOf(p.result); err == nil {
		details["node_result_hash"] = hash
	}
	if id, ok := p.result["thread_id"].(string); ok {
		details["thread_id"] = id
	}
	if r.Status == "error" {
		details["error"] = errorMessage(p.result)
	} else if status, ok := p.result["status"].(string); ok && status != "success" {
		details["status"] = status
	}
	v.completed(eventStepCompleted, r, details)
	return nil
}

// failed deals with an action that failed: another attempt if a hook asks for one, then the node's edge for errors, then
// what the graph does with errors.
func (v *visit) failed(ctx context.Context, slot string, p performed) *failure {
	message := errorMessage(p.result)
	control, classification, f := v.consult(ctx, slot, p.result, message)
	if f != nil {
		return f
	}
	if control != nil && control.action == "retry" && v.attempt <= control.maxRetries {
		return v.retry(classification)
	}
	lastError := map[string]any{"_last_error": map[string]any{"node": v.node.Name, "error": message}}
	switch {
	case v.node.OnError != "":
		return v.over(&record{Set: lastError, Status: "error", Next: v.node.OnError}, p)
	case v.graph.OnError == "continue":
		r := &record{Set: lastError, Status: "error", Errors: []Suppressed{{Step: v.step, Node: v.node.Name, Error: message}}}
		r.Next = v.next(p.result)
		return v.over(r, p)
	}
	return v.fail(lastError, outcome{Error: message, Code: CodeNode, Node: v.node.Name, Steps: v.step})
}

// consult asks the hooks for errors what to do.
func (v *visit) consult(ctx context.Context, slot string, result map[string]any, message string) (*control, Classification, *failure) {
	code, _ := result["error_code"].(string)
	class := v.opts.Classify(message, code, v.attempt)
	if len(hooksOf(v.hooks, eventError)) == 0 {
		return nil, class, nil
	}
	if !v.known(slot).done {
		// The hooks have effects of their own: that the action has failed must be known before.
		if f := v.settle(slot, result); f != nil {
			return nil, class, f
		}
	}
	control, f := v.fire(ctx, eventError, map[string]any{
		"error":          map[string]any{"type": "ToolExecutionError", "message": message, "code": code},
		"classification": map[string]any{"code": class.Code, "category": class.Category, "retryable": class.Retryable},
		"node":           v.node.Name, "state": v.state, "step_count": v.step,
	})
	return control, class, f
}

// retry makes the node run again, in the same step. How often that has happened in the whole run is in the state.
func (v *visit) retry(class Classification) *failure {
	before, _ := v.state["_retries"].(map[string]any)
	retries := make(map[string]any, len(before)+1)
	for node, n := range before {
		retries[node] = n
	}
	count, _ := item.Float(retries[v.node.Name])
	counted, _ := normal(int64(count) + 1)
	retries[v.node.Name] = counted
	delay := class.Delay
	if delay <= 0 {
		delay = backoff(v.attempt)
	}
	wake := v.env.Now().Add(delay)
	v.warn("attempt " + strconv.Itoa(v.attempt) + " failed; the next one in " + delay.String())
	return v.commit(&record{
		Kind: recordRetry, Step: v.step, Node: v.node.Name, Attempt: v.attempt + 1, Wake: wake, Set: map[string]any{"_retries": retries},
	})
}

// backoff is how long to wait after an attempt where nothing else is configured: 2, 4, 8 … up to 120 seconds.
func backoff(attempt int) time.Duration {
	return time.Duration(min(120, math.Exp2(float64(attempt)))) * time.Second
}

// rest waits until the next attempt is due, also when the run was resumed meanwhile.
func (v *visit) rest(ctx context.Context) *failure {
	delay := v.wake.Sub(v.env.Now())
	if v.wake.IsZero() || delay <= 0 {
		return nil
	}
	if err := v.env.Sleep(ctx, delay); err != nil || ctx.Err() != nil {
		return v.cancelled()
	}
	return nil
}
