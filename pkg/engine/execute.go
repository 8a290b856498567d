package engine

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/ryeos/rye/pkg/chain"
	"github.com/ryeos/rye/pkg/item"
	"github.com/ryeos/rye/pkg/process"
	"github.com/ryeos/rye/pkg/redact"
	"github.com/ryeos/rye/pkg/runtime"
	"github.com/ryeos/rye/pkg/space"
)

// Call is a request whose item was found, verified and whose chain was resolved. Callers that must read the tool's
// schema before they know its parameters, as the command line does, prepare first and execute then.
type Call struct {
	engine  *Engine
	request item.Request
	ref     item.Ref
	chain   *chain.Chain
	started time.Time
	steps   steps

	rerunOf string // the thread whose request this is, again
}

// Execute does a request from start to end. Failures are in the response, never beside it.
func (e *Engine) Execute(ctx context.Context, req item.Request, stdout, stderr io.Writer) *item.Response {
	call, failed := e.Prepare(req)
	if failed != nil {
		return failed
	}
	return call.Execute(ctx, req.Parameters, stdout, stderr)
}

// Prepare does the steps of design §4 up to the resolved chain. The response is nil unless it failed.
func (e *Engine) Prepare(req item.Request) (*Call, *item.Response) {
	c := &Call{engine: e, request: req, started: e.options.Now()}
	if err := c.resolve(); err != nil {
		return nil, c.failure(err)
	}
	return c, nil
}

func (c *Call) resolve() error {
	if err := checkModes(c.request); err != nil {
		return err
	}
	ref, err := item.ParseRef(c.request.Ref)
	if err != nil {
		return err
	}
	if c.ref, err = c.engine.resolveRef(ref); err != nil {
		return err
	}
	if err := checkMatrix(c.request, c.ref); err != nil {
		return err
	}
	if err := checkAvailable(c.request, c.ref.Kind); err != nil {
		return err
	}
	resolve := c.engine.resolver.Resolve
	switch {
	case c.ref.Kind == item.Directive:
		resolve = c.engine.resolver.Alone
	case c.request.Trace:
		resolve = c.engine.resolver.Explain
	}
	c.chain, err = resolve(c.ref)
	var missing *space.NotFoundError
	if errors.As(err, &missing) && len(c.chain.Elements) == 0 {
		return c.engine.notFound(c.ref, missing)
	}
	return err
}

// Ref is the item's canonical reference.
func (c *Call) Ref() item.Ref { return c.ref }

// Overrides are those of the names that the item itself does not declare as parameters; its runtime may.
func (c *Call) Overrides(names []string) []string {
	return slices.DeleteFunc(slices.Clone(names), func(name string) bool {
		return c.chain.Tool().Meta.Declares(strings.ReplaceAll(name, "-", "_"))
	})
}

// Metadata is what the item says about itself, and every parameter that a call may give.
func (c *Call) Metadata() *item.Metadata { return runtime.Accepts(c.chain, nil) }

// Execute runs the prepared call with these parameters. stdout and stderr, which may be nil, receive copies of the
// tool's streams as they come.
func (c *Call) Execute(ctx context.Context, params map[string]any, stdout, stderr io.Writer) *item.Response {
	params = c.detachedBy(params)
	if err := checkMatrix(c.request, c.ref); err != nil { // With may have changed what was prepared
		return c.failure(err)
	}
	if c.ref.Kind == item.Directive {
		return c.direct(params)
	}
	secrets := runtime.Secrets(c.Metadata(), params)
	if c.request.Async {
		return redacted(c.launch(ctx, params, secrets), secrets)
	}
	return redacted(c.run(ctx, params, secrets, stdout, stderr), secrets)
}

// redacted takes secrets out of what rye itself says about a run. The tool's own output is the result and stays.
func redacted(resp *item.Response, secrets *redact.Redactor) *item.Response {
	resp.Error = secrets.Text(resp.Error)
	resp.Hints, _ = secrets.Value(resp.Hints).([]string)
	resp.Warnings, _ = secrets.Value(resp.Warnings).([]string)
	for i, event := range resp.Trace {
		resp.Trace[i], _ = secrets.Value(event).(*item.Object)
	}
	return resp
}

