package engine_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/ryeos/rye/internal/ryetest"
	"github.com/ryeos/rye/pkg/agent"
	"github.com/ryeos/rye/pkg/engine"
	"github.com/ryeos/rye/pkg/item"
)

// directiveText is a directive named d with these elements.
func directiveText(metadata, rest, body string) string {
	return "# D\n\n```xml\n<directive name=\"d\" version=\"1.0.0\"><metadata><description>Does</description><category></category><author>a</author>" +
		metadata + "</metadata>" + rest + "</directive>\n```\n\n" + body + "\n"
}

func directiveAgent(t *testing.T, w *ryetest.World, params map[string]any) (*engine.DirectiveAgent, error) {
	t.Helper()
	call, failed := w.Engine().Prepare(item.Request{Ref: "directive:d"})
	if failed != nil {
		t.Fatal(failed.Error)
	}
	return call.DirectiveAgent(params)
}

func toolNames(tools []agent.Tool) string {
	var names []string
	for _, tool := range tools {
		names = append(names, tool.Name)
	}
	return strings.Join(names, " ")
}

// TestDirectiveAgent: without outputs, the first answer is the end.
func TestDirectiveAgent(t *testing.T) {
	w := ryetest.New(t)
	w.Project.Item(item.Directive, "d.md", directiveText(
		`<model tier="fast" provider="acme"/><limits turns="6" tokens="1000" spend="0.1" duration_seconds="90" spawns="2" depth="1"/>
		<permissions><execute><tool>rye/file-system/*</tool><tool>rye/bash</tool></execute></permissions>`,
		`<inputs><input name="who" type="string" required="true">Whom</input></inputs>`, "Greet {input:who}."))
	a, err := directiveAgent(t, w, map[string]any{"who": "Ada"})
	if err != nil {
		t.Fatal(err)
	}
	if a.Agent.Kind != agent.Human || a.Agent.SideA != (agent.Side{Prompt: "directive:d"}) || a.Agent.Name != "directive:d" || len(a.Agent.Digest) != 64 {
		t.Errorf("agent %+v", a.Agent)
	}
	want := agent.Limits{Steps: 6, Tokens: 1000, Spend: 100_000, Duration: 90 * time.Second, Spawns: 2, Depth: 1}
	if a.Agent.Limits != want {
		t.Errorf("limits %+v", a.Agent.Limits)
	}
	if a.Model.Name != "fast" || a.Model.ID != "" || a.Model.Provider != "acme" || a.Prompt.Model != "fast" {
		t.Errorf("model %+v", a.Model)
	}
	if !strings.Contains(a.Message, "Greet Ada.") || !a.Prompt.IncludeChat || a.Returns != nil {
		t.Errorf("message %q", a.Message)
	}
	if got := toolNames(a.Prompt.Tools); !strings.HasPrefix(got, "rye/bash rye/file-system/") || strings.Contains(got, "runtimes") || strings.Contains(got, "rye/core") {
		t.Errorf("tools %s", got)
	}
	if _, err := directiveAgent(t, w, nil); item.TypeOf(err) != item.TypeUsage {
		t.Errorf("without its input: %v", err)
	}
}

// TestDirectiveAgentOutputs: with outputs, only the tool that returns them ends it.
func TestDirectiveAgentOutputs(t *testing.T) {
	w := ryetest.New(t)
	w.Project.Item(item.Directive, "d.md", directiveText("<permissions></permissions>",
		`<outputs><output name="path" required="true">Where</output><output name="n" type="integer"/></outputs>`, "Do."))
	a, err := directiveAgent(t, w, nil)
	if err != nil {
		t.Fatal(err)
	}
	side := agent.Side{Prompt: "directive:d", KeepGoing: true, SessionStop: agent.Binding{Tool: "directive_return"}}
	if a.Agent.SideA != side || toolNames(a.Prompt.Tools) != "directive_return" || a.Model.Name != "general" {
		t.Errorf("side %+v, tools %s, model %s", a.Agent.SideA, toolNames(a.Prompt.Tools), a.Model.Name)
	}
	want := `{"type":"object","properties":{"path":{"type":"string","description":"Where"},"n":{"type":"integer"}},"required":["path"]}`
	if string(a.Returns) != want {
		t.Errorf("returns %s", a.Returns)
	}
}

