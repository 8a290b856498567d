package agentfile

import (
	"slices"
	"time"

	"github.com/ryeos/rye/pkg/agent"
	"github.com/ryeos/rye/pkg/item"
	"github.com/ryeos/rye/pkg/redact"
)

// agent reads what is not about prompts and models, nil in a file without sides.
func (r *reader) agent(top *mapping) *agent.Agent {
	title, env := top.at("title"), top.at("env")
	kind, sideA, sideB, turns := top.at("type"), top.at("side_a"), top.at("side_b"), top.at("max_session_turns")
	compact, policy := top.at("compact_at"), top.at("on_context_limit")
	exposed, tool, limits := top.at("expose_as_tool"), top.at("tool_description"), top.at("limits")
	if !sideA.declared() {
		if slices.ContainsFunc([]field{kind, sideB, turns, compact, policy, exposed, tool, limits, env}, field.declared) {
			sideA.fail("is missing: it says who speaks first, as in side_a: {prompt: NAME}")
		}
		return nil
	}
	a := &agent.Agent{
		Kind: agent.Kind(kind.word(string(agent.Human), string(agent.Dual))), Title: title.text(), Description: r.file.meta.Description,
		SideA: r.side(sideA), MaxSessionTurns: turns.count(), ExposeAsTool: exposed.flag(false), ToolDescription: tool.text(),
		Env: r.env(env), Limits: r.limits(limits), CompactAt: compact.count(),
	}
	if policy.declared() {
		a.OnContextLimit = agent.ContextPolicy(policy.word(string(agent.Compact), string(agent.FailThere)))
	}
	if sideB.declared() {
		a.SideB = r.sideB(sideB, a.Kind)
	}
	r.checkAgent(a, top, sideB, turns)
	return a
}

func (r *reader) checkAgent(a *agent.Agent, top *mapping, b, turns field) {
	dual := a.Kind == agent.Dual
	switch {
	case dual && !b.declared():
		b.fail("is missing: an agent of type dual_ai has two, as in side_b: {prompt: NAME}; with a person it is of type ai_human")
	case !dual && a.SideB.Prompt != "":
		b.doubt("has no effect: side B of an ai_human agent is a person. Write type: dual_ai for one that is a prompt")
	case !dual && turns.declared():
		turns.doubt("has no effect: it counts the turns of a dual_ai agent")
	case dual && a.SideA.SessionStop.Tool == "" && a.SideB.SessionStop.Tool == "" && a.MaxSessionTurns == 0:
		top.doubt("nothing ends a session of this dual_ai agent: give a side session_stop, or the agent max_session_turns")
	}
	if a.ExposeAsTool && a.ToolDescription == "" {
		top.child("tool_description", nil).fail("is missing: models that may call the agent (expose_as_tool) need to know what it does")
	}
}

// sideB is a side whose prompt is only needed if it is not a person.
func (r *reader) sideB(f field, kind agent.Kind) agent.Side {
	if object, ok := f.value.(*item.Object); ok && kind == agent.Human && object.String("prompt") == "" {
		m := f.mapping()
		side := agent.Side{Label: m.at("label").text()}
		m.end()
		return side
	}
	return r.side(f)
}

func (r *reader) side(f field) agent.Side {
	m := f.mapping()
	prompt, stop, property := m.at("prompt"), m.at("stop_tool"), m.at("stop_tool_response_property")
	s := agent.Side{
		Prompt: prompt.required("name one of prompts, or another file's, as in other/agent#name"), Label: m.at("label").text(),
		KeepGoing: !m.at("stop_on_response").flag(true), MaxSteps: m.at("max_steps").count(),
		StopTool: stop.text(), StopToolResponse: property.text(),
	}
	if s.Prompt != "" {
		r.refer(prompt, s.Prompt, false)
		r.later = append(r.later, func() { r.checkChat(prompt, s.Prompt) })
	}
	switch {
	case stop.declared() && !property.declared():
		property.fail("is missing: it names the argument of %s that becomes the answer", item.Quote(s.StopTool))
	case !stop.declared() && property.declared():
		property.fail("has no effect without stop_tool: name the tool whose argument it is")
	}
	b := &bindings{reader: r, prompt: s.Prompt, by: map[string]string{}}
	b.add(stop, s.StopTool)
	s.SessionStop, s.SessionFail = b.read(m.at("session_stop")), b.read(m.at("session_fail"))
	s.SessionStatus = b.read(m.at("session_status"))
	if s.KeepGoing && s.StopTool == "" && s.SessionStop.Tool == "" && s.SessionFail.Tool == "" && s.MaxSteps == 0 {
		f.doubt("has nothing that ends its turn: with stop_on_response: false, write stop_tool, session_stop or max_steps")
	}
	m.end()
	return s
}

// checkChat doubts a side that could not hear what is said to it.
func (r *reader) checkChat(f field, name string) {
	if r.deaf[name] {
		f.doubt("names a prompt that does not see the conversation: write include_chat: true in prompts.%s", name)
	}
}

func (r *reader) limits(f field) agent.Limits {
	m := f.mapping()
	l := agent.Limits{
		Steps: m.at("turns").count(), Tokens: int64(m.at("tokens").count()), Spend: m.at("spend").micros(1e-6),
		Duration: time.Duration(m.at("duration_seconds").count()) * time.Second,
		Spawns:   m.at("spawns").count(), Depth: m.at("depth").count(),
	}
	m.end()
	return l
}

// env is signed, but everybody who has the file can read it.
func (r *reader) env(f field) map[string]string {
	var env map[string]string
	for _, value := range f.fields() {
		name := value.key()
		value.checkVariable(name)
		if redact.Looks(name) {
			value.doubt("looks like a secret in a file that others read: declare it under variables with type: secret")
		}
		if env == nil {
			env = map[string]string{}
		}
		env[name] = value.text()
	}
	return env
}