func (c *Call) run(ctx context.Context, params map[string]any, secrets *redact.Redactor, stdout, stderr io.Writer) *item.Response {
	plan, err := c.plan(params, secrets)
	if err != nil {
		return c.failure(err)
	}
	if c.request.DryRun {
		return &item.Response{
			Status: item.StatusValidated, Message: "Tool chain validation passed (dry run)", Type: c.ref.Kind,
			ItemID: c.ref.String(), Chain: c.chain.IDs(), ValidatedPairs: c.chain.Pairs, Warnings: c.chain.Warnings,
			Metadata: c.facts(), Trace: c.trace(),
		}
	}
	watch := startWatch()
	c.engine.keepWarm(plan)
	result, ok := c.runKept(ctx, plan, stdout)
	if !ok {
		result, err = plan.Run(ctx, stdout, stderr)
	}
	watch.lap(&c.steps.runTime)
	if err != nil {
		return c.failure(err)
	}
	c.steps.ran = &result
	outcome := plan.Shape(result)
	// The data holds a copy of these megabytes.
	result.Stdout, result.Stderr = process.Output{Total: result.Stdout.Total}, process.Output{Total: result.Stderr.Total}
	resp := &item.Response{
		Status: item.StatusSuccess, Type: c.ref.Kind, ItemID: c.ref.String(), Data: outcome.Data,
		Chain: c.chain.IDs(), Warnings: c.chain.Warnings, Metadata: c.facts(), Trace: c.trace(),
	}
	if outcome.Err != nil {
		failed := c.failure(c.ownError(outcome, result.ExitCode))
		failed.Data, resp = outcome.Data, failed
	}
	resp.Metadata.ExitCode, resp.Metadata.Signal = &result.ExitCode, result.Signal
	resp.Metadata.Reaped, resp.Metadata.Survivors = result.Reaped, result.Survivors
	resp.Metadata.FixedParams = plan.FixedParams
	return resp
}

// plan does the steps that may still refuse: parameters, dependencies, configuration, command. Each leaves in c.steps
// what it found, for the trace.
func (c *Call) plan(params map[string]any, secrets *redact.Redactor) (*runtime.Plan, error) {
	e, found, watch := c.engine, &c.steps, startWatch()
	checked, err := runtime.CheckParams(c.ref, runtime.Accepts(c.chain, params), params)
	if err != nil {
		return nil, err
	}
	watch.lap(&found.paramsTime)
	if found.anchor, err = e.resolver.Anchor(c.chain); err != nil {
		return nil, err
	}
	watch.lap(&found.anchorTime)
	settings, err := e.settings(c.ref.ID)
	if err != nil {
		return nil, err
	}
	pin := settings.Pin || c.request.Pin || e.options.Pin
	if found.deps, err = e.resolver.VerifyDeps(c.chain, found.anchor, pin); err != nil {
		return nil, err
	}
	what := c.chain
	if pin {
		if what, found.anchor, err = e.pin(c.chain, found.anchor, found.deps); err != nil {
			return nil, err
		}
	}
	watch.lap(&found.depsTime)
	resolved, layers, err := e.resolver.ResolveConfig(c.chain)
	if err != nil {
		return nil, err
	}
	found.config = layers
	watch.lap(&found.configTime)
	found.plan, err = runtime.NewPlan(runtime.Input{
		Chain: what, Anchor: found.anchor, Params: checked, Resolved: resolved,
		Project: e.options.Project, User: e.options.User, Cache: e.options.Cache,
		System: func() (string, error) { return e.spaces.Get(space.System).Materialise(".") },
		Binary: e.options.Binary, Thread: e.options.Thread, Env: e.options.Env, Minimal: e.options.Minimal,
		Timeout: c.request.Timeout, Sandbox: e.sandbox(c.request), Settings: settings,
		Secrets: secrets,
	})
	watch.lap(&found.planTime)
	if err == nil && isGraph(c.chain) {
		found.plan.Grace = walkerGrace
	}
	if err == nil {
		for _, warning := range found.plan.Warnings {
			c.warn(warning)
		}
	}
	if err == nil && found.plan.Sandbox != nil && found.plan.Sandbox.Warning != "" {
		c.warn(found.plan.Sandbox.Warning)
	}
	return found.plan, err
}

// failure is the envelope of an error, with as much of the chain as was built.
func (c *Call) failure(err error) *item.Response {
	id := c.request.Ref
	if c.ref.ID != "" {
		id = c.ref.String()
	}
	resp := item.ErrorResponse(id, err)
	resp.Type, resp.DeclaredInputs = c.ref.Kind, declaredInputs(err)
	if c.chain != nil && c.ref.Kind == item.Tool {
		resp.Chain, resp.Warnings = c.chain.IDs(), c.chain.Warnings
	}
	resp.Metadata, resp.Trace = c.facts(), c.trace()
	return resp
}

func (c *Call) facts() *item.Facts {
	facts := &item.Facts{DurationMS: c.engine.options.Now().Sub(c.started).Milliseconds()}
	if plan := c.steps.plan; plan != nil && plan.Sandbox != nil {
		facts.Sandbox = &plan.Sandbox.Facts
	}
	return facts
}

// With is the same call under another request; its reference stays.
func (c *Call) With(req item.Request) *Call {
	again := *c
	req.Ref = c.request.Ref
	again.request = req
	return &again
}
