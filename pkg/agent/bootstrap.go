package agent

import (
	"encoding/json"
	"strings"

	"github.com/ryeos/rye/pkg/record"
)

const bootstrapTool = "bootstrap_immediate_subagent"

// change is a part of a flow's transaction.
type change func(record.Tx, *Thread) error

func nothing(record.Tx, *Thread) error { return nil }

// bootstrap gives an instance that starts unasked its name and its task: as a model puts the hints, or the hints as they are.
// No model sees more of the environment than the two hints (seed 004 §7.4). used stores what the model was paid.
func (f *flow) bootstrap(s Scope, entry *Tool, n int, b *birth) (used change, err error) {
	name, task, err := f.hints(s, entry, n)
	if err != nil {
		return nil, err
	}
	if b.Name == "" {
		b.Name = name
	}
	if task != "" {
		b.Message = task
	}
	if name == "" && task == "" || f.limit(s.Agent) != nil {
		return nothing, nil
	}
	model, err := f.definitions.Model(s.Prompt.Model)
	if err != nil {
		return nothing, nil // the step says so
	}
	log := &ModelLog{Purpose: ForBootstrap, Prompt: s.Prompt.Name, Model: model.Name, Attempt: 1}
	if err := f.update(func(tx record.Tx, t *Thread) error { return f.openLog(tx, t.ID, log) }); err != nil {
		return nil, err
	}
	response, failure := f.ask(f.bootstrapRequest(s, entry, model, name, task), log)
	if response != nil {
		b.rename(response)
	}
	used = func(tx record.Tx, t *Thread) error { return f.closeLog(tx, t, log, response, failure) }
	return used, f.update(nothing) // whether the flow goes on
}

// hints are the values of the two variables that models may see.
func (f *flow) hints(s Scope, entry *Tool, n int) (name, task string, err error) {
	i := entry.Subagent.Immediate
	err = f.storage.View(f.ctx, func(tx record.Reader) error {
		for _, hint := range []struct {
			variable string
			value    *string
		}{{i.NameEnv, &name}, {i.DescriptionEnv, &task}} {
			if hint.variable == "" {
				continue
			}
			v, _, err := f.variable(tx, s.Thread, s.Agent, s.Prompt, nth(hint.variable, n))
			if err != nil {
				return err
			}
			*hint.value = strings.TrimSpace(v.Value)
		}
		return nil
	})
	return name, task, err
}

func (f *flow) bootstrapRequest(s Scope, entry *Tool, model *Model, name, task string) Request {
	about := entry.Name
	if agent, err := f.definitions.Agent(entry.Name); err == nil && agent.Description != "" {
		about += ": " + agent.Description
	}
	tool := schema(bootstrapTool, "Name the subagent and tell it what to do.", object{
		"name":    object{"type": "string", "description": "What people call it."},
		"message": object{"type": "string", "description": "Its first message: what it is to do."},
	}, "name", "message")
	return Request{
		Thread: s.Thread, Purpose: ForBootstrap, Model: model, ToolChoice: "required", Tools: []ToolSchema{tool},
		System:   "A subagent is about to start. Call " + bootstrapTool + " once, with nothing but what the hints say.\nThe subagent is " + about,
		Messages: []Entry{{Role: User, Text: "Hint of its name: " + name + "\nHint of its task: " + task}},
	}
}

// rename takes name and task from the model's call, if it is one.
func (b *birth) rename(response *Response) {
	for _, call := range response.Calls {
		var a struct{ Name, Message string }
		if call.Name != bootstrapTool || json.Unmarshal([]byte(call.Arguments), &a) != nil {
			continue
		}
		if strings.TrimSpace(a.Name) != "" {
			b.Name = a.Name
		}
		if strings.TrimSpace(a.Message) != "" {
			b.Message = a.Message
		}
		return
	}
}
