package agentfile

import (
	"strings"
	"testing"

	"github.com/ryeos/rye/pkg/item"
)

// withPrompt is a sound prompt with more keys; the first of them stands at 5:5.
func withPrompt(keys string) string {
	return "prompts:\n  q: {description: Q, model: fast, prompt: q}\n  p:\n    prompt: x\n    " + strings.ReplaceAll(keys, "\n", "\n    ") + "\n    model: fast\n"
}

// withSide is an agent of one prompt with the tools done and end, whose side A has more keys at 4:3.
func withSide(keys string) string {
	return "prompts: {p: {model: fast, prompt: x, include_chat: true, tools: [done, end]}}\nside_a:\n  prompt: p\n  " + keys + "\n"
}

func TestIssues(t *testing.T) {
	for _, tt := range []struct{ name, source, want string }{
		{"nothing", "version: 1.0.0", "1:1 the file defines nothing: write side_a and prompts for an agent, or prompts alone for others to use"},
		{"no side", "prompts: {p: {model: m, prompt: x}}\nmax_session_turns: 2", "1:1 side_a is missing: it says who speaks first, as in side_a: {prompt: NAME}"},
		{"unknown key", withSide("stop_tol: done"), "4:3 side_a.stop_tol is no key that means anything: did you mean stop_tool?"},
		{"unknown key in camel case", withSide("stopOnRespnse: done"), "4:3 side_a.stopOnRespnse is no key that means anything: did you mean stop_on_response?"},
		{"twice", withSide("max_steps: 2\n  maxSteps: 3"), "5:3 side_a.maxSteps is the same as max_steps: write one of them"},
		{"side without prompt", "side_a: {label: x}", "1:9 side_a.prompt is missing: name one of prompts, or another file's, as in other/agent#name"},
		{"no such prompt", "prompts: {reviewer: {model: m, prompt: x}}\nside_a: {prompt: reviewr}", `2:18 side_a.prompt names "reviewr", which is not among prompts: did you mean reviewer?`},
		{"malformed name", "side_a: {prompt: a#}", `1:18 side_a.prompt is not a name of another file: "a#"; write its id and the name, as in other/agent#name`},
		{"kind", small + "type: dual", `5:7 type cannot be "dual": write one of ai_human, dual_ai`},
		{"one side of two", small + "type: dual_ai", "1:1 side_b is missing: an agent of type dual_ai has two, as in side_b: {prompt: NAME}; with a person it is of type ai_human"},
		{"not described", small + "expose_as_tool: true", "1:1 tool_description is missing: models that may call the agent (expose_as_tool) need to know what it does"},
		{"stop tool alone", withSide("stop_tool: done"), `3:3 side_a.stop_tool_response_property is missing: it names the argument of "done" that becomes the answer`},
		{"property alone", withSide("stop_tool_response_property: text"), "4:32 side_a.stop_tool_response_property has no effect without stop_tool: name the tool whose argument it is"},
		{"tool that is not there", withSide("session_stop: {name: ends}"), `4:24 side_a.session_stop.name names "ends", which is not among the tools of the prompt p: add it there`},
		{"two meanings", withSide("session_stop: end\n  session_fail: end"), "5:17 side_a.session_fail names the tool of side_a.session_stop: each needs its own"},
		{"binding", withSide("session_stop: {message_property: m}\n  session_fail: [x]"), "4:17 side_a.session_stop.name is missing: name a tool of the prompt\n5:17 side_a.session_fail must be a mapping of keys to values\n5:17 side_a.session_fail.name is missing: name a tool of the prompt"},
		{"numbers", small + "limits: {turns: 0, tokens: 1.5, spend: 0.0000001, spawns: x, depth: -1}", `5:17 limits.turns must be a whole number from 1 to 1000000000, or left out for no bound
5:28 limits.tokens must be a whole number from 1 to 1000000000, or left out for no bound
5:40 limits.spend must be a number from 1e-06 to 1000000000
5:59 limits.spawns must be a whole number from 1 to 1000000000, or left out for no bound
5:69 limits.depth must be a whole number from 1 to 1000000000, or left out for no bound`},
		{"environment", small + "env: {1A: x, B: 80}", `5:11 env.1A is no name of a variable: "1A"; write letters, digits and _, as in API_URL
5:17 env.B must be a text: write it in quotes`},
		{"prompt without anything", "prompts: {p: {}}", `1:14 prompts.p.model is missing: name one of models, another file's as in other/agent#name, or a tier of the configuration
1:14 prompts.p.prompt is missing: write what the model is told, or a list of {text: …}, {include: NAME} and {env: NAME}`},
		{"names", "prompts: {Review-er: {model: m, prompt: x}}\nmodels: {9a: {model: x}}", "1:11 prompts.Review-er must be snake_case: small letters, digits and _\n2:10 models.9a must be snake_case: small letters, digits and _"},
		{"parts", "prompts: {p: {model: m, prompt: [x, {}, {text: a, env: B}, {type: txt, content: x}]}}", `1:34 prompts.p.prompt.0 must be a mapping of keys to values
1:34 prompts.p.prompt.0 must be one of {text: …}, {include: NAME} and {env: NAME}
1:37 prompts.p.prompt.1 must be one of {text: …}, {include: NAME} and {env: NAME}
1:41 prompts.p.prompt.2 must be one of {text: …}, {include: NAME} and {env: NAME}
1:67 prompts.p.prompt.3.type cannot be "txt": did you mean text?`},
		{"include itself", "prompts: {p: {model: m, prompt: [{include: p}]}}", "1:44 prompts.p.prompt.0.include leads back to where it came from: p includes p"},
		{"include in a circle", "prompts:\n  a: {model: m, prompt: [{include: b}]}\n  b: {model: m, prompt: [{include: c}]}\n  c: {model: m, prompt: [{include: b}]}", "4:36 prompts.c.prompt.0.include leads back to where it came from: b includes c includes b"},
		{"include nobody", "prompts: {p: {model: m, prompt: [{include: zebra}]}}", `1:44 prompts.p.prompt.0.include names "zebra", which is not among prompts: add it there, or name another file's, as in other/agent#name`},
		{"secret in a prompt", "prompts: {p: {model: m, prompt: [{env: A}], variables: [{name: A, type: secret}]}}", "1:40 prompts.p.prompt.0.env is a secret, and a prompt never shows one: give it to a tool"},
		{"variables", withPrompt("variables: [{name: A}, {name: A, type: number}, {name: A-B}]"), "5:35 prompts.p.variables.1.name is there already: \"A\"\n5:44 prompts.p.variables.1.type cannot be \"number\": write one of text, secret\n5:60 prompts.p.variables.2.name is no name of a variable: \"A-B\"; write letters, digits and _, as in API_URL"},
		{"choices", withPrompt("tool_choice: any\nreasoning: {effort: max}\ninclude_chat: yes please"), "5:18 prompts.p.tool_choice cannot be \"any\": write one of auto, none, required\n6:25 prompts.p.reasoning.effort cannot be \"max\": write one of low, medium, high\n7:19 prompts.p.include_chat must be true or false"},
		{"reasoning", withPrompt("reasoning: {}"), "5:16 prompts.p.reasoning says nothing: write effort, max_tokens or exclude"},
		{"reasoning both ways", withPrompt("reasoning: {include: true, exclude: false, max_tokens: 0}"), "5:26 prompts.p.reasoning.include is the opposite of exclude: write one of them\n5:60 prompts.p.reasoning.max_tokens must be a whole number from 1 to 1000000000, or left out for no bound"},
		{"context", small + "on_context_limit: continue\ncompact_at: -1", "5:19 on_context_limit cannot be \"continue\": write one of compact, error\n6:13 compact_at must be a whole number from 1 to 1000000000, or left out for no bound"},
		{"options of a prompt", withPrompt("tools: [{name: q, options: {a: 1}}, {name: x, blocking: false, env: {A: b}}]"), "5:32 prompts.p.tools.0.options is for functions: an agent or a prompt has its own env, and no options\n5:73 prompts.p.tools.1.env is for functions: an agent or a prompt has its own env, and no options"},
		{"schema", withPrompt("required_schema: {type: array}"), "5:22 prompts.p.required_schema must describe an object: write type: object and the arguments under properties"},
		{"no schema", withPrompt("required_schema: {type: object, properties: {a: {pattern: '('}}}"), "5:22 prompts.p.required_schema is not a JSON Schema: "},
		{"options", withPrompt("provider_options: [1]"), "5:23 prompts.p.provider_options must be a mapping of keys to values"},
		{"tools", withPrompt("tools: [a, a, '', ../x, knowledge:x, 'rye/x#', 7]"), `5:16 prompts.p.tools.1 is there already: "a"
5:19 prompts.p.tools.2 is empty: name a tool, a prompt or an agent, as in rye/bash
5:23 prompts.p.tools.3 is no name of a tool: the item id "../x" holds "..": an id cannot leave its folder
5:29 prompts.p.tools.4 has the unknown prefix "knowledge": write one of tool, directive, agent, mcp, provider, or none
5:42 prompts.p.tools.5 is not a name of another file: "rye/x#"; write its id and the name, as in other/agent#name
5:52 prompts.p.tools.6 must be a mapping of keys to values
5:52 prompts.p.tools.6.name is missing: name a tool, a prompt or an agent, as in rye/bash`},
		{"prompt as subagent", withPrompt("tools: [{name: q, blocking: false}]"), "5:20 prompts.p.tools.0.name is a prompt, which has no thread of its own: leave out blocking, optional, immediate and resumable"},
		{"two sorts of tool", withPrompt("tools: [{name: a, include_errors: true, optional: X}]"), "5:39 prompts.p.tools.0.include_errors is about prompts as tools, but the entry has keys of an agent with a thread of its own: leave one of them out"},
		{"prompt without description", withPrompt("tools: [p]"), "5:13 prompts.p.tools.0 is a prompt without a description: write one in prompts.p, so that models know what it is for"},
		{"resumable", withPrompt("tools: [{name: a, resumable: true}, {name: b, resumable: {}}, {name: c, resumable: {receives_messages: side_c, max_instances: 0}}]"), `5:34 prompts.p.tools.0.resumable must say who receives messages: write {receives_messages: side_a}
5:62 prompts.p.tools.1.resumable.receives_messages is missing: write side_a or side_b
5:108 prompts.p.tools.2.resumable.receives_messages cannot be "side_c": did you mean side_a?
5:131 prompts.p.tools.2.resumable.max_instances must be a whole number from 1 to 1000000000, or left out for no bound`},
		{"immediate", withPrompt("tools: [{name: a, immediate: {}}, {name: b, immediate: {name_env: X, scoped_env: [X]}}, {name: c, optional: a b}]"), `5:34 prompts.p.tools.0.immediate says nothing: write name_env, description_env or scoped_env, or true
5:71 prompts.p.tools.1.immediate.name_env is shown to a model, and X must not be: name another variable
5:113 prompts.p.tools.2.optional is no name of a variable: "a b"; write letters, digits and _, as in API_URL`},
		{"models", "models:\n  a: {model: x, fallbacks: [b, b, nobody]}\n  b: {fallbacks: [a], pricing: {input: -1, cost: 3}}", `2:32 models.a.fallbacks.1 is there already: "b"
2:35 models.a.fallbacks.2 names "nobody", which is not among models: add it there, or name another file's, as in other/agent#name
3:6 models.b.model is missing: write the provider's name of the model
3:19 models.b.fallbacks.0 leads back to where it came from: a falls back to b falls back to a
3:40 models.b.pricing.input must be a number from 0 to 1000000000
3:44 models.b.pricing.cost is no key that means anything: the keys here are input, cached, output`},
		{"wrong types", "prompts: [p]\nmodels: x\nside_a: 7\n", `1:10 prompts must be a mapping of names, as in NAME: {…}
2:9 models must be a mapping of names, as in NAME: {…}
3:9 side_a must be a mapping of keys to values
3:9 side_a.prompt is missing: name one of prompts, or another file's, as in other/agent#name`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := complaints(mustParse(t, tt.source).issues)
			if open := strings.HasSuffix(tt.want, ": "); got != tt.want && !(open && strings.HasPrefix(got, tt.want)) {
				t.Errorf("got\n%s\nwant\n%s", got, tt.want)
			}
		})
	}
}

