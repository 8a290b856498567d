package agentfile

import (
	"slices"
	"strings"

	"github.com/ryeos/rye/pkg/agent"
	"github.com/ryeos/rye/pkg/item"
	"github.com/ryeos/rye/pkg/redact"
)

// tools reads the names that a prompt's model may call, each alone or with how it is used.
func (r *reader) tools(f field, p *agent.Prompt) {
	seen := map[string]bool{}
	for _, e := range f.list() {
		t := r.tool(e, p)
		if seen[t.Name] && t.Name != "" {
			e.fail("is there already: %s", item.Quote(t.Name))
		}
		seen[t.Name] = true
		p.Tools = append(p.Tools, t)
	}
}

func (r *reader) tool(f field, p *agent.Prompt) agent.Tool {
	const example = "name a tool, a prompt or an agent, as in rye/bash"
	if _, isText := f.value.(string); isText {
		t := agent.Tool{Name: f.required(example)}
		r.checkTool(f, t)
		return t
	}
	m := f.mapping()
	name := m.at("name")
	text, calls, failures := m.at("include_text_response"), m.at("include_tool_calls"), m.at("include_errors")
	env, options := m.at("env"), m.at("options")
	t := agent.Tool{
		Name: name.required(example), Description: m.at("description").text(), Env: r.env(env), Options: options.json(),
		OmitText: !text.flag(true), OmitCalls: !calls.flag(true), OmitErrors: !failures.flag(true),
		InitMessage: m.at("init_user_message_property").text(), InitAttachments: m.at("init_attachments_property").text(),
		InitName: m.at("init_agent_name_property").text(),
	}
	t.Subagent = r.subagent(m, p)
	m.end()
	r.checkTool(name, t)
	for _, of := range []field{env, options} {
		if of.declared() && (t.Subagent != nil || r.prompts[t.Name]) {
			of.fail("is for functions: an agent or a prompt has its own env, and no options")
		}
	}
	for _, of := range []field{text, calls, failures} {
		if of.declared() && t.Subagent != nil {
			of.fail("is about prompts as tools, but the entry has keys of an agent with a thread of its own: leave one of them out")
		}
	}
	return t
}

// toolPrefixes may stand before a name, to say what it is of.
var toolPrefixes = []string{"tool", "directive", "agent", "mcp", "provider"}

func (r *reader) checkTool(f field, t agent.Tool) {
	prefix, id, prefixed := strings.Cut(t.Name, ":")
	if !prefixed {
		id = t.Name
	}
	switch {
	case t.Name == "":
	case r.prompts[t.Name]:
		if t.Subagent != nil {
			f.fail("is a prompt, which has no thread of its own: leave out blocking, optional, immediate and resumable")
		}
		r.later = append(r.later, func() { r.checkDescribed(f, t) })
	case prefixed && !slices.Contains(toolPrefixes, prefix):
		f.fail("has the unknown prefix %s: write one of %s, or none", item.Quote(prefix), strings.Join(toolPrefixes, ", "))
	case strings.Contains(t.Name, "#"):
		r.refer(f, t.Name, false)
	case item.ValidateID(id) != nil:
		f.fail("is no name of a tool: %v", item.ValidateID(id))
	}
}

// checkDescribed asks for the text that models choose a tool by.
func (r *reader) checkDescribed(f field, t agent.Tool) {
	if p := r.file.Prompt(t.Name); p != nil && p.Description == "" && t.Description == "" {
		f.fail("is a prompt without a description: write one in prompts.%s, so that models know what it is for", p.Name)
	}
}

// subagent is nil for an entry that has none of its keys.
func (r *reader) subagent(m *mapping, p *agent.Prompt) *agent.Subagent {
	blocking, optional, immediate, resumable := m.at("blocking"), m.at("optional"), m.at("immediate"), m.at("resumable")
	if !slices.ContainsFunc([]field{blocking, optional, immediate, resumable}, field.declared) {
		return nil
	}
	return &agent.Subagent{
		Background: !blocking.flag(true), Optional: optional.variable(), Immediate: r.immediate(immediate, p), Resumable: r.resumable(resumable),
	}
}

// immediate is true, false, or what the child is told.
func (r *reader) immediate(f field, p *agent.Prompt) *agent.Immediate {
	if on, isFlag := f.value.(bool); isFlag || !f.declared() {
		if on {
			return &agent.Immediate{}
		}
		return nil
	}
	m := f.mapping()
	name, description, scoped := m.at("name_env"), m.at("description_env"), m.at("scoped_env")
	i := &agent.Immediate{NameEnv: name.variable(), DescriptionEnv: description.variable(), ScopedEnv: scoped.variableNames()}
	m.end()
	if !slices.ContainsFunc([]field{name, description, scoped}, field.declared) {
		f.fail("says nothing: write name_env, description_env or scoped_env, or true")
	}
	for _, hint := range []field{name, description} {
		variable, _ := hint.value.(string)
		secret := slices.ContainsFunc(p.Variables, func(v agent.Variable) bool { return v.Name == variable && v.Secret })
		switch {
		case variable == "":
		case secret || slices.Contains(i.ScopedEnv, variable):
			hint.fail("is shown to a model, and %s must not be: name another variable", variable)
		case redact.Looks(variable):
			hint.doubt("is shown to a model, and %s looks like a secret", variable)
		}
	}
	return i
}

// resumable is false, or how the child is spoken to.
func (r *reader) resumable(f field) *agent.Resumable {
	if on, isFlag := f.value.(bool); isFlag || !f.declared() {
		if on {
			f.fail("must say who receives messages: write {receives_messages: side_a}")
		}
		return nil
	}
	m := f.mapping()
	receives := m.at("receives_messages")
	receives.required("write side_a or side_b")
	res := &agent.Resumable{
		Receives: receives.word("side_a", "side_b"), MaxInstances: m.at("max_instances").count(),
		Explicit: m.at("parent_communication").word("implicit", "explicit") == "explicit",
	}
	m.end()
	return res
}
