package engine

import (
	"context"
	"time"

	"github.com/ryeos/rye/pkg/clock"
	"github.com/ryeos/rye/pkg/graph"
	"github.com/ryeos/rye/pkg/item"
	"github.com/ryeos/rye/pkg/runtime"
)

// graphEnv is what a walk reaches of the world.
type graphEnv struct {
	engine   *Engine
	run      *graphRun
	allowed  graph.Capabilities
	progress func(graph.Event)
	quiet    bool
	err      error // the first event that could not be kept
}

// Execute does what a node asks for.
func (v *graphEnv) Execute(ctx context.Context, a graph.Action) (any, error) {
	switch a.Primary {
	case "execute":
		req, err := v.nodeRequest(a)
		if err != nil {
			return nil, err
		}
		resp := v.engine.Execute(ctx, req, nil, nil)
		if resp.ErrorType == item.TypeInterrupted && ctx.Err() != nil {
			return nil, context.Cause(ctx) // the action has neither worked nor failed
		}
		return resp, nil
	case "fetch":
		return v.engine.Fetch(a.Ref, a.Params)
	case "sign":
		report, err := v.engine.Sign(SignRequest{Patterns: []string{a.Ref.String()}})
		return report, err
	}
	return nil, item.Usagef("no node can %s", item.Quote(a.Primary))
}

// nodeRequest is the request that an action means. A graph within a graph may do no more than the one around it, and runs as
// the same run whenever this action is repeated: it then goes on where it was.
func (v *graphEnv) nodeRequest(a graph.Action) (item.Request, error) {
	req := item.Request{Ref: a.Ref.String(), Parameters: a.Params, Thread: a.Thread, Async: a.Async}
	if a.Target != "local" {
		req.Target = a.Target
	}
	if c, err := v.engine.resolver.Resolve(a.Ref); err != nil || a.Ref.Kind != item.Tool || !isGraph(c) {
		return req, nil // what is wrong with the item is said by whoever executes it
	}
	allowed, err := v.within(a.Params["capabilities"])
	if err != nil {
		return req, err
	}
	req.Parameters["capabilities"] = allowed
	if _, given := req.Parameters["graph_run_id"]; !given {
		id := "node-" + a.Key
		req.Parameters["graph_run_id"], req.Parameters["resume"] = id, v.engine.graphRunExists(id)
	}
	return req, nil
}

// within narrows what this run may do to the capabilities that a node gives on, if it names any.
func (v *graphEnv) within(given any) ([]any, error) {
	allowed := v.allowed
	switch given := given.(type) {
	case nil:
	case string:
		allowed = graph.Capabilities{given}.Attenuate(allowed)
	case []any:
		narrow := make(graph.Capabilities, len(given))
		for i, one := range given {
			text, ok := one.(string)
			if !ok {
				return nil, item.Usagef("the parameter capabilities must be a list of capabilities")
			}
			narrow[i] = text
		}
		allowed = narrow.Attenuate(allowed)
	default:
		return nil, item.Usagef("the parameter capabilities must be a list of capabilities")
	}
	list := make([]any, len(allowed))
	for i, one := range allowed {
		list[i] = one
	}
	return list, nil
}

// LookupEnv sees what a tool of this caller would see.
func (v *graphEnv) LookupEnv(name string) (string, bool) {
	if v.engine.options.Minimal && !runtime.PassesMinimal(name) {
		return "", false
	}
	return lastValue(v.engine.options.Env, name)
}

// Emit keeps the event in the run's transcript and shows it.
func (v *graphEnv) Emit(ev graph.Event) {
	if err := v.run.note(ev, v.engine.options.Now()); err != nil && v.err == nil {
		v.err = err
	}
	if !v.quiet {
		v.progress(ev)
	}
}

func (v *graphEnv) Now() time.Time { return v.engine.options.Now() }

func (v *graphEnv) Sleep(ctx context.Context, d time.Duration) error {
	return clock.System{}.Sleep(ctx, d)
}
