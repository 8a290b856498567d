package graph

import (
	"context"
	"fmt"
	"maps"
	"sync"

	"github.com/ryeos/rye/pkg/template"
)

// maxItems bounds one foreach: each of its items is known until the last is over.
const maxItems = 1_000_000

// foreach executes the node's action for each item, several at once if the node says so. The state does not change
// meanwhile. The results are in the order of the items.
func (v *visit) foreach(ctx context.Context) *failure {
	v.announce("node_type", string(Foreach))
	over, err := v.scope(v.state, nil).Fill(v.node.Over)
	items, _ := over.([]any)
	if err == nil && len(items) > maxItems {
		err = fmt.Errorf("%d items are more than the %d that a foreach can have", len(items), maxItems)
	}
	if err != nil {
		return v.broken(err)
	}
	if f := v.unknownItems(items); f != nil {
		return f
	}
	e := &eachItem{visit: v, items: items, errors: map[int]string{}}
	if f := e.run(ctx); f != nil {
		return f
	}
	return v.gathered(e)
}

// unknownItems stops a resumed run before it executes anything else, with all the items that may have happened.
func (v *visit) unknownItems(items []any) *failure {
	var unknown []Uncertain
	state := maps.Clone(v.state)
	for i := range items {
		e := v.known(itemSlot(i))
		if !e.intended || e.done {
			continue
		}
		state[v.node.As] = items[i]
		a, err := v.walker.action(v.node.Action, v.node.Remote, v.itemScope(state, items[i]))
		if err == nil && !v.mayRepeat(a, v.node.Repeatable()) {
			unknown = append(unknown, Uncertain{Step: v.step, Node: v.node.Name, Action: a.target()}.in(itemSlot(i)))
		}
	}
	if unknown == nil {
		return nil
	}
	return &failure{
		status: StatusUnknown, code: CodeUnknown, phase: "execution", node: v.node.Name, unknown: unknown,
		message: fmt.Sprintf("node '%s' was executing %d of its items when the run was killed: whether that happened is unknown",
			v.node.Name, len(unknown)),
	}
}

func (v *visit) itemScope(state map[string]any, it any) template.Scope {
	return v.scope(state, map[string]any{v.node.As: it})
}

// gathered ends the step.
func (v *visit) gathered(e *eachItem) *failure {
	r := &record{
		Set: map[string]any{}, Collect: v.node.Collect, Items: len(e.items), Status: "ok",
		Errors: e.suppressed(), Event: eventAfterStep,
	}
	if len(r.Errors) > 0 && v.node.OnError != "" {
		r.Status, r.Next, r.Errors = "error", v.node.OnError, nil
		r.Set["_last_error"] = map[string]any{"node": v.node.Name, "error": e.firstError()}
	} else {
		v.collect(r) // edges see the results; the receipt puts them there again
		r.Digest, _ = digestOf(v.state[v.node.Collect])
		r.Next = v.next(map[string]any{})
	}
	if f := v.receipt(r); f != nil {
		return f
	}
	v.completed(eventForeachCompleted, r, map[string]any{"items": len(e.items), "errors": len(e.errors)})
	return nil
}

// eachItem executes the items of one foreach.
type eachItem struct {
	*visit
	items []any

	next    int // under mu, as is what follows
	errors  map[int]string
	stopped *failure
}

// run starts as many workers as there may be actions at once. Each takes one item after the other.
func (e *eachItem) run(ctx context.Context) *failure {
	workers := 1
	if e.node.Parallel {
		workers = e.node.MaxConcurrency
		if workers == 0 {
			workers = e.maxConcurrency
		}
	}
	var group sync.WaitGroup
	for range min(workers, len(e.items)) {
		group.Go(func() { e.work(ctx) })
	}
	group.Wait()
	if e.stopped == nil && ctx.Err() != nil && e.next < len(e.items) {
		return e.cancelled()
	}
	return e.stopped
}

func (e *eachItem) work(ctx context.Context) {
	state := maps.Clone(e.state) // the worker's own, for the key of its item
	for ctx.Err() == nil {
		e.mu.Lock()
		i := e.next
		if i >= len(e.items) || e.stopped != nil {
			e.mu.Unlock()
			return
		}
		e.next++
		e.mu.Unlock()
		state[e.node.As] = e.items[i]
		f := e.item(ctx, i, state)
		if f == nil {
			continue
		}
		e.mu.Lock()
		if e.stopped == nil || e.stopped.status == StatusCancelled {
			e.stopped = f
		}
		e.mu.Unlock()
	}
}

// item executes one item and writes what came of it.
func (e *eachItem) item(ctx context.Context, i int, state map[string]any) *failure {
	slot := itemSlot(i)
	var result any
	if known := e.known(slot); known.done {
		result = known.result
	} else {
		p, f := e.perform(ctx, slot, e.itemScope(state, e.items[i]))
		if f != nil {
			return f
		}
		if result = collected(p.result); e.node.Collect == "" && !isError(p.result) {
			result = nil // nobody will ask
		}
		if f := e.settle(slot, result); f != nil {
			return f
		}
	}
	if m, ok := result.(map[string]any); ok && isError(m) {
		e.mu.Lock()
		e.errors[i] = errorMessage(m)
		e.mu.Unlock()
	}
	return nil
}

// collected is what a foreach keeps of a result: all of it, but only the thread of what was started and runs on.
func collected(result map[string]any) any {
	if id, ok := result["thread_id"].(string); ok && (result["status"] == "running" || result["async"] == true) {
		return id
	}
	return result
}

// suppressed lists the errors of the items in their order.
func (e *eachItem) suppressed() []Suppressed {
	var list []Suppressed
	for i := range e.items {
		if message, failed := e.errors[i]; failed {
			list = append(list, Suppressed{Step: e.step, Node: e.node.Name, Item: &i, Error: message})
		}
	}
	return list
}

func (e *eachItem) firstError() string { return e.suppressed()[0].Error }
