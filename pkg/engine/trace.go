package engine

import (
	"time"

	"github.com/ryeos/rye/pkg/chain"
	"github.com/ryeos/rye/pkg/item"
	"github.com/ryeos/rye/pkg/process"
	"github.com/ryeos/rye/pkg/runtime"
	"github.com/ryeos/rye/pkg/space"
)

// steps is what the steps of a call found and how long each took. It is recorded always: tracing only shows it, so it
// cannot change what happens.
type steps struct {
	paramsTime time.Duration
	anchor     *chain.Anchor
	anchorTime time.Duration
	deps       chain.Deps
	depsTime   time.Duration
	config     []space.Place
	configTime time.Duration
	plan       *runtime.Plan
	planTime   time.Duration
	ran        *process.Result
	runTime    time.Duration
}

// watch measures one step after the other.
type watch struct{ last time.Time }

func startWatch() *watch { return &watch{time.Now()} }

func (w *watch) lap(into *time.Duration) {
	now := time.Now()
	*into, w.last = now.Sub(w.last), now
}

// trace is the event log of the call as far as it came (seed 001, spec/rye-core §3.5); nil unless it was asked for.
// Values of variables are never in it, only their names.
func (c *Call) trace() []*item.Object {
	if !c.request.Trace || c.chain == nil {
		return nil
	}
	var log []*item.Object
	for _, e := range c.chain.Elements {
		log = append(log, resolveEvent(e))
	}
	for _, e := range c.chain.Elements {
		log = append(log, integrityEvent(e))
	}
	s := &c.steps
	if s.anchor != nil {
		log = append(log, anchorEvent(s), depsEvent(s))
	}
	if s.plan != nil {
		log = append(log, configEvent(s))
		log = append(log, c.envEvents()...)
		log = append(log, planEvent(s))
	}
	if s.ran != nil {
		log = append(log, spawnEvent(s), exitEvent(s))
	}
	return log
}

func event(step string, took time.Duration) *item.Object {
	e := item.NewObject()
	e.Set("step", step)
	e.Set("duration_us", took.Microseconds())
	return e
}

func resolveEvent(el *chain.Element) *item.Object {
	e := event("resolve", el.FindTime)
	e.Set("item_id", el.ID)
	e.Set("space", string(el.Space()))
	if el.Primitive() {
		e.Set("built_in", true)
		return e
	}
	e.Set("path", el.Place.Display())
	shadowed := []any{}
	for _, p := range el.Shadowed {
		s := item.NewObject()
		s.Set("path", p.Display())
		s.Set("space", string(p.Space.Label))
		shadowed = append(shadowed, s)
	}
	e.Set("shadowed", shadowed)
	return e
}

func integrityEvent(el *chain.Element) *item.Object {
	e := event("verify_integrity", el.VerifyTime)
	e.Set("item_id", el.ID)
	if el.Primitive() {
		e.Set("verified", true)
		e.Set("built_in", true)
		return e
	}
	waived := el.Proof.Waived()
	e.Set("verified", el.Proof.Valid() && waived == nil)
	switch {
	case waived != nil:
		e.Set("waived_by", "dev mode")
		e.Set("reason", stateOf(waived))
	case el.Failure != nil:
		e.Set("reason", stateOf(el.Failure))
	default:
		e.Set("key_fp", el.Proof.Signer())
		e.Set("owner", el.Proof.Owner())
	}
	return e
}

func anchorEvent(s *steps) *item.Object {
	e := event("anchor", s.anchorTime)
	e.Set("active", s.anchor.Active)
	if s.anchor.Dir.Space != nil {
		e.Set("path", s.anchor.Dir.Display())
	}
	if s.anchor.Lib.Space != nil {
		e.Set("runtime_lib", s.anchor.Lib.Display())
	}
	return e
}

func depsEvent(s *steps) *item.Object {
	e := event("verify_deps", s.depsTime)
	e.Set("count", int64(s.deps.Files))
	e.Set("bytes", s.deps.Bytes)
	return e
}

func configEvent(s *steps) *item.Object {
	e := event("resolve_config", s.configTime)
	layers := []any{}
	for _, p := range s.config {
		layers = append(layers, p.Display())
	}
	e.Set("layers", layers)
	return e
}

// envEvents says which variables each contributor set, from the first to the last, and where the ones that the child gets
// came from in the end.
func (c *Call) envEvents() []*item.Object {
	env := c.steps.plan.Env
	origins := []string{runtime.OriginProcess, runtime.OriginDotEnv, runtime.OriginRye}
	for i := len(c.chain.Elements) - 1; i >= 0; i-- {
		origins = append(origins, c.chain.Elements[i].ID)
	}
	origins = append(origins, runtime.OriginParameters, runtime.OriginCaller)
	var log []*item.Object
	for _, origin := range origins {
		names := env.SetBy(origin)
		if len(names) == 0 {
			continue
		}
		keys, replaced := []any{}, []any{}
		for _, name := range names {
			keys = append(keys, name)
			if env.Origin(name) != origin {
				replaced = append(replaced, name+" by "+env.Origin(name))
			}
		}
		e := event("resolve_env", 0)
		e.Delete("duration_us") // layers are built together: the plan's time has them all
		e.Set("contributed_by", origin)
		e.Set("keys", keys)
		if len(replaced) > 0 {
			e.Set("replaced", replaced)
		}
		log = append(log, e)
	}
	return log
}

func planEvent(s *steps) *item.Object {
	e := event("plan", s.paramsTime+s.planTime)
	argv := []any{}
	for _, arg := range s.plan.Argv {
		argv = append(argv, arg)
	}
	e.Set("program", s.plan.Program)
	e.Set("argv", argv)
	e.Set("cwd", s.plan.Cwd)
	e.Set("timeout_s", s.plan.Timeout.Seconds())
	e.Set("timeout_set_by", s.plan.TimeoutOwner)
	e.Set("stdin_bytes", int64(len(s.plan.Stdin)))
	return e
}

func spawnEvent(s *steps) *item.Object {
	e := event("spawn", s.runTime-s.ran.Duration)
	if s.ran.PID == 0 {
		e.Set("kept", true) // nothing was started: see runKept
		return e
	}
	e.Set("pid", int64(s.ran.PID))
	return e
}

func exitEvent(s *steps) *item.Object {
	e := event("exit", s.ran.Duration)
	e.Set("exit_code", int64(s.ran.ExitCode))
	if s.ran.Signal != "" {
		e.Set("signal", s.ran.Signal)
	}
	e.Set("timed_out", s.ran.TimedOut)
	e.Set("stdout_bytes", s.ran.Stdout.Total)
	e.Set("stderr_bytes", s.ran.Stderr.Total)
	e.Set("leftover_processes_killed", int64(s.ran.Reaped))
	e.Set("cpu_us", (s.ran.UserTime + s.ran.SystemTime).Microseconds())
	e.Set("max_rss_bytes", s.ran.MaxRSS)
	return e
}
