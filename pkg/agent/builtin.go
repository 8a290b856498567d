package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// The engine's own tools (spec/agent-runtime A8.1).
const (
	createTool  = "subagent_create"
	messageTool = "subagent_message"
)

// resumables are the entries of a prompt that subagent_create can make.
func (f *flow) resumables(s Scope) []*Tool {
	var list []*Tool
	for i := range s.Prompt.Tools {
		t := &s.Prompt.Tools[i]
		if t.Subagent != nil && t.Subagent.Resumable != nil && f.enabled(s, t) {
			list = append(list, t)
		}
	}
	return list
}

// hasBuiltin reports whether one of the engine's tools has something to act on.
func (f *flow) hasBuiltin(s Scope, name string) bool {
	switch name {
	case createTool:
		return len(f.resumables(s)) > 0
	case messageTool:
		if f.thread.Spawned == 0 {
			return false
		}
		list, err := f.registry()
		return err == nil && slices.ContainsFunc(list, func(c Child) bool { return c.reachable() })
	}
	return false
}

func (f *flow) builtin(name string) runner {
	if name == createTool {
		return f.createCall
	}
	return f.messageCall
}

func (f *flow) builtinSchemas(s Scope) []ToolSchema {
	var list []ToolSchema
	if f.hasBuiltin(s, createTool) {
		list = append(list, createSchema(f.resumables(s), f.definitions))
	}
	if f.hasBuiltin(s, messageTool) {
		list = append(list, messageSchema())
	}
	return list
}

type object = map[string]any

func createSchema(entries []*Tool, definitions Definitions) ToolSchema {
	var names, about []string
	for _, t := range entries {
		names = append(names, t.Name)
		line := "- " + t.Name
		if agent, err := definitions.Agent(t.Name); err == nil {
			for _, text := range []string{t.Description, agent.ToolDescription, agent.Description} {
				if text != "" {
					line += ": " + text
					break
				}
			}
		}
		about = append(about, line)
	}
	return schema(createTool, "Start a subagent: another agent that works on a task in a thread of its own.\n"+strings.Join(about, "\n"), object{
		"agent":       object{"type": "string", "enum": names, "description": "Which agent."},
		"name":        object{"type": "string", "description": "What people call this instance; not empty."},
		"message":     object{"type": "string", "description": "Its task. It knows nothing of this conversation."},
		"attachments": attachmentsSchema,
		"arguments":   object{"type": "object", "description": "What the agent wants to know beside the message."},
	}, "agent", "name", "message", "attachments")
}

func messageSchema() ToolSchema {
	return schema(messageTool, "Send another message to a subagent that is there.", object{
		"referenceId": object{"type": "string", "description": "The subagent's reference."},
		"message":     object{"type": "string"},
		"attachments": attachmentsSchema,
	}, "referenceId", "message", "attachments")
}

var attachmentsSchema = object{"type": "array", "items": object{"type": "string"},
	"description": "Paths of files of this thread, below " + attachmentFolder + ", that the subagent gets copies of; may be empty."}

func schema(name, description string, properties object, required ...string) ToolSchema {
	encoded, err := json.Marshal(object{"type": "object", "properties": properties, "required": required})
	if err != nil {
		panic(err) // it is made of strings
	}
	return ToolSchema{Name: name, Description: description, Parameters: encoded}
}

// builtinArguments are those of both tools.
type builtinArguments struct {
	Agent       string          `json:"agent"`
	Reference   string          `json:"referenceId"`
	Name        string          `json:"name"`
	Message     string          `json:"message"`
	Attachments json.RawMessage `json:"attachments"`
	Arguments   json.RawMessage `json:"arguments"`
	files       []string
}

func readBuiltin(c *Call) (a builtinArguments, err error) {
	if err := json.Unmarshal(c.Arguments, &a); err != nil {
		return a, refuse("invalid_arguments", "the arguments of %s cannot be read: %v", c.Name, err)
	}
	if strings.TrimSpace(a.Message) == "" {
		return a, refuse("invalid_arguments", `%s needs "message": what the subagent is to do`, c.Name)
	}
	if len(a.Attachments) == 0 || string(a.Attachments) == "null" {
		return a, refuse("invalid_arguments", `%s needs "attachments": a list of paths, [] if there are none`, c.Name)
	}
	if a.files, err = paths(a.Attachments); err != nil {
		err = refuse("invalid_arguments", `the "attachments" of %s cannot be read: %v`, c.Name, err)
	}
	return a, err
}