// TestDirectiveAgentContext: knowledge comes where the directive, and those it extends, want it.
func TestDirectiveAgentContext(t *testing.T) {
	w := ryetest.New(t)
	for _, name := range []string{"house", "facts", "end"} {
		w.Project.Item(item.Knowledge, name+".md", fmt.Sprintf("```yaml\nname: %s\ntitle: T\nversion: 1.0.0\nentry_type: note\n```\n\nThe %s text.\n", name, name))
	}
	w.Project.Item(item.Directive, "base.md", strings.ReplaceAll(directiveText("<context><system>house</system></context><permissions><fetch>*</fetch></permissions>", "", "x"), `name="d"`, `name="base"`))
	w.Project.Item(item.Directive, "d.md", strings.ReplaceAll(directiveText(
		"<context><before>facts</before><after>end</after></context>", "", "Do."), `name="d"`, `name="d" extends="base"`))
	a, err := directiveAgent(t, w, nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(a.Prompt.Parts) != 1 || !strings.Contains(a.Prompt.Parts[0].Text, "The house text.") {
		t.Errorf("system %+v", a.Prompt.Parts)
	}
	before, rest, _ := strings.Cut(a.Message, "<directive")
	_, after, _ := strings.Cut(rest, "</directive>")
	if !strings.Contains(before, "The facts text.") || !strings.Contains(after, "The end text.") {
		t.Errorf("message %q", a.Message)
	}
	if got := toolNames(a.Prompt.Tools); got != "rye/fetch" {
		t.Errorf("tools %s", got)
	}
	w.Project.Write(".ai/knowledge/facts.md", "other")
	if _, err := directiveAgent(t, w, nil); item.TypeOf(err) != item.TypeIntegrity {
		t.Errorf("unsigned knowledge: %v", err)
	}
}

func TestDirectiveAgentGrants(t *testing.T) {
	for permissions, want := range map[string]string{
		"": "",
		"<execute><directive>x/*</directive></execute>":                                     "rye/execute",
		"<execute><tool>no/such</tool></execute>":                                           "",
		"<sign><tool>x</tool></sign><fetch>directive</fetch>":                               "rye/fetch rye/sign",
		"<execute><tool>mine/*</tool><tool>mine/b</tool></execute>":                         "mine/b mine/a",
		"<execute><tool>mi*</tool><tool>mine/a*</tool><tool>rye/bash</tool></execute>":      "rye/bash mine/a mine/b",
		"<execute><knowledge>x</knowledge><config>y</config></execute><execute>x</execute>": "",
	} {
		w := ryetest.New(t)
		for _, name := range []string{"a", "b"} {
			w.Project.Tool("mine/"+name+".yaml", ryetest.YAML("rye/core/runtimes/bash/bash", "category: mine"))
		}
		w.Project.Write(".ai/tools/mine/lib.py", "x = 1\n")
		w.Project.Item(item.Directive, "d.md", directiveText("<permissions>"+permissions+"</permissions>", "", "Do."))
		a, err := directiveAgent(t, w, nil)
		if err != nil {
			t.Fatal(err)
		}
		if got := toolNames(a.Prompt.Tools); got != want {
			t.Errorf("%s: %s, want %s", permissions, got, want)
		}
	}
}

// TestDirectiveAgentZero: nothing at all must not become no bound.
func TestDirectiveAgentZero(t *testing.T) {
	for _, limit := range []string{"turns", "tokens", "spend", "duration_seconds", "spawns", "depth"} {
		w := ryetest.New(t)
		w.Project.Item(item.Directive, "d.md", directiveText(fmt.Sprintf(`<limits %s="0"/>`, limit), "", "Do."))
		if _, err := directiveAgent(t, w, nil); item.TypeOf(err) != item.TypeLimit || !strings.Contains(err.Error(), limit) {
			t.Errorf("%s: %v", limit, err)
		}
	}
}
