package engine

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"strings"

	"github.com/ryeos/rye/internal/failpoint"
	"github.com/ryeos/rye/pkg/chain"
	"github.com/ryeos/rye/pkg/graph"
	"github.com/ryeos/rye/pkg/item"
	"github.com/ryeos/rye/pkg/process"
	"github.com/ryeos/rye/pkg/runtime"
)

// graphRuntime executes state graphs.
const graphRuntime = "rye/core/runtimes/state-graph/runtime"

// GraphVerb is the hidden verb that the runtime of state graphs starts.
const GraphVerb = "_graph"

// RunGraph is what the state-graph runtime runs: it walks the graph that text names. Parameters are JSON from stdin, the
// result is one JSON object on stdout, and progress goes to stderr. A run that fails says so in its result; the error is for
// a walk that could not be reported.
func (e *Engine) RunGraph(ctx context.Context, text string, stdin io.Reader, stdout, stderr io.Writer) error {
	result, err := e.walk(ctx, text, stdin, stderr)
	if err != nil {
		result = ownFailure{Error: err.Error(), Type: item.TypeOf(err), Hints: item.HintsOf(err)}
	}
	enc := json.NewEncoder(stdout)
	enc.SetEscapeHTML(false)
	return enc.Encode(result)
}

// walked is the result of a run with what its caller's envelope takes over.
type walked struct {
	*graph.Result
	ErrorType item.ErrorType `json:"error_type,omitempty"`
	Hints     []string       `json:"hints,omitempty"`
}

// report adds how to go on with a run that has stopped.
func (r *graphRun) report(result *graph.Result) walked {
	w := walked{Result: result, ErrorType: result.ErrorType()}
	switch {
	case result.Success || r.single:
	case result.Status == graph.StatusCancelled:
		w.Hints = []string{"go on with it: rye graph resume " + r.id}
	case result.Status == graph.StatusUnknown:
		w.Hints = []string{"if it did not happen, or may happen twice: rye graph resume --retry " + r.id}
	case result.Phase == "execution" && result.Code == graph.CodeNode:
		w.Hints = []string{"try that node again: rye graph resume --retry " + r.id}
	}
	return w
}

// walk does what the parameters ask for: check the graph, execute one node, or run it.
func (e *Engine) walk(ctx context.Context, text string, stdin io.Reader, stderr io.Writer) (any, error) {
	g, c, err := e.verifiedGraph(text)
	if err != nil {
		return nil, err
	}
	params, err := readParams(stdin)
	if err != nil {
		return nil, err
	}
	in, err := g.Invoke(params)
	if err != nil {
		return nil, err
	}
	if in.Validate {
		return g.Validate().Fields(), nil
	}
	run, err := e.openGraphRun(g, in)
	if err != nil {
		return nil, err
	}
	defer run.close()
	if err := process.BecomeReaper(); err != nil {
		e.options.Warn(err.Error())
	}
	call := &Call{engine: e, ref: c.Ref, chain: c}
	secrets := runtime.Secrets(call.Metadata(), params)
	if err := run.record(ctx, call, params, secrets); err != nil {
		return nil, err
	}
	if err := e.settleGraph(in, run); err != nil {
		return nil, err
	}
	env := &graphEnv{
		engine: e.inThread(run.thread), run: run, allowed: allowedTo(g, in), progress: graph.Progress(stderr, g.ID), quiet: e.quietGraphs(),
	}
	failpoint.At("graph.recorded")
	result := run.walk(ctx, g, in, env)
	failpoint.At("graph.walked")
	report := run.report(result)
	if err := errors.Join(env.err, run.finish(report, call, secrets)); err != nil {
		e.options.Warn("the run is over, and its record is not complete: " + err.Error())
	}
	return report, nil
}

// allowedTo is what a run may do: what the graph declares, within what the caller may.
func allowedTo(g *graph.Graph, in *graph.Invocation) graph.Capabilities {
	if in.Caller == nil {
		return g.Permissions
	}
	return g.Permissions.Attenuate(*in.Caller)
}

func (r *graphRun) walk(ctx context.Context, g *graph.Graph, in *graph.Invocation, env graph.Env) *graph.Result {
	if in.Node != "" {
		return g.Step(ctx, in.Node, in.Options, env)
	}
	return g.Run(ctx, in.Options, env)
}

// verifiedGraph finds, verifies and reads a graph.
func (e *Engine) verifiedGraph(text string) (*graph.Graph, *chain.Chain, error) {
	ref, err := item.ParseRef(text)
	if err != nil {
		return nil, nil, err
	}
	c, err := e.resolver.Resolve(ref.With(item.Tool))
	if err != nil {
		return nil, nil, err
	}
	if !isGraph(c) {
		return nil, nil, item.Usagef("%s is no state graph: its executor is %s", ref, c.Tool().Meta.ExecutorID).
			Hint("rye execute %s", ref)
	}
	g, err := graph.Parse(c.Tool().Place.Display(), c.Tool().Source())
	return g, c, err
}

func isGraph(c *chain.Chain) bool {
	return len(c.Elements) > 1 && c.Elements[1].ID == graphRuntime
}

// settleGraph fills in what the surroundings say.
func (e *Engine) settleGraph(in *graph.Invocation, run *graphRun) error {
	settings, err := e.graphSettings()
	if err != nil {
		return err
	}
	if in.MaxSteps == 0 {
		in.MaxSteps = settings.maxSteps
	}
	if in.MaxConcurrency == 0 {
		in.MaxConcurrency = settings.maxConcurrency
	}
	in.Journal, in.Cache = run.journal, &graphCache{engine: e}
	in.Repeatable = e.repeatable
	return nil
}

// repeatable: a graph goes on by its own journal, if it is executed again as the same run.
func (e *Engine) repeatable(a graph.Action) bool {
	if a.Primary == "fetch" {
		return true
	}
	c, err := e.resolver.Resolve(a.Ref)
	return err == nil && a.Ref.Kind == item.Tool && isGraph(c)
}

// inThread is the same engine, working for a thread.
func (e *Engine) inThread(id string) *Engine {
	if id == "" {
		return e
	}
	child := *e
	child.options.Thread = id
	return &child
}

func (e *Engine) quietGraphs() bool {
	value, ok := lastValue(e.options.Env, "RYE_GRAPH_QUIET")
	return ok && value != ""
}

// readParams reads the parameters of the walk.
func readParams(stdin io.Reader) (map[string]any, error) {
	data, err := io.ReadAll(io.LimitReader(stdin, maxOrder))
	if err != nil || len(strings.TrimSpace(string(data))) == 0 {
		return map[string]any{}, err
	}
	return item.DecodeParameters(data)
}
