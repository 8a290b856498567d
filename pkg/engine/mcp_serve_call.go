package engine

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/ryeos/rye/pkg/item"
	"github.com/ryeos/rye/pkg/mcp"
	"github.com/ryeos/rye/pkg/runtime"
	"github.com/ryeos/rye/pkg/space"
)

// prepareMCP turns the arguments of a model into a call.
func (e *Engine) prepareMCP(ctx context.Context, call mcp.ExecuteCall) (*Call, map[string]any, *item.Response) {
	req := item.Request{
		Ref: call.ItemID, Parameters: call.Parameters, DryRun: call.DryRun, Target: call.Target, Thread: call.Thread, Async: call.Async,
	}
	if call.Thread != "fork" && (call.Model != "" || len(call.Limits) > 0) {
		return nil, nil, item.ErrorResponse(call.ItemID, item.Usagef(`model and limit_overrides are for directives with thread="fork"`))
	}
	if call.Resume != "" {
		return e.resumeMCP(ctx, req, call.Resume)
	}
	prepared, failed := e.Prepare(req)
	return prepared, req.Parameters, failed
}

// resumeMCP has a run of a graph go on. The item is named, too, so that a model that mixes up threads runs nothing else.
func (e *Engine) resumeMCP(ctx context.Context, req item.Request, thread string) (*Call, map[string]any, *item.Response) {
	prepared, again, failed := e.PrepareResume(ctx, thread)
	if failed != nil {
		failed.ItemID = cmp.Or(failed.ItemID, req.Ref)
		return nil, nil, failed
	}
	ref, err := item.ParseRef(req.Ref)
	if err == nil {
		ref, err = e.resolveRef(ref)
	}
	if err == nil && ref != prepared.Ref() {
		err = item.Usagef("the thread %s ran %s, not %s", item.Quote(thread), prepared.Ref(), ref)
	}
	if err != nil {
		return nil, nil, item.ErrorResponse(req.Ref, err)
	}
	params := maps.Clone(again.Request.Parameters)
	maps.Copy(params, req.Parameters)
	return prepared.With(req), params, nil
}

// told is Execute; what the tool prints goes to the activity, which hides the secrets in what it shows of it.
func (c *Call) told(ctx context.Context, params map[string]any, activity *mcp.Activity) *item.Response {
	params = c.detachedBy(params)
	if c.request.Async || c.ref.Kind != item.Tool {
		return c.Execute(ctx, params, nil, nil)
	}
	secrets := runtime.Secrets(c.Metadata(), params)
	activity.Redact(secrets.Text)
	return redacted(c.run(ctx, params, secrets, activity, activity), secrets)
}

// fetchMCP is Fetch, without what only a server of items has.
func (e *Engine) fetchMCP(call mcp.FetchCall) (any, error) {
	missing := ""
	switch {
	case call.Source == "registry":
		missing = "fetch from a registry"
	case call.Destination != "":
		missing = "copy items"
	case call.Version != "":
		missing = "fetch other versions than the one that is there"
	}
	if missing != "" {
		return nil, item.Errorf(item.TypeUnavailable, "this version of rye cannot %s yet", missing)
	}
	var ref item.Ref
	if call.ItemID != "" {
		var err error
		if ref, err = item.ParseRef(call.ItemID); err != nil {
			return nil, err
		}
	}
	params := map[string]any{"query": call.Query, "scope": call.Scope, "source": call.Source}
	if call.Limit != 0 {
		params["limit"] = call.Limit
	}
	return e.Fetch(ref, params)
}

// signMCP is Sign for what a model may name.
func (e *Engine) signMCP(call mcp.SignCall) (*Report, error) {
	kind, _, found := strings.Cut(call.ItemID, ":")
	if _, err := item.ParseKind(kind); !found || err != nil {
		return nil, item.Usagef("sign needs a reference with its kind, as tool:my/item or tool:my/*, not %s", item.Quote(call.ItemID))
	}
	req := SignRequest{Patterns: []string{call.ItemID}, Source: space.Label(call.Source)}
	for _, name := range slices.Sorted(maps.Keys(call.Parameters)) {
		on, isBool := call.Parameters[name].(bool)
		switch {
		case name == "check" && isBool:
			req.Check = on
		case name == "force" && isBool:
			req.Force = on
		default:
			return nil, item.Usagef("sign takes the parameters check and force, true or false, not %s", item.Quote(name))
		}
	}
	return e.Sign(req)
}
