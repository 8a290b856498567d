package agentfile

import (
	"slices"

	"github.com/ryeos/rye/pkg/agent"
	"github.com/ryeos/rye/pkg/item"
	"github.com/ryeos/rye/pkg/redact"
)

func (r *reader) prompt(f field) *agent.Prompt {
	m := f.mapping()
	model, chat, required := m.at("model"), m.at("include_chat"), m.at("required_schema")
	p := &agent.Prompt{
		Name: f.key(), Description: m.at("description", "tool_description").text(),
		Model:       model.required("name one of models, another file's as in other/agent#name, or a tier of the configuration"),
		IncludeChat: chat.flag(false), IncludePastTools: m.at("include_past_tools").flag(false),
		Parallel: m.at("parallel_tool_calls").flag(false), Schema: required.schema(),
		Variables: r.variables(m.at("variables")), Env: r.env(m.at("env")),
		RecentImages: m.at("recent_image_threshold").count(), ProviderOptions: m.at("provider_options").json(),
	}
	if !chat.declared() {
		r.deaf[p.Name] = true
	}
	if choice := m.at("tool_choice").word("auto", "none", "required"); choice != "auto" {
		p.ToolChoice = choice
	}
	p.Reasoning = r.reasoning(m.at("reasoning"))
	r.checkModel(model, p.Model)
	p.Parts = r.parts(m.at("prompt"), p)
	r.tools(m.at("tools"), p)
	m.end()
	return p
}

func (r *reader) reasoning(f field) (reasoning agent.Reasoning) {
	m := f.mapping()
	effort, tokens, include, exclude := m.at("effort"), m.at("max_tokens"), m.at("include"), m.at("exclude")
	if effort.declared() {
		reasoning.Effort = effort.word("low", "medium", "high")
	}
	reasoning.MaxTokens, reasoning.Exclude = tokens.count(), exclude.flag(!include.flag(true))
	switch {
	case f.declared() && !effort.declared() && !tokens.declared() && !include.declared() && !exclude.declared():
		f.fail("says nothing: write effort, max_tokens or exclude")
	case include.declared() && exclude.declared():
		include.fail("is the opposite of exclude: write one of them")
	}
	m.end()
	return reasoning
}

// checkModel leaves a plain name that is not the file's to the configuration, unless it is all too near to one that is.
func (r *reader) checkModel(f field, name string) {
	if _, _, elsewhere := SplitName(name); elsewhere {
		r.refer(f, name, true)
		return
	}
	if near := nearest(name, r.models); name != "" && !r.models[name] && near != "" {
		f.doubt("names %s, which is not among models: did you mean %s?", item.Quote(name), near)
	}
}

// parts reads a text, or a list of pieces.
func (r *reader) parts(f field, p *agent.Prompt) []agent.PromptPart {
	if _, isText := f.value.(string); isText || !f.declared() {
		return []agent.PromptPart{{Text: f.required("write what the model is told, or a list of {text: …}, {include: NAME} and {env: NAME}")}}
	}
	var parts []agent.PromptPart
	for _, e := range f.list() {
		parts = append(parts, r.part(e, p))
	}
	if parts == nil {
		f.fail("is empty: write what the model is told")
	}
	return parts
}

// partKinds are the kinds of parts; the Standard Agents specification has a key of its own for the value of each.
var partKinds = map[string]string{"text": "content", "include": "prompt", "env": "property"}

func (r *reader) part(f field, p *agent.Prompt) agent.PromptPart {
	m := f.mapping()
	text, include, env := m.at("text"), m.at("include"), m.at("env")
	if kind := m.at("type"); kind.declared() {
		of := map[string]*field{"text": &text, "include": &include, "env": &env}[kind.word("text", "include", "env")]
		*of = m.at(partKinds[kind.word("text", "include", "env")])
	}
	m.end()
	given := slices.DeleteFunc([]field{text, include, env}, func(f field) bool { return !f.declared() })
	if len(given) != 1 {
		f.fail("must be one of {text: …}, {include: NAME} and {env: NAME}")
		return agent.PromptPart{}
	}
	part := agent.PromptPart{Text: text.text(), Include: include.text(), Env: env.variable()}
	if include.declared() && include.required("name a prompt") != "" {
		r.refer(include, part.Include, false)
		r.includes = append(r.includes, link{p.Name, part.Include, include})
	}
	if text.declared() {
		text.required("write what the model is told")
	}
	declared := slices.IndexFunc(p.Variables, func(v agent.Variable) bool { return v.Name == part.Env })
	switch {
	case part.Env == "":
	case declared >= 0 && p.Variables[declared].Secret:
		env.fail("is a secret, and a prompt never shows one: give it to a tool")
	case declared < 0 && redact.Looks(part.Env):
		env.doubt("looks like a secret, and a prompt never shows one: give it to a tool")
	}
	return part
}

func (r *reader) variables(f field) []agent.Variable {
	var variables []agent.Variable
	for _, e := range f.list() {
		m := e.mapping()
		name := m.at("name")
		v := agent.Variable{
			Name: name.required("name the variable"), Secret: m.at("type").word("text", "secret") == "secret",
			Required: m.at("required").flag(false), Scoped: m.at("scoped").flag(false), Description: m.at("description").text(),
		}
		m.end()
		if v.Name != "" {
			name.checkVariable(v.Name)
		}
		if slices.ContainsFunc(variables, func(other agent.Variable) bool { return other.Name == v.Name }) {
			name.fail("is there already: %s", item.Quote(v.Name))
		}
		if !v.Secret && redact.Looks(v.Name) {
			e.doubt("looks like a secret: write type: secret, so that it is never shown")
		}
		variables = append(variables, v)
	}
	return variables
}
