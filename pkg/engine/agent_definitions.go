package engine

import (
	"strings"
	"sync"

	"github.com/ryeos/rye/pkg/agent"
	"github.com/ryeos/rye/pkg/agentfile"
	"github.com/ryeos/rye/pkg/item"
)

// AgentDefinitions is agent.Definitions over signed files. An agent is named by the id of its file, prompts and models
// as id#name. Each file is verified whenever something of it is asked for, and parsed when its content has changed. It is
// safe for concurrent use.
type AgentDefinitions struct {
	engine *Engine
	mu     sync.Mutex
	parsed map[string]parsedAgent // by id
}

type parsedAgent struct {
	digest string
	file   *agentfile.File
}

// AgentDefinitions finds what agents are made of in the spaces of this engine.
func (e *Engine) AgentDefinitions() *AgentDefinitions {
	return &AgentDefinitions{engine: e, parsed: map[string]parsedAgent{}}
}

// Agent implements agent.Definitions: review/pair, or agent:review/pair.
func (d *AgentDefinitions) Agent(name string) (*agent.Agent, error) {
	id := strings.TrimPrefix(name, string(item.Agent)+":")
	if item.ValidateID(id) != nil {
		return nil, notDefined("agent", name)
	}
	f, err := d.file(id)
	if err != nil {
		return nil, err
	}
	if f.Agent == nil {
		return nil, item.Errorf(item.TypeNotFound, "agent:%s defines no agent, only what others use", id).Hint("rye show agent:%s", id)
	}
	return f.Agent, nil
}

// Prompt implements agent.Definitions: review/pair#critic.
func (d *AgentDefinitions) Prompt(name string) (*agent.Prompt, error) {
	return defined(d, "prompt", name, (*agentfile.File).Prompt)
}

// Model implements agent.Definitions: review/pair#fast.
func (d *AgentDefinitions) Model(name string) (*agent.Model, error) {
	return defined(d, "model", name, (*agentfile.File).Model)
}

func defined[T any](d *AgentDefinitions, what, name string, find func(*agentfile.File, string) *T) (*T, error) {
	id, _, ok := agentfile.SplitName(name)
	if !ok {
		return nil, notDefined(what, name)
	}
	f, err := d.file(id)
	if err != nil {
		return nil, err
	}
	found := find(f, name)
	if found == nil {
		return nil, notDefined(what, name).Hint("rye show agent:%s", id)
	}
	return found, nil
}

func notDefined(what, name string) *item.Error {
	return item.Errorf(item.TypeNotFound, "there is no %s %s", what, item.Quote(name))
}

// file finds, verifies and reads one, with the names that others know.
func (d *AgentDefinitions) file(id string) (*agentfile.File, error) {
	found, err := d.engine.resolver.Alone(item.Ref{Kind: item.Agent, ID: id})
	if err != nil {
		return nil, err
	}
	e := found.Tool()
	digest := e.Proof.Digest()
	d.mu.Lock()
	known := d.parsed[id]
	d.mu.Unlock()
	if known.digest == digest {
		return known.file, nil
	}
	f, err := agentfile.Parse(e.Place.Display(), e.Source())
	if err == nil {
		err = f.Err(e.Place.Display())
	}
	if err != nil {
		return nil, err
	}
	f = f.Under(id)
	if f.Agent != nil {
		f.Agent.Digest = digest
	}
	d.mu.Lock()
	d.parsed[id] = parsedAgent{digest, f}
	d.mu.Unlock()
	return f, nil
}
