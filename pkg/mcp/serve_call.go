package mcp

import (
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"runtime"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/ryeos/rye/pkg/item"
)

// ExecuteCall are the arguments of execute.
type ExecuteCall struct {
	ItemID, Project string // Project is "" for the server's own
	Parameters      map[string]any
	DryRun, Async   bool
	Target, Thread  string
	Model           string
	Limits          map[string]any
	Resume          string // the thread to go on with
}

// FetchCall are the arguments of fetch.
type FetchCall struct {
	ItemID, Project      string
	Query, Scope, Source string
	Destination, Version string
	Limit                int
}

// SignCall are the arguments of sign.
type SignCall struct {
	ItemID, Project, Source string
	Parameters              map[string]any
}

// offer is a tool and what it does.
type offer struct {
	tool   *sdk.Tool
	schema *jsonschema.Resolved
	gate   chan struct{} // has room for as many calls as go on at a time
	do     deed
}

// deed is what a tool does with its arguments.
type deed func(ctx context.Context, given arguments, activity *Activity) Answer

// offers are the tools of rye's server.
func offers(items Items, o ServeOptions) []offer {
	execute, fetch, sign := tools(o.AskProject)
	looking := make(chan struct{}, 2*runtime.NumCPU()) // what takes no time does not wait for what does
	return []offer{
		{execute, resolved(execute), make(chan struct{}, cmp.Or(o.Concurrent, 2*runtime.NumCPU())), func(ctx context.Context, a arguments, activity *Activity) Answer {
			return items.Execute(ctx, ExecuteCall{
				ItemID: a.text("item_id"), Project: a.text("project_path"), Parameters: a.object("parameters"), DryRun: a.flag("dry_run"),
				Async: a.flag("async"), Target: a.text("target"), Thread: a.text("thread"), Model: a.text("model"),
				Limits: a.object("limit_overrides"), Resume: a.text("resume_thread_id"),
			}, activity)
		}},
		{fetch, resolved(fetch), looking, func(ctx context.Context, a arguments, _ *Activity) Answer {
			return items.Fetch(ctx, FetchCall{
				ItemID: a.text("item_id"), Project: a.text("project_path"), Query: a.text("query"), Scope: a.text("scope"),
				Source: a.text("source"), Destination: a.text("destination"), Version: a.text("version"), Limit: a.number("limit"),
			})
		}},
		{sign, resolved(sign), looking, func(ctx context.Context, a arguments, _ *Activity) Answer {
			return items.Sign(ctx, SignCall{
				ItemID: a.text("item_id"), Project: a.text("project_path"), Source: a.text("source"), Parameters: a.object("parameters"),
			})
		}},
	}
}

func resolved(t *sdk.Tool) *jsonschema.Resolved {
	schema, err := t.InputSchema.(*jsonschema.Schema).Resolve(nil)
	if err != nil {
		panic(err) // it is a literal
	}
	return schema
}

// call checks the arguments and waits for its turn. Wrong arguments are an answer, not an error of the protocol: the model
// that made them is to read what is wrong.
func (o offer) call(ctx context.Context, req *sdk.CallToolRequest) Answer {
	given, err := o.arguments(req.Params.Arguments)
	if err != nil {
		return ErrorAnswer("", err)
	}
	activity := &Activity{}
	defer activity.report(ctx, req)()
	select {
	case o.gate <- struct{}{}:
		defer func() { <-o.gate }()
	case <-ctx.Done():
		return ErrorAnswer(given.text("item_id"), item.Errorf(item.TypeInterrupted, "interrupted while it waited for its turn"))
	}
	return o.do(ctx, given, activity)
}

// ErrorAnswer is the envelope of a failure.
func ErrorAnswer(itemID string, err error) Answer {
	doc, encodeErr := item.ErrorResponse(itemID, err).MarshalJSON()
	if encodeErr != nil {
		panic(encodeErr) // it holds nothing but texts
	}
	return Answer{Document: doc, Failed: true}
}

// arguments are what a call gives, by the schema.
type arguments map[string]any

// arguments reads what a call gives. Models write null for what they leave out.
func (o offer) arguments(data json.RawMessage) (arguments, error) {
	if len(data) == 0 {
		data = json.RawMessage("{}")
	}
	given, err := item.DecodeParameters(data)
	if err != nil {
		return nil, err
	}
	maps.DeleteFunc(given, func(_ string, v any) bool { return v == nil })
	var plain map[string]any // numbers as the validator wants them
	if err := json.Unmarshal(data, &plain); err != nil {
		return nil, item.Usagef("the arguments: %w", err)
	}
	maps.DeleteFunc(plain, func(_ string, v any) bool { return v == nil })
	if err := o.schema.Validate(plain); err != nil {
		return nil, item.Usagef("the arguments of %s: %s", o.tool.Name, strings.ReplaceAll(err.Error(), "validating root: ", ""))
	}
	return given, nil
}

func (a arguments) text(name string) string {
	text, _ := a[name].(string)
	return text
}

func (a arguments) flag(name string) bool { return a[name] == true }

func (a arguments) object(name string) map[string]any {
	object, _ := a[name].(map[string]any)
	return object
}

func (a arguments) number(name string) int {
	f, _ := item.Float(a[name])
	return int(max(min(f, 1<<30), -1))
}
