package agentfile

import (
	"reflect"

	"github.com/ryeos/rye/pkg/agent"
	"github.com/ryeos/rye/pkg/item"
)

func encodePrompt(p *agent.Prompt) *item.Object {
	o := item.NewObject()
	set(o, "description", p.Description)
	set(o, "model", p.Model)
	set(o, "prompt", encodeParts(p.Parts))
	o.Set("include_chat", p.IncludeChat) // without it, a prompt is doubted
	set(o, "include_past_tools", p.IncludePastTools)
	set(o, "parallel_tool_calls", p.Parallel)
	set(o, "tool_choice", p.ToolChoice)
	var tools, variables []any
	for _, t := range p.Tools {
		tools = append(tools, encodeTool(t))
	}
	for _, v := range p.Variables {
		variables = append(variables, encodeVariable(v))
	}
	set(o, "tools", tools)
	set(o, "variables", variables)
	set(o, "env", encodeEnv(p.Env))
	reasoning := item.NewObject()
	set(reasoning, "effort", p.Reasoning.Effort)
	set(reasoning, "max_tokens", p.Reasoning.MaxTokens)
	set(reasoning, "exclude", p.Reasoning.Exclude)
	set(o, "reasoning", reasoning)
	set(o, "required_schema", p.Schema)
	set(o, "recent_image_threshold", p.RecentImages)
	set(o, "provider_options", p.ProviderOptions)
	return o
}

// encodeParts is the text alone where there is nothing else.
func encodeParts(parts []agent.PromptPart) any {
	if len(parts) == 1 && parts[0].Text != "" {
		return parts[0].Text
	}
	var list []any
	for _, part := range parts {
		o := item.NewObject()
		set(o, "text", part.Text)
		set(o, "include", part.Include)
		set(o, "env", part.Env)
		list = append(list, o)
	}
	return list
}

func encodeVariable(v agent.Variable) *item.Object {
	o := item.NewObject()
	set(o, "name", v.Name)
	if v.Secret {
		o.Set("type", "secret")
	}
	set(o, "required", v.Required)
	set(o, "scoped", v.Scoped)
	set(o, "description", v.Description)
	return o
}

// encodeTool is the name alone where that says it all.
func encodeTool(t agent.Tool) any {
	if reflect.DeepEqual(t, agent.Tool{Name: t.Name}) {
		return t.Name
	}
	o := item.NewObject()
	set(o, "name", t.Name)
	set(o, "description", t.Description)
	set(o, "env", encodeEnv(t.Env))
	set(o, "options", t.Options)
	setOff(o, "include_text_response", t.OmitText)
	setOff(o, "include_tool_calls", t.OmitCalls)
	setOff(o, "include_errors", t.OmitErrors)
	set(o, "init_user_message_property", t.InitMessage)
	set(o, "init_attachments_property", t.InitAttachments)
	set(o, "init_agent_name_property", t.InitName)
	if t.Subagent != nil {
		encodeSubagent(o, t.Subagent)
	}
	return o
}

// encodeSubagent always writes blocking, which alone may make the entry one of a subagent.
func encodeSubagent(o *item.Object, s *agent.Subagent) {
	o.Set("blocking", !s.Background)
	set(o, "optional", s.Optional)
	if i := s.Immediate; i != nil {
		immediate := item.NewObject()
		set(immediate, "name_env", i.NameEnv)
		set(immediate, "description_env", i.DescriptionEnv)
		var scoped []any
		for _, name := range i.ScopedEnv {
			scoped = append(scoped, name)
		}
		set(immediate, "scoped_env", scoped)
		o.Set("immediate", true)
		set(o, "immediate", immediate)
	}
	if r := s.Resumable; r != nil {
		resumable := item.NewObject()
		resumable.Set("receives_messages", r.Receives)
		set(resumable, "max_instances", r.MaxInstances)
		if r.Explicit {
			resumable.Set("parent_communication", "explicit")
		}
		o.Set("resumable", resumable)
	}
}