func TestDoubts(t *testing.T) {
	for name, tt := range map[string]struct{ source, want string }{
		"sound":           {small, ""},
		"deaf":            {"side_a: {prompt: p}\nprompts: {p: {model: fast, prompt: x}}", "1:18 side_a.prompt names a prompt that does not see the conversation: write include_chat: true in prompts.p"},
		"deaf on purpose": {"side_a: {prompt: p}\nprompts: {p: {model: fast, prompt: x, include_chat: false}}", ""},
		"person":          {small + "side_b: {prompt: p}\nmax_session_turns: 3", "5:9 side_b has no effect: side B of an ai_human agent is a person. Write type: dual_ai for one that is a prompt"},
		"label":           {small + "side_b: {label: You}", ""},
		"turns":           {small + "max_session_turns: 3", "5:20 max_session_turns has no effect: it counts the turns of a dual_ai agent"},
		"endless":         {small + "type: dual_ai\nside_b: {prompt: p}", "1:1 nothing ends a session of this dual_ai agent: give a side session_stop, or the agent max_session_turns"},
		"endless turn":    {withSide("stop_on_response: false"), "3:3 side_a has nothing that ends its turn: with stop_on_response: false, write stop_tool, session_stop or max_steps"},
		"secrets":         {small + "env: {API_TOKEN: x}", "5:18 env.API_TOKEN looks like a secret in a file that others read: declare it under variables with type: secret"},
		"open secrets":    {withPrompt("variables: [{name: API_TOKEN}]\ntools: [{name: x, immediate: {name_env: A_SECRET}}]"), "5:17 prompts.p.variables.0 looks like a secret: write type: secret, so that it is never shown\n6:45 prompts.p.tools.0.immediate.name_env is shown to a model, and A_SECRET looks like a secret"},
		"secret in text":  {"prompts: {p: {model: fast, prompt: [{env: API_TOKEN}]}}", "1:43 prompts.p.prompt.0.env looks like a secret, and a prompt never shows one: give it to a tool"},
		"model":           {"prompts: {p: {model: carefull, prompt: x}}\nmodels: {careful: {model: x}}", `1:22 prompts.p.model names "carefull", which is not among models: did you mean careful?`},
	} {
		t.Run(name, func(t *testing.T) {
			f := mustParse(t, tt.source)
			if got := complaints(f.doubts); got != tt.want {
				t.Errorf("got\n%s\nwant\n%s", got, tt.want)
			}
			if got := complaints(f.issues); got != "" {
				t.Errorf("issues\n%s", got)
			}
		})
	}
}

