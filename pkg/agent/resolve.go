package agent

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/ryeos/rye/pkg/item"
)

// runner does what a call means.
type runner func(ctx context.Context, s Scope, c *Call, row *Message) ToolResult

// resolve finds what a name means to a scope: the engine's own tools, functions of the hook, prompts, agents, in this order
// (seed 004 §5.3). A call that was queued by a program may use functions that the prompt does not list.
func (f *flow) resolve(s Scope, name string, queued bool) (runner, ToolResult) {
	entry := s.Prompt.tool(name)
	hook := f.env.Hook()
	switch {
	case f.hasBuiltin(s, name):
		return f.builtin(name), ToolResult{}
	case entry == nil && queued && hook.Claim(name):
		return f.function(&Tool{}), ToolResult{}
	case entry == nil && f.known(name):
		return nil, f.notAvailable(s, name)
	case entry == nil:
		return nil, f.unknown(s, name)
	case entry.Subagent != nil:
		return f.subagentTool(s, entry)
	case hook.Claim(name):
		return f.function(entry), ToolResult{}
	}
	if prompt, err := f.definitions.Prompt(name); err == nil {
		return f.promptTool(entry, prompt), ToolResult{}
	} else if item.TypeOf(err) != item.TypeNotFound {
		return nil, ToolResult{Error: err.Error(), ErrorCode: string(item.TypeOf(err))}
	}
	agent, err := f.definitions.Agent(name)
	switch {
	case err != nil && item.TypeOf(err) == item.TypeNotFound:
		return nil, f.unknown(s, name)
	case err != nil:
		return nil, ToolResult{Error: err.Error(), ErrorCode: string(item.TypeOf(err))}
	case agent.Kind == Dual:
		return f.subagentTool(s, entry)
	}
	return f.handoff(agent), ToolResult{}
}

func (p *Prompt) tool(name string) *Tool {
	if i := slices.IndexFunc(p.Tools, func(t Tool) bool { return t.Name == name }); i >= 0 {
		return &p.Tools[i]
	}
	return nil
}

// known reports whether a name means anything here, to whomever.
func (f *flow) known(name string) bool {
	if f.env.Hook().Claim(name) || name == createTool || name == messageTool {
		return true
	}
	if _, err := f.definitions.Prompt(name); err == nil {
		return true
	}
	_, err := f.definitions.Agent(name)
	return err == nil
}

func notRegistered(name string) ToolResult {
	return ToolResult{Error: fmt.Sprintf("tool not registered: %s", name), ErrorCode: "not_registered"}
}

// unknown is notRegistered for a model, which may have misspelled a name.
func (f *flow) unknown(s Scope, name string) ToolResult {
	result := notRegistered(name)
	result.Error += f.instead(s)
	return result
}

func (f *flow) notAvailable(s Scope, name string) ToolResult {
	return ToolResult{Error: "tool not available for this prompt: " + name + f.instead(s), ErrorCode: "not_available"}
}

// instead names the tools that the model was told of.
func (f *flow) instead(s Scope) string {
	var names []string
	for _, t := range f.schemas(s) {
		names = append(names, t.Name)
	}
	if len(names) == 0 {
		return "; there are no tools"
	}
	return "; there are: " + strings.Join(names, ", ")
}

// function is a call of a function of the hook.
func (f *flow) function(entry *Tool) runner {
	return func(ctx context.Context, _ Scope, c *Call, _ *Message) ToolResult {
		c.Options, c.State.toolEnv = entry.Options, entry.Env
		result, claimed := f.env.Hook().Dispatch(ctx, *c)
		if !claimed {
			return notRegistered(c.Name)
		}
		return result
	}
}

// schemas are the tools that a model is told of: those its prompt lists, and the engine's own.
func (f *flow) schemas(s Scope) []ToolSchema {
	offered := map[string]ToolSchema{}
	for _, t := range f.env.Hook().Schemas(s) {
		offered[t.Name] = t
	}
	list := []ToolSchema{}
	for i := range s.Prompt.Tools {
		entry := &s.Prompt.Tools[i]
		schema, ok := offered[entry.Name]
		switch {
		case entry.Subagent != nil:
			if !f.enabled(s, entry) || entry.Subagent.Resumable != nil {
				continue // resumable ones are made by the engine's own tools
			}
			schema, ok = f.agentSchema(entry)
		case !ok:
			schema, ok = f.definedSchema(entry)
		}
		if !ok {
			continue
		}
		if entry.Description != "" {
			schema.Description = entry.Description
		}
		list = append(list, schema)
	}
	return append(list, f.builtinSchemas(s)...)
}

// definedSchema is the schema of a prompt or an agent as a tool.
func (f *flow) definedSchema(entry *Tool) (ToolSchema, bool) {
	if prompt, err := f.definitions.Prompt(entry.Name); err == nil {
		return ToolSchema{Name: entry.Name, Description: prompt.Description, Parameters: orEmpty(prompt.Schema)}, true
	}
	return f.agentSchema(entry)
}

// agentSchema takes the arguments of the prompt that side A of the agent has.
func (f *flow) agentSchema(entry *Tool) (ToolSchema, bool) {
	agent, err := f.definitions.Agent(entry.Name)
	if err != nil {
		return ToolSchema{}, false
	}
	schema := ToolSchema{Name: entry.Name, Description: agent.ToolDescription, Parameters: orEmpty(nil)}
	if schema.Description == "" {
		schema.Description = agent.Description
	}
	if prompt, err := f.definitions.Prompt(agent.SideA.Prompt); err == nil {
		schema.Parameters = orEmpty(prompt.Schema)
	}
	return schema, true
}

// anyObject is the schema of arguments that nobody has described.
const anyObject = `{"type":"object","properties":{}}`

func orEmpty(schema []byte) []byte {
	if len(schema) == 0 {
		return []byte(anyObject)
	}
	return schema
}
