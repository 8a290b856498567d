package agenttest

import (
	"context"
	"testing"

	"github.com/ryeos/rye/pkg/agent"
	"github.com/ryeos/rye/pkg/record"
)

// World is a runtime with everything around it.
type World struct {
	*agent.Runtime
	T        *testing.T
	Storage  record.Storage
	Provider *Provider
	Env      *Env
	Clock    *Clock
	Catalog  *agent.Catalog
}

// New makes a world with an agent "helper" whose prompt "helper" may use the tools and sees everything, and a model
// "model". Change Catalog before a thread runs.
func New(t *testing.T, storage record.Storage, p *Provider, tools map[string]Func) *World {
	t.Helper()
	prompt := &agent.Prompt{Name: "helper", Parts: []agent.PromptPart{{Text: "You help."}}, Model: "model", IncludeChat: true, IncludePastTools: true}
	for name := range tools {
		prompt.Tools = append(prompt.Tools, agent.Tool{Name: name})
	}
	w := &World{
		T: t, Storage: storage, Provider: p, Env: &Env{Tools: tools}, Clock: NewClock(),
		Catalog: &agent.Catalog{
			Agents:  map[string]*agent.Agent{"helper": {Name: "helper", SideA: agent.Side{Prompt: "helper"}}},
			Prompts: map[string]*agent.Prompt{"helper": prompt},
			Models:  map[string]*agent.Model{"model": {Name: "model", ID: "model-1"}},
		},
	}
	w.Runtime = w.NewRuntime("owner")
	return w
}

// NewRuntime makes another runtime on the same storage: another process, as far as threads can tell.
func (w *World) NewRuntime(owner string) *agent.Runtime {
	w.T.Helper()
	r, err := agent.New(agent.Config{Storage: w.Storage, Provider: w.Provider, Env: w.Env, Definitions: w.Catalog, Clock: w.Clock,
		Owner: owner, Key: make([]byte, 32)})
	if err != nil {
		w.T.Fatal(err)
	}
	return r
}

// Thread makes a thread of an agent.
func (w *World) Thread(name string) string {
	w.T.Helper()
	thread, err := w.Create(context.Background(), agent.NewThread{Agent: name})
	if err != nil {
		w.T.Fatal(err)
	}
	return thread.ID
}

// Say sends a message of the user and runs the thread.
func (w *World) Say(thread, text string) *agent.Outcome {
	w.T.Helper()
	o, err := w.Deliver(context.Background(), thread, agent.Outgoing{Content: text})
	if err != nil {
		w.T.Fatal(err)
	}
	return o
}

// Rows are all messages of a thread, silent and nested ones too.
func (w *World) Rows(thread string) []agent.Message {
	w.T.Helper()
	page, err := w.Messages(context.Background(), thread, agent.PageOptions{Limit: 1 << 30, Silent: true, MaxDepth: 99})
	if err != nil {
		w.T.Fatal(err)
	}
	return page.Messages
}