// TestValidateItem: the rules that agents share with other items.
func TestValidateItem(t *testing.T) {
	f := mustParse(t, "version: '1'\nname: other\ncategory: x\n"+small)
	issues, _ := f.Validate(item.Ref{ID: "docs/My-agent"}, "My-agent.yaml")
	got := complaints(issues)
	for _, want := range []string{
		"2:7 Field 'name' value 'other' must match filename 'My-agent'", "must be snake_case, got 'My-agent'",
		"1:1 Missing required field: description", "3:11 Field 'category' value 'x' must match path category 'docs'",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not in\n%s", want, got)
		}
	}
}

// TestIssuesBounded: a hostile file gets no report that is larger than people read.
func TestIssuesBounded(t *testing.T) {
	f := mustParse(t, "side_a: {prompt: p}\nprompts: {p: {model: m, prompt: x, tools: ["+strings.Repeat("'', ", 5000)+"]}}")
	if n := len(f.issues); n != maxIssues {
		t.Errorf("%d issues", n)
	}
}

func TestElsewhere(t *testing.T) {
	f := mustParse(t, "side_a: {prompt: a/b#p}\nprompts: {q: {model: a/b#m, prompt: [{include: c#d}], tools: ['e#f']}}")
	f.doubts = nil
	for _, m := range f.Elsewhere {
		m.Doubt("%s %v", m.Name, m.Model)
	}
	want := "1:18 side_a.prompt a/b#p false\n2:22 prompts.q.model a/b#m true\n2:48 prompts.q.prompt.0.include c#d false\n2:63 prompts.q.tools.0 e#f false"
	if got := complaints(f.doubts); got != want {
		t.Errorf("got\n%s", got)
	}
	if len(f.issues) > 0 {
		t.Error(complaints(f.issues))
	}
}
