package graph

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
)

// failure is why a run stops, as an error on its way up.
type failure struct {
	status  Status
	code    Code
	phase   string
	node    string
	message string
	unknown []Uncertain
}

func (f *failure) Error() string { return f.message }

func startup(code Code, format string, args ...any) *failure {
	return &failure{status: StatusError, code: code, phase: "startup", message: fmt.Sprintf(format, args...)}
}

// Run walks the graph from its start, or resumes a run, until it ends or cannot go on. Whatever happens is in the result.
func (g *Graph) Run(ctx context.Context, opts Options, env Env) *Result {
	w := newWalker(g, opts, env)
	if f := w.prepare(); f != nil {
		return w.failed(f)
	}
	if w.outcome == nil {
		if f := w.walk(ctx); f != nil {
			return w.stopped(f)
		}
	}
	return w.ended()
}

// Step executes one node and nothing else: on the state of a resumed run, which stays as it is, or on one that is given.
func (g *Graph) Step(ctx context.Context, node string, opts Options, env Env) *Result {
	w := newWalker(g, opts, env)
	w.single = true
	if g.Node(node) == nil {
		return w.failed(startup(CodeTarget, "Target node '%s' not found in graph", node))
	}
	if f := w.prepare(); f != nil {
		return w.failed(f)
	}
	w.outcome, w.pending, w.effects = nil, "", map[string]*effect{}
	w.node, w.attempt, w.wake = node, 1, time.Time{}
	var f *failure
	for before := w.step; f == nil && w.outcome == nil && w.step == before; {
		f = w.advance(ctx)
	}
	if f != nil {
		return w.stopped(f)
	}
	return w.stepped(node)
}

// newWalker makes a walker that stands nowhere yet.
func newWalker(g *Graph, opts Options, env Env) *walker {
	w := &walker{graph: g, opts: opts, env: env, journal: opts.Journal}
	w.maxSteps, w.maxConcurrency = g.MaxSteps, g.MaxConcurrency
	if w.maxSteps == 0 {
		w.maxSteps = opts.MaxSteps
	}
	if w.maxConcurrency == 0 {
		w.maxConcurrency = opts.MaxConcurrency
	}
	if w.opts.Classify == nil {
		w.opts.Classify = unclassified
	}
	w.allowed = g.Permissions
	if opts.Caller != nil {
		w.allowed = g.Permissions.Attenuate(*opts.Caller)
	}
	w.hooks = distinct(slices.Concat(g.Hooks, opts.Hooks))
	w.position.runID = opts.RunID
	w.position.effects = map[string]*effect{}
	return w
}

// prepare checks everything that can be checked before anything happens, and finds out where to start.
func (w *walker) prepare() *failure {
	if w.maxSteps == 0 {
		return startup(CodeConfig, "max_steps not configured — check execution.yaml defaults")
	}
	if w.maxConcurrency == 0 {
		return startup(CodeConfig, "max_concurrency not configured — check execution.yaml defaults")
	}
	if report := w.graph.Validate(); !report.Success {
		return startup(CodeValidation, "Graph validation failed: %s", quotedList(messages(report.Errors)))
	}
	if missing := w.graph.missingEnvironment(w.env.LookupEnv); len(missing) > 0 {
		return startup(CodeEnvironment, "Missing environment variables: %s", quotedList(missing))
	}
	if w.opts.Resume {
		return w.resume()
	}
	return w.begin()
}

// missingEnvironment lists the variables that the graph or a node requires and that are not set.
func (g *Graph) missingEnvironment(lookup func(string) (string, bool)) []string {
	var missing []string
	look := func(owner string, names []string) {
		for _, name := range names {
			if _, ok := lookup(name); !ok {
				missing = append(missing, fmt.Sprintf("%s requires '%s'", owner, name))
			}
		}
	}
	look("graph", g.EnvRequires)
	for _, n := range g.Nodes {
		owner := fmt.Sprintf("node '%s'", n.Name)
		if n.Action != nil {
			owner += " (" + n.Action.ItemID + ")"
		}
		look(owner, n.EnvRequires)
	}
	return missing
}

// begin starts a new run.
func (w *walker) begin() *failure {
	inputs, f := w.bind()
	if f != nil {
		return f
	}
	now := w.env.Now()
	r := &record{
		Kind: recordBegin, RunID: w.opts.RunID, Digest: w.graph.Digest, Started: now, Node: w.graph.Start,
		Event: eventGraphStarted, State: map[string]any{},
	}
	maps.Copy(r.State, w.graph.State)
	maps.Copy(r.State, w.opts.State)
	if _, injected := w.opts.State["inputs"]; !injected {
		r.State["inputs"] = inputs
	}
	if w.single {
		w.journal = nil // a single step belongs to no run
	} else {
		for range records(w.journal) {
			return startup(CodeJournal, "the run %s exists: resume it, or start under another id", w.opts.RunID)
		}
	}
	// The run may already outlive the process here, so the state must not share anything with the graph.
	state, err := normal(r.State)
	if err != nil {
		return startup(CodeInputs, "Input validation failed: %s", quotedList([]string{err.Error()}))
	}
	r.State = state.(map[string]any)
	if f := w.commit(r); f != nil {
		return f
	}
	w.emit(eventGraphStarted, map[string]any{"graph_id": w.graph.ID, "graph_run_id": w.runID, "start_node": w.node})
	return nil
}

// bind applies the defaults and looks for what is missing.
func (w *walker) bind() (map[string]any, *failure) {
	inputs := maps.Clone(w.opts.Inputs)
	if inputs == nil {
		inputs = map[string]any{}
	}
	var missing []string
	for _, p := range w.graph.Parameters {
		if _, ok := inputs[p.Name]; ok {
			continue
		}
		if p.Default != nil {
			inputs[p.Name] = p.Default
		} else if p.Required && !w.single {
			missing = append(missing, fmt.Sprintf("missing required input: '%s'", p.Name))
		}
	}
	if len(missing) > 0 {
		return nil, startup(CodeInputs, "Input validation failed: %s", quotedList(missing))
	}
	return inputs, nil
}

// quotedList writes a list of messages in one line.
func quotedList(list []string) string {
	quoted := make([]string, len(list))
	for i, s := range list {
		quoted[i] = strconv.Quote(s)
	}
	return "[" + strings.Join(quoted, ", ") + "]"
}
