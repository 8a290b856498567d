package engine

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"strings"
	"time"

	"github.com/ryeos/rye/pkg/chain"
	"github.com/ryeos/rye/pkg/graph"
	"github.com/ryeos/rye/pkg/item"
	"github.com/ryeos/rye/pkg/process"
	"github.com/ryeos/rye/pkg/runtime"
	"github.com/ryeos/rye/pkg/thread"
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
		result = map[string]any{"success": false, "error": err.Error(), "error_type": item.TypeOf(err), "hints": item.HintsOf(err)}
	}
	enc := json.NewEncoder(stdout)
	enc.SetEscapeHTML(false)
	return enc.Encode(result)
}

// walk does what the parameters ask for: check the graph, launch it, execute one node, or run it.
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
	if in.Async {
		return e.launchGraph(ctx, c.Ref, run, params)
	}
	if err := process.BecomeReaper(); err != nil {
		e.options.Warn(err.Error())
	}
	if err := run.record(ctx, e, c.Ref); err != nil {
		return nil, err
	}
	if err := e.settleGraph(in, run); err != nil {
		return nil, err
	}
	env := &graphEnv{engine: e.inThread(run.thread), run: run, progress: graph.Progress(stderr, g.ID), quiet: e.quietGraphs()}
	result := &graph.Result{}
	if in.Node != "" {
		result = g.Step(ctx, in.Node, in.Options, env)
	} else {
		result = g.Run(ctx, in.Options, env)
	}
	return result, errors.Join(env.err, run.finish(result))
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

// launchGraph starts the run detached, under the id that is reserved for it.
func (e *Engine) launchGraph(ctx context.Context, ref item.Ref, run *graphRun, params map[string]any) (any, error) {
	params["graph_run_id"] = run.id
	delete(params, "async")
	run.close()
	resp := e.Execute(ctx, item.Request{Ref: ref.String(), Parameters: params, Async: true}, nil, nil)
	if resp.Failed() {
		return nil, &item.Error{Type: resp.ErrorType, Message: resp.Error, Hints: resp.Hints}
	}
	return map[string]any{
		"success": true, "graph_run_id": run.id, "graph_id": run.graphID, "status": "running", "pid": resp.PID, "thread_id": resp.ThreadID,
	}, nil
}

// readParams reads the parameters of the walk.
func readParams(stdin io.Reader) (map[string]any, error) {
	data, err := io.ReadAll(io.LimitReader(stdin, maxOrder))
	if err != nil || len(strings.TrimSpace(string(data))) == 0 {
		return map[string]any{}, err
	}
	return item.DecodeParameters(data)
}

// graphEnv is what a walk reaches of the world.
type graphEnv struct {
	engine   *Engine
	run      *graphRun
	progress func(graph.Event)
	quiet    bool
	err      error // the first event that could not be kept
}

// Execute does what a node asks for.
func (v *graphEnv) Execute(ctx context.Context, a graph.Action) (any, error) {
	switch a.Primary {
	case "execute":
		return v.engine.Execute(ctx, v.engine.nodeRequest(a), nil, nil), nil
	case "fetch":
		return v.engine.Fetch(a.Ref, a.Params)
	case "sign":
		report, err := v.engine.Sign(SignRequest{Patterns: []string{a.Ref.String()}})
		return report, err
	}
	return nil, item.Usagef("no node can %s", item.Quote(a.Primary))
}

// nodeRequest executes a graph within a graph as the same run whenever this action is repeated: it then goes on where it was.
func (e *Engine) nodeRequest(a graph.Action) item.Request {
	req := item.Request{Ref: a.Ref.String(), Parameters: a.Params, Thread: a.Thread, Async: a.Async}
	if a.Target != "local" {
		req.Target = a.Target
	}
	if c, err := e.resolver.Resolve(a.Ref); err == nil && a.Ref.Kind == item.Tool && isGraph(c) {
		if _, given := req.Parameters["graph_run_id"]; !given {
			req.Parameters["graph_run_id"] = "node-" + a.Key[:min(len(a.Key), 32)]
			req.Parameters["resume"] = e.graphRunExists("node-" + a.Key[:min(len(a.Key), 32)])
		}
	}
	return req
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
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// record makes the run a thread of the registry, with this process as its runner. A resumed run is a thread of its own, which
// continues the one before.
func (r *graphRun) record(ctx context.Context, e *Engine, ref item.Ref) error {
	store, err := e.Threads(ctx, false)
	if err != nil {
		return err
	}
	n := thread.New{ID: r.id, Item: ref.String(), Parent: e.options.Thread}
	for attempt := 2; ; attempt++ {
		t, err := store.Register(ctx, n)
		switch {
		case err == nil:
			return r.begin(ctx, store, t.ID)
		case n.Parent != "" && errors.Is(err, thread.ErrNotFound):
			n.Parent = ""
		case errors.Is(err, thread.ErrExists):
			n.ContinuationOf, n.ID = n.ID, resumedID(r.id, attempt)
		default:
			return err
		}
	}
}

func (r *graphRun) begin(ctx context.Context, store *thread.Store, id string) error {
	lock, err := store.Lock(ctx, id)
	if err != nil {
		return err
	}
	r.store, r.lock, r.thread = store, lock, id
	return store.Begin(ctx, lock)
}

// finish records how the run ended. One that can be resumed is not at its end, but nobody is behind it now.
func (r *graphRun) finish(result *graph.Result) error {
	o := thread.Outcome{Status: thread.Status(result.Status), Error: result.Error, ErrorType: result.ErrorType()}
	switch result.Status {
	case graph.StatusUnknown:
		o.Status = thread.Error
	case "":
		o.Status = thread.Completed
		if !result.Success {
			o.Status = thread.Error
		}
	}
	var err error
	if o.Result, err = json.Marshal(result); err != nil {
		return err
	}
	return r.store.Finish(context.Background(), r.thread, o)
}

// notExist reports whether a run was never begun.
func notExist(err error) bool { return errors.Is(err, fs.ErrNotExist) }