func (f *flow) createCall(_ context.Context, s Scope, c *Call, row *Message) ToolResult {
	entries := f.resumables(s)
	names := make([]string, len(entries))
	for i, t := range entries {
		names[i] = t.Name
	}
	var wanted struct{ Agent, Name string }
	_ = json.Unmarshal(c.Arguments, &wanted) // readBuiltin says what is wrong
	at := slices.Index(names, wanted.Agent)
	if at < 0 {
		return refuse("invalid_arguments", `%s needs "agent": one of %s`, createTool, strings.Join(names, ", ")).ToolResult
	}
	if strings.TrimSpace(wanted.Name) == "" {
		return refuse("invalid_arguments", `%s needs "name": what people call this instance of %s`, createTool, wanted.Agent).ToolResult
	}
	a, err := readBuiltin(c)
	if err != nil {
		return refusedBy(err)
	}
	b := newBirth(s, entries[at])
	b.Name, b.Message, b.Attachments = a.Name, a.Message, a.files
	if b.Arguments, err = f.initialArguments(entries[at], &a); err != nil {
		return refusedBy(err)
	}
	if there, err := f.only(b); err != nil || there != nil {
		if err != nil {
			return refusedBy(err)
		}
		return f.messageChild(there.Reference, a.Message, a.files, row)
	}
	return f.startChild(b, row)
}

// only is the instance that a blocking subagent of which there may be one has already: creating it is going on with it.
func (f *flow) only(b *birth) (*Child, error) {
	if !b.Blocking || b.Resumable.MaxInstances != 1 {
		return nil, nil
	}
	list, err := f.registry()
	if there := instances(list, b.Tool); err == nil && len(there) > 0 {
		return &there[0], nil
	}
	return nil, err
}

// initialArguments are what the child's prompts are filled in with. Those that its prompt requires have to be there; the
// message and the name count for the ones that they are mapped to.
func (f *flow) initialArguments(entry *Tool, a *builtinArguments) (json.RawMessage, error) {
	var required struct{ Required []string }
	if agent, err := f.definitions.Agent(entry.Name); err == nil {
		if prompt, err := f.definitions.Prompt(agent.SideA.Prompt); err == nil {
			_ = json.Unmarshal(orEmpty(prompt.Schema), &required) // it was looked at when it was signed
		}
	}
	given := map[string]json.RawMessage{}
	if len(a.Arguments) > 0 && string(a.Arguments) != "null" {
		if err := json.Unmarshal(a.Arguments, &given); err != nil {
			return nil, argumentsRequired(entry.Name, required.Required, "they are not an object")
		}
	}
	for name, value := range map[string]string{entry.InitMessage: a.Message, entry.InitName: a.Name} {
		if _, ok := given[name]; !ok && name != "" {
			given[name], _ = json.Marshal(value) // a string
		}
	}
	for _, name := range required.Required {
		if _, ok := given[name]; !ok {
			return nil, argumentsRequired(entry.Name, required.Required, fmt.Sprintf("%q is missing", name))
		}
	}
	return json.Marshal(given)
}

func argumentsRequired(agent string, required []string, problem string) error {
	no := refuse("subagent_arguments_required", `the "arguments" for %s are not complete: %s; it requires: %s`, agent, problem, strings.Join(required, ", "))
	no.ErrorData, _ = json.Marshal(object{"agent": agent, "required": append([]string{}, required...)}) // strings
	return no
}

func (f *flow) messageCall(_ context.Context, _ Scope, c *Call, row *Message) ToolResult {
	a, err := readBuiltin(c)
	if err != nil {
		return refusedBy(err)
	}
	return f.messageChild(strings.TrimSpace(a.Reference), a.Message, a.files, row)
}
