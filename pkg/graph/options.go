package graph

import (
	"maps"
	"slices"

	"github.com/ryeos/rye/pkg/item"
)

// Options are how to run a graph.
type Options struct {
	RunID  string
	Inputs map[string]any

	Resume bool           // take up the run of the journal
	Retry  bool           // with Resume: execute again what failed, and what may have happened already
	State  map[string]any // of a single step that resumes nothing

	MaxSteps       int // of a graph that names none itself
	MaxConcurrency int // likewise

	// Caller is what the caller may do; the graph's own permissions are attenuated by it. nil: the caller may do everything.
	Caller *Capabilities
	Hooks  []Hook // besides those of the graph

	Journal Journal // nil: the run is lost with the process
	// CheckpointAfter is how many bytes of records there must be before a checkpoint takes their place; 0: 256 KiB.
	CheckpointAfter int
	Cache           Cache // nil: nothing is cached

	// Classify says what kind of failure an error is; nil: all are permanent. attempt counts from 1.
	Classify func(message, code string, attempt int) Classification `json:"-"`
	// Repeatable tells of actions that nobody declares idempotent that executing them again with the same Key is safe: a
	// graph that resumes by its own journal, for example.
	Repeatable func(a Action) bool `json:"-"`
}

// Invocation is a call of a graph as a tool: its parameters, sorted into those of the run and those of the graph.
type Invocation struct {
	Options
	Node     string // single step
	Validate bool
	Async    bool
	Limits   map[string]any
	Depth    any
}

// runParameters are those that steer the run (spec/rye-agent §3.2). A graph that declares one of them in its schema gets
// it as an input instead.
var runParameters = []string{
	"max_steps", "max_concurrency", "async", "resume", "graph_run_id", "resume_run_id", "retry", "node", "inject_state", "validate",
	"capabilities", "limits", "depth",
}

// Invoke sorts the parameters of a call.
func (g *Graph) Invoke(params map[string]any) (*Invocation, error) {
	in := &Invocation{}
	in.Inputs = maps.Clone(params)
	if in.Inputs == nil {
		in.Inputs = map[string]any{}
	}
	run := paramReader{values: map[string]any{}}
	for _, name := range runParameters {
		declared := slices.ContainsFunc(g.Parameters, func(p item.Parameter) bool { return p.Name == name })
		if v, ok := params[name]; ok && !declared {
			run.values[name] = v
			delete(in.Inputs, name)
		}
	}
	in.MaxSteps, in.MaxConcurrency = run.count("max_steps"), run.count("max_concurrency")
	in.Async, in.Validate, in.Resume, in.Retry = run.flag("async"), run.flag("validate"), run.flag("resume"), run.flag("retry")
	in.Node, in.RunID = run.text("node"), run.text("graph_run_id")
	if id := run.text("resume_run_id"); id != "" {
		in.RunID, in.Resume = id, true
	}
	in.State, in.Limits, in.Depth = run.mapping("inject_state"), run.mapping("limits"), run.values["depth"]
	in.Caller = run.capabilities("capabilities")
	if in.Resume && in.RunID == "" && run.err == nil {
		run.err = item.Usagef("resume needs graph_run_id, the run to take up")
	}
	return in, run.err
}

// paramReader keeps the first error, so that a caller reads all parameters and looks at err once.
type paramReader struct {
	values map[string]any
	err    error
}

func (r *paramReader) fail(name, want string) {
	if r.err == nil {
		r.err = item.Usagef("the parameter %s must be %s", name, want)
	}
}

func (r *paramReader) flag(name string) bool {
	v, ok := r.values[name].(bool)
	if !ok && r.values[name] != nil {
		r.fail(name, "true or false")
	}
	return v
}

func (r *paramReader) text(name string) string {
	v, ok := r.values[name].(string)
	if !ok && r.values[name] != nil {
		r.fail(name, "a text")
	}
	return v
}

func (r *paramReader) count(name string) int {
	if r.values[name] == nil {
		return 0
	}
	f, ok := item.Float(r.values[name])
	if !ok || f != float64(int(f)) || f < 1 || f > maxCount {
		r.fail(name, "a positive whole number")
		return 0
	}
	return int(f)
}

func (r *paramReader) mapping(name string) map[string]any {
	v, err := normal(r.values[name])
	m, ok := v.(map[string]any)
	if err != nil || !ok && v != nil {
		r.fail(name, "a mapping")
	}
	return m
}

func (r *paramReader) capabilities(name string) *Capabilities {
	switch v := r.values[name].(type) {
	case nil:
		return nil
	case string:
		return &Capabilities{v}
	case []any:
		list := make(Capabilities, len(v))
		for i, e := range v {
			s, ok := e.(string)
			if !ok {
				r.fail(name, "a list of capabilities")
			}
			list[i] = s
		}
		return &list
	}
	r.fail(name, "a list of capabilities")
	return nil
}
