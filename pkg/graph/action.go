package graph

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strconv"

	"github.com/ryeos/rye/pkg/item"
	"github.com/ryeos/rye/pkg/template"
)

// threadDirective runs directives in threads of their own, and wants to know whose children they are.
var threadDirective = item.Ref{Kind: item.Tool, ID: "rye/agent/threads/thread_directive"}

// action fills the expressions of a call. The error is for the person who wrote the graph.
func (w *walker) action(c *Call, remote string, scope template.Scope) (Action, error) {
	a := Action{Primary: c.Primary, Async: c.Async, Target: "local", Thread: "inline", RunID: w.runID, Params: map[string]any{}}
	if remote != "" {
		a.Target = "remote:" + remote
	}
	if c.ItemID != "" {
		id, err := scope.Text(c.ItemID)
		if err != nil {
			return a, err
		}
		ref, err := c.ref(id)
		if err != nil {
			return a, item.Usagef("the item_id %s is not the id of an item: %w", item.Quote(id), err)
		}
		if ref.Kind == "" {
			return a, item.Usagef("Canonical ref required for permissioned actions, as in tool:%s", ref.ID)
		}
		a.Ref = ref
	}
	if a.Ref.Kind == item.Directive && a.Primary == "execute" {
		a.Thread = "fork"
	}
	params, err := evaluate(scope, c.Params)
	if err != nil {
		return a, err
	}
	if params, ok := withoutNulls(params).(map[string]any); ok {
		a.Params = params
	}
	if _, given := a.Params["parent_thread_id"]; a.Ref == threadDirective && !given {
		a.Params["parent_thread_id"] = w.runID
	}
	return a, w.allowed.Permit(a)
}

// digest identifies what an action does, wherever and whenever.
func (a Action) digest() (string, error) {
	return digestOf(map[string]any{
		"primary": a.Primary, "item_id": a.Ref.String(), "params": a.Params, "target": a.Target, "async": a.Async,
	})
}

// performed is the result of an action with how it came about.
type performed struct {
	result map[string]any
	digest string
	cached bool
}

// perform executes the action of a node in one slot of the step: from the cache, from the journal, or for real.
// Whatever is wrong with the action itself is its result, and goes the way of all errors.
func (v *visit) perform(ctx context.Context, slot string, scope template.Scope) (performed, *failure) {
	a, err := v.walker.action(v.node.Action, v.node.Remote, scope)
	if err != nil {
		return performed{result: errorResult(err)}, nil
	}
	digest, err := a.digest()
	if err != nil {
		return performed{result: errorResult(err)}, nil
	}
	p := performed{digest: digest}
	if e := v.known(slot); e.done {
		p.result, _ = e.result.(map[string]any)
		return p, nil
	}
	key := v.cacheKey(a, digest)
	if key != "" {
		if result, ok := v.opts.Cache.Get(key); ok {
			p.result, p.cached = result, true
			return p, nil
		}
	}
	a.Node, a.Attempt, a.Key = v.node.Name, v.attempt, v.effectKey(slot)
	result, f := v.once(ctx, slot, a, digest, v.node.Repeatable())
	if f == nil && key != "" && !isError(result) {
		if err := v.opts.Cache.Put(key, v.node.Name, result); err != nil {
			v.warn("the result is not cached: " + err.Error())
		}
	}
	p.result = result
	return p, f
}

// once executes an action so that a run which is killed knows that it may have happened. The caller writes that it has.
func (v *visit) once(ctx context.Context, slot string, a Action, digest string, repeatable bool) (map[string]any, *failure) {
	if e := v.known(slot); e.intended {
		if !v.mayRepeat(a, repeatable) {
			return nil, v.unknown(slot, a)
		}
	} else {
		f := v.commit(&record{Kind: recordIntent, Step: v.step, Node: v.node.Name, Attempt: v.attempt, Slot: slot, Digest: digest})
		if f != nil {
			return nil, f
		}
	}
	response, err := v.env.Execute(ctx, a)
	if err != nil && ctx.Err() != nil {
		return nil, v.cancelled() // it may have happened or not: the intent stays open
	}
	if err != nil {
		return errorResult(err), nil
	}
	plain, err := normal(response)
	if err != nil {
		return errorResult(fmt.Errorf("the result of %s cannot be used: %w", a.target(), err)), nil
	}
	return unwrap(plain), nil
}

// mayRepeat tells whether an action can be executed that may have happened already.
func (v *visit) mayRepeat(a Action, repeatable bool) bool {
	return repeatable || v.opts.Retry || v.opts.Repeatable != nil && v.opts.Repeatable(a)
}

// known is what the journal says about a slot, as a copy: items of a foreach write at the same time.
func (v *visit) known(slot string) effect {
	v.mu.Lock()
	defer v.mu.Unlock()
	if e := v.effects[slot]; e != nil {
		return *e
	}
	return effect{}
}

// settle writes that an effect has happened, and what came of it.
func (v *visit) settle(slot string, result any) *failure {
	return v.commit(&record{Kind: recordEffect, Step: v.step, Node: v.node.Name, Attempt: v.attempt, Slot: slot, Result: result})
}

func (v *visit) unknown(slot string, a Action) *failure {
	u := Uncertain{Step: v.step, Node: v.node.Name, Action: a.target()}
	return &failure{
		status: StatusUnknown, code: CodeUnknown, phase: "execution", node: v.node.Name, unknown: []Uncertain{u.in(slot)},
		message: fmt.Sprintf("node '%s' was executing %s when the run was killed: whether that happened is unknown", v.node.Name, a.target()),
	}
}

// effectKey tells this effect from all others of all runs.
func (v *visit) effectKey(slot string) string {
	sum := sha256.Sum256([]byte(v.runID + "\x00" + strconv.Itoa(v.step) + "\x00" + slot))
	return hex.EncodeToString(sum[:16])
}

// cacheKey is where a result is cached, "" for a node whose results are not.
func (v *visit) cacheKey(a Action, digest string) string {
	if !v.node.CacheResult || v.opts.Cache == nil {
		return ""
	}
	snapshot, err := v.opts.Cache.Snapshot(a.Ref)
	if err != nil {
		v.warn("the result is not cached: " + err.Error())
		return ""
	}
	key, _ := digestOf(map[string]any{
		"schema": 2, "kind": "node_input", "graph_hash": v.graph.Digest, "node_name": v.node.Name,
		"interpolated_action": digest, "config_snapshot_hash": snapshot,
	})
	return key
}
