package agentfile

import (
	"os"
	"strings"
	"testing"

	"github.com/ryeos/rye/pkg/item"
)

// documented is the example that people read.
func documented(t testing.TB) string {
	t.Helper()
	text, err := os.ReadFile("../../docs/agents.md")
	if err != nil {
		t.Fatal(err)
	}
	_, example, _ := strings.Cut(string(text), "```yaml\n")
	example, _, found := strings.Cut(example, "```\n")
	if !found {
		t.Fatal("docs/agents.md has no example")
	}
	return example
}

func TestDocumentedExample(t *testing.T) {
	f := mustParse(t, documented(t))
	issues, doubts := f.Validate(item.Ref{Kind: item.Agent, ID: "docs/translator"}, "translator.yaml")
	for _, issue := range append(issues, doubts...) {
		t.Errorf("docs/agents.md: line %d of the example: %s", issue.Pos.Line, issue.Message)
	}
}

// TestDocumentedKeys: the manual has every key that is read, each in the table of its place.
func TestDocumentedKeys(t *testing.T) {
	text, err := os.ReadFile("../../docs/agents.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, place := range []string{"side_a", "prompts.p", "models.m", "limits", "prompts.p.tools.0", "prompts.p.variables.0", ""} {
		for _, key := range keysAt(t, place) {
			if !strings.Contains(string(text), "`"+key+"`") && !strings.Contains(string(text), key+":") {
				t.Errorf("docs/agents.md does not have the key %s of %s", key, place)
			}
		}
	}
}

// keysAt asks for the keys of a place by writing one that means nothing.
func keysAt(t *testing.T, place string) []string {
	t.Helper()
	source := map[string]string{
		"": "zzzzzzzzzzzzzzzzzz: 1\n", "side_a": "side_a: {zzzzzzzzzzzzzzzzzz: 1}\n", "limits": "side_a: {}\nlimits: {zzzzzzzzzzzzzzzzzz: 1}\n",
		"models.m": "models: {m: {zzzzzzzzzzzzzzzzzz: 1}}\n", "prompts.p": "prompts: {p: {zzzzzzzzzzzzzzzzzz: 1}}\n",
		"prompts.p.tools.0":     "prompts: {p: {tools: [{zzzzzzzzzzzzzzzzzz: 1}]}}\n",
		"prompts.p.variables.0": "prompts: {p: {variables: [{zzzzzzzzzzzzzzzzzz: 1}]}}\n",
	}[place]
	for _, issue := range mustParse(t, source).issues {
		if _, keys, ok := strings.Cut(issue.Message, "the keys here are "); ok {
			return strings.Split(keys, ", ")
		}
	}
	t.Fatalf("no key of %s is unknown", place)
	return nil
}
