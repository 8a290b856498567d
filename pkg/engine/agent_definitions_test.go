package engine_test

import (
	"strings"
	"testing"

	"github.com/ryeos/rye/internal/ryetest"
	"github.com/ryeos/rye/pkg/agent"
	"github.com/ryeos/rye/pkg/engine"
	"github.com/ryeos/rye/pkg/item"
)

var _ agent.Definitions = (*engine.AgentDefinitions)(nil)

const pair = `
version: "1.0.0"
category: review
description: Reviews
side_a: {prompt: reviewer, session_stop: done}
prompts:
  reviewer: {model: fast, prompt: [{include: rules}, {text: Review.}], include_chat: true, tools: [done, helper]}
  helper: {description: Helps, model: general, prompt: Help.}
  rules: {model: fast, prompt: Be kind.}
models:
  fast: {provider: p, model: small}
`

func TestAgentDefinitions(t *testing.T) {
	w := ryetest.New(t)
	w.Project.Item(item.Agent, "review/pair.yaml", pair)
	d := w.Engine().AgentDefinitions()
	a, err := d.Agent("review/pair")
	if err != nil {
		t.Fatal(err)
	}
	if a.Name != "review/pair" || a.SideA.Prompt != "review/pair#reviewer" || a.SideA.SessionStop.Tool != "done" || len(a.Digest) != 64 {
		t.Errorf("agent %+v", a)
	}
	if b, err := d.Agent("agent:review/pair"); err != nil || b != a {
		t.Errorf("by its reference: %+v, %v", b, err)
	}
	p, err := d.Prompt(a.SideA.Prompt)
	if err != nil {
		t.Fatal(err)
	}
	if p.Name != "review/pair#reviewer" || p.Model != "review/pair#fast" || p.Parts[0].Include != "review/pair#rules" || p.Tools[1].Name != "review/pair#helper" {
		t.Errorf("prompt %+v", p)
	}
	if m, err := d.Model(p.Model); err != nil || m.ID != "small" || m.Name != p.Model {
		t.Errorf("model %+v, %v", m, err)
	}
	if q, err := d.Prompt(p.Tools[1].Name); err != nil || q.Model != "general" {
		t.Errorf("a tier of the configuration: %+v, %v", q, err)
	}
}

// TestAgentDefinitionsUnknown: whatever is asked for, what is not there is not found.
func TestAgentDefinitionsUnknown(t *testing.T) {
	w := ryetest.New(t)
	w.Project.Item(item.Agent, "review/pair.yaml", pair)
	w.Project.Item(item.Agent, "lib.yaml", "version: 1.0.0\ndescription: Texts\nprompts: {p: {model: m, prompt: x}}\n")
	d := w.Engine().AgentDefinitions()
	if p, err := d.Prompt("lib#p"); err != nil || p.Name != "lib#p" {
		t.Errorf("a prompt of a file without an agent: %+v, %v", p, err)
	}
	find := map[string]func(string) error{
		"agent":  func(name string) error { _, err := d.Agent(name); return err },
		"prompt": func(name string) error { _, err := d.Prompt(name); return err },
		"model":  func(name string) error { _, err := d.Model(name); return err },
	}
	for what, names := range map[string][]string{
		"agent":  {"lib", "nobody", "review/pair#reviewer", "../x", "", "tool:rye/bash"},
		"prompt": {"reviewer", "review/pair", "review/pair#nobody", "nobody#x", "lib#", "#p", "review/pair#fast", "rye/bash", ""},
		"model":  {"fast", "review/pair#reviewer", "nobody#fast"},
	} {
		for _, name := range names {
			if err := find[what](name); item.TypeOf(err) != item.TypeNotFound || err == nil {
				t.Errorf("%s %q: %v", what, name, err)
			}
		}
	}
}

// TestAgentDefinitionsChanged: what was signed again is read again, and what was only changed is refused, however often
// it was good before.
func TestAgentDefinitionsChanged(t *testing.T) {
	w := ryetest.New(t)
	file := w.Project.Item(item.Agent, "review/pair.yaml", pair)
	d := w.Engine().AgentDefinitions()
	before, err := d.Agent("review/pair")
	if err != nil {
		t.Fatal(err)
	}
	w.Project.Item(item.Agent, "review/pair.yaml", strings.ReplaceAll(pair, "Help.", "Help well."))
	after, err := d.Agent("review/pair")
	if err != nil || after.Digest == before.Digest {
		t.Errorf("signed again: %v, digest %s", err, after.Digest)
	}
	if p, err := d.Prompt("review/pair#helper"); err != nil || p.Parts[0].Text != "Help well." {
		t.Errorf("the prompt is still %+v, %v", p, err)
	}
	appendLine(t, file, "# more")
	if _, err := d.Prompt("review/pair#helper"); item.TypeOf(err) != item.TypeIntegrity {
		t.Errorf("changed: %v", err)
	}
}

// TestAgentDefinitionsInvalid: a signature does not make sense of nonsense.
func TestAgentDefinitionsInvalid(t *testing.T) {
	w := ryetest.New(t)
	w.Project.Item(item.Agent, "bad.yaml", "version: 1.0.0\ndescription: Bad\nside_a: {prompt: nobody}\n")
	_, err := w.Engine().AgentDefinitions().Agent("bad")
	if item.TypeOf(err) != item.TypeChain || !strings.Contains(err.Error(), `bad.yaml:4:18: side_a.prompt names "nobody"`) {
		t.Errorf("got %v", err)
	}
}

func TestSignAgent(t *testing.T) {
	w := ryetest.New(t)
	w.Project.Write(".ai/agents/review/pair.yaml", pair)
	w.Project.Write(".ai/agents/bad.yaml", "version: 1.0.0\ndescription: Bad\nside_a: {prompt: nobody, max_steps: 0}\nprompts: {p: {model: m}}\n")
	w.Project.Write(".ai/agents/vague.yaml", "version: 1.0.0\ndescription: Vague\nside_a: {prompt: 'review/pair#reviwer'}\nprompts: {p: {model: 'no/such#fast', prompt: [{include: 'review/pair#rules'}]}}\n")
	report, err := w.Engine().Sign(engine.SignRequest{Patterns: []string{"agent:*"}})
	if err != nil {
		t.Fatal(err)
	}
	results := map[string]engine.FileResult{}
	for _, r := range report.Results {
		results[r.ItemID] = r
	}
	if r := results["agent:review/pair"]; r.State != engine.StateSigned || len(r.Warnings) > 0 {
		t.Errorf("%+v", r)
	}
	bad := results["agent:bad"]
	if bad.State != engine.StateFailed || len(bad.Issues) != 3 || !strings.Contains(bad.Issues[0], "bad.yaml:3:18: side_a.prompt names") {
		t.Errorf("%+v", bad)
	}
	vague := results["agent:vague"]
	if vague.State != engine.StateSigned || len(vague.Warnings) != 2 ||
		!strings.HasSuffix(vague.Warnings[0], `vague.yaml:3:18: side_a.prompt names "review/pair#reviwer", which is not among the prompts of agent:review/pair`) ||
		!strings.HasSuffix(vague.Warnings[1], `vague.yaml:4:22: prompts.p.model names "no/such#fast", but there is no agent no/such that can be read`) {
		t.Errorf("%+v", vague)
	}
}
