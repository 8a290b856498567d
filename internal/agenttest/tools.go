package agenttest

import (
	"context"
	"encoding/json"
	"sync"

	"github.com/ryeos/rye/pkg/agent"
)

// Func is a tool.
type Func func(ctx context.Context, c agent.Call) agent.ToolResult

// Env is a world of functions. Events and wakes are remembered.
type Env struct {
	agent.NopEnv
	agent.NopHook
	Tools        map[string]Func
	Instructions string
	CWD          string
	Variables    map[string]string
	Before       func(agent.Scope) []agent.Entry
	At           func(p agent.Point, d *agent.PointData) error
	Forget       bool // events
	OnWake       func(thread string)
	OnEvent      func(agent.Event)
	OwnerAlive   func(owner string) bool

	mu     sync.Mutex
	events []agent.Event
	wakes  []string
}

// Hook implements agent.Env.
func (e *Env) Hook() agent.Hook { return e }

// OnAgentEvent implements agent.Env.
func (e *Env) OnAgentEvent(_, _ string, event agent.Event) {
	e.mu.Lock()
	if !e.Forget {
		e.events = append(e.events, event)
	}
	e.mu.Unlock()
	if e.OnEvent != nil {
		e.OnEvent(event)
	}
}

// Events are those so far.
func (e *Env) Events() []agent.Event {
	e.mu.Lock()
	defer e.mu.Unlock()
	return append([]agent.Event{}, e.events...)
}

// Wakes are the threads that were to be woken.
func (e *Env) Wakes() []string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return append([]string{}, e.wakes...)
}

// DiscoverInstructions implements agent.Env.
func (e *Env) DiscoverInstructions(string) (string, bool) {
	return e.Instructions, e.Instructions != ""
}

// EffectiveCWD implements agent.Env.
func (e *Env) EffectiveCWD(string) string { return e.CWD }

// Variable implements agent.Env.
func (e *Env) Variable(name string) (string, bool) {
	v, ok := e.Variables[name]
	return v, ok
}

// Wake implements agent.Env.
func (e *Env) Wake(_ context.Context, thread string) {
	e.mu.Lock()
	e.wakes = append(e.wakes, thread)
	e.mu.Unlock()
	if e.OnWake != nil {
		e.OnWake(thread)
	}
}

// Alive implements agent.Env.
func (e *Env) Alive(owner string) bool { return e.OwnerAlive == nil || e.OwnerAlive(owner) }

// Schemas implements agent.Hook.
func (e *Env) Schemas(agent.Scope) []agent.ToolSchema {
	var list []agent.ToolSchema
	for name := range e.Tools {
		list = append(list, agent.ToolSchema{Name: name, Description: "The tool " + name, Parameters: json.RawMessage(`{"type":"object"}`)})
	}
	return list
}

// Claim implements agent.Hook.
func (e *Env) Claim(name string) bool { return e.Tools[name] != nil }

// Dispatch implements agent.Hook.
func (e *Env) Dispatch(ctx context.Context, c agent.Call) (agent.ToolResult, bool) {
	f := e.Tools[c.Name]
	if f == nil {
		return agent.ToolResult{}, false
	}
	return f(ctx, c), true
}

// BeforeRun implements agent.Hook.
func (e *Env) BeforeRun(_ context.Context, s agent.Scope) []agent.Entry {
	if e.Before == nil {
		return nil
	}
	return e.Before(s)
}

// Lifecycle implements agent.Hook.
func (e *Env) Lifecycle(_ context.Context, p agent.Point, d *agent.PointData) error {
	if e.At == nil {
		return nil
	}
	return e.At(p, d)
}
