package agentfile

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/ryeos/rye/pkg/agent"
	"github.com/ryeos/rye/pkg/item"
)

func mustParse(t testing.TB, source string) *File {
	t.Helper()
	f, err := Parse("a.yaml", []byte(source))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// complaints are the issues of the contents, or the doubts, each as line:column message.
func complaints(issues []item.Issue) string {
	var lines []string
	for _, issue := range inOrder(issues) {
		lines = append(lines, fmt.Sprintf("%d:%d %s", issue.Pos.Line, issue.Pos.Column, issue.Message))
	}
	return strings.Join(lines, "\n")
}

const small = `
side_a: {prompt: p}
prompts:
  p: {model: fast, prompt: Hi., include_chat: true}
`

func TestParseDefaults(t *testing.T) {
	f := mustParse(t, small)
	if got := complaints(append(f.issues, f.doubts...)); got != "" {
		t.Error(got)
	}
	if want := (&agent.Agent{Kind: agent.Human, SideA: agent.Side{Prompt: "p"}}); !reflect.DeepEqual(f.Agent, want) {
		t.Errorf("got %+v", f.Agent)
	}
	want := []*agent.Prompt{{Name: "p", Model: "fast", Parts: []agent.PromptPart{{Text: "Hi."}}, IncludeChat: true}}
	if !reflect.DeepEqual(f.Prompts, want) {
		t.Errorf("got %+v", f.Prompts[0])
	}
}

// TestParseExample spells out what a large file means.
func TestParseExample(t *testing.T) {
	f := mustParse(t, documented(t))
	a := f.Agent
	if a.Kind != agent.Dual || a.MaxSessionTurns != 4 || !a.ExposeAsTool || a.Env["STYLE"] != "plain" || a.Description == "" {
		t.Errorf("agent %+v", a)
	}
	if want := (agent.Limits{Steps: 40, Tokens: 200_000, Spend: 500_000, Duration: 10 * time.Minute, Spawns: 5, Depth: 2}); a.Limits != want {
		t.Errorf("limits %+v", a.Limits)
	}
	wantB := agent.Side{Prompt: "critic", SessionStop: agent.Binding{Tool: "accept", Message: "translation"}, SessionFail: agent.Binding{Tool: "give_up", Message: "reason"}}
	if a.SideB != wantB {
		t.Errorf("side B %+v", a.SideB)
	}
	p := f.Prompt("translator")
	if len(p.Parts) != 3 || p.Parts[0].Include != "house_rules" || p.Parts[2].Env != "STYLE" || p.Reasoning != (agent.Reasoning{Effort: "high", MaxTokens: 4000}) || !p.IncludePastTools {
		t.Errorf("prompt %+v", p)
	}
	wantTools := []agent.Tool{
		{Name: "rye/file-system/read", Options: json.RawMessage(`{"max_lines":500}`)}, {Name: "glossary", OmitErrors: true},
		{Name: "research/finder", InitMessage: "question", Subagent: &agent.Subagent{
			Background: true, Optional: "WITH_RESEARCH", Resumable: &agent.Resumable{Receives: "side_a", MaxInstances: 2, Explicit: true},
		}},
	}
	if !reflect.DeepEqual(p.Tools, wantTools) {
		t.Errorf("tools %+v", p.Tools)
	}
	if v := p.Variables[0]; !v.Secret || !v.Scoped || v.Required {
		t.Errorf("variable %+v", v)
	}
	if g := f.Prompt("glossary"); string(g.Schema) != `{"type":"object","properties":{"term":{"type":"string"},"language":{"type":"string"}},"required":["term"]}` {
		t.Errorf("schema %s", g.Schema)
	}
	wantModel := &agent.Model{
		Name: "careful", ID: "large-model", Provider: "anthropic", Fallbacks: []string{"fast"}, Vision: true, MaxContext: 200_000,
		Price: agent.Price{Input: 3_000_000, Cached: 300_000, Output: 15_000_000},
	}
	if got := f.Model("careful"); !reflect.DeepEqual(got, wantModel) {
		t.Errorf("model %+v", got)
	}
	if f.Prompt("none") != nil || f.Model("none") != nil {
		t.Error("found what is not there")
	}
}

// TestParseSpellings: the keys of the Standard Agents specification mean the same.
func TestParseSpellings(t *testing.T) {
	ours := mustParse(t, `
type: dual_ai
side_a: {prompt: p, stop_on_response: false, stop_tool: done, stop_tool_response_property: text, max_steps: 3, session_stop: {name: end, message_property: m, attachments_property: f}}
side_b: {prompt: p}
max_session_turns: 2
expose_as_tool: true
tool_description: d
prompts:
  p:
    description: e
    model: fast
    prompt: [{text: a}, {env: B}, {include: q}]
    include_chat: true
    include_past_tools: true
    parallel_tool_calls: true
    tool_choice: required
    required_schema: {type: object}
    recent_image_threshold: 3
    provider_options: {a: 1}
    tools: [done, end, {name: q, include_text_response: false, include_tool_calls: false}, {name: r, init_agent_name_property: n, init_user_message_property: u, init_attachments_property: t, immediate: {name_env: A, description_env: B, scoped_env: [C]}, resumable: {receives_messages: side_b, max_instances: 2, parent_communication: explicit}}]
  q: {description: x, model: fast, prompt: x}
`)
	theirs := mustParse(t, `
type: dual_ai
sideA: {prompt: p, stopOnResponse: false, stopTool: done, stopToolResponseProperty: text, maxSteps: 3, sessionStop: {name: end, messageProperty: m, attachmentsProperty: f}}
sideB: {prompt: p}
maxSessionTurns: 2
exposeAsTool: true
toolDescription: d
prompts:
  p:
    toolDescription: e
    model: fast
    prompt: [{type: text, content: a}, {type: env, property: B}, {type: include, prompt: q}]
    includeChat: true
    includePastTools: true
    parallelToolCalls: true
    toolChoice: required
    requiredSchema: {type: object}
    recentImageThreshold: 3
    providerOptions: {a: 1}
    tools: [done, end, {name: q, includeTextResponse: false, includeToolCalls: false}, {name: r, initAgentNameProperty: n, initUserMessageProperty: u, initAttachmentsProperty: t, immediate: {nameEnv: A, descriptionEnv: B, scopedEnv: [C]}, resumable: {receives_messages: side_b, maxInstances: 2, parentCommunication: explicit}}]
  q: {toolDescription: x, model: fast, prompt: x}
`)
	for _, f := range []*File{ours, theirs} {
		if got := complaints(f.issues); got != "" {
			t.Error(got)
		}
	}
	if !reflect.DeepEqual(ours.Agent, theirs.Agent) || !reflect.DeepEqual(ours.Prompts, theirs.Prompts) {
		t.Errorf("%s\nis not\n%s", encoded(t, ours), encoded(t, theirs))
	}
}

func TestUnder(t *testing.T) {
	f := mustParse(t, `
side_a: {prompt: p, stop_tool: q, stop_tool_response_property: text, session_stop: rye/bash}
prompts:
  p: {model: m, prompt: [{include: q}, {include: "x/y#z"}], tools: [q, rye/bash]}
  q: {description: q, model: tier, prompt: q}
models:
  m: {model: a, fallbacks: [n, "x/y#m"]}
  n: {model: b}
`)
	before := encoded(t, f)
	named := f.Under("a/b")
	if a := named.Agent; a.Name != "a/b" || a.SideA.Prompt != "a/b#p" || a.SideA.StopTool != "a/b#q" || a.SideA.SessionStop.Tool != "rye/bash" {
		t.Errorf("agent %+v", a)
	}
	p, q := named.Prompt("a/b#p"), named.Prompt("a/b#q")
	if p == nil || q == nil || p.Model != "a/b#m" || q.Model != "tier" {
		t.Fatalf("prompts %+v, %+v", p, q)
	}
	if p.Parts[0].Include != "a/b#q" || p.Parts[1].Include != "x/y#z" || p.Tools[0].Name != "a/b#q" || p.Tools[1].Name != "rye/bash" {
		t.Errorf("prompt %+v", p)
	}
	if m := named.Model("a/b#m"); m == nil || !reflect.DeepEqual(m.Fallbacks, []string{"a/b#n", "x/y#m"}) {
		t.Errorf("model %+v", m)
	}
	if encoded(t, f) != before {
		t.Error("the file itself has changed")
	}
}
