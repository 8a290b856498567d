package agentfile

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/ryeos/rye/pkg/item"
)

// encoded is what a file defines, as the text of a file. YAML takes JSON, but for three characters that end its lines.
func encoded(t testing.TB, f *File) string {
	t.Helper()
	data, err := item.AppendJSON(nil, f.Object())
	if err != nil {
		t.Fatal(err)
	}
	return strings.NewReplacer("\u0085", `\u0085`, "\u2028", `\u2028`, "\u2029", `\u2029`).Replace(string(data))
}

// FuzzParse: any file is a syntax error with a place in it, or has issues with places, or comes back from its own
// encoding as it was.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		documented(f), small, "side_a: {prompt: [}", "prompts: {p: {prompt: [{type: env, property: A}], tools: [1, {name: x, immediate: {}}]}}",
		"models: {a: {model: x, fallbacks: [b]}, b: {model: y, fallbacks: [a]}}", "a: &a [*a]", "prompts: &p {p: {model: m, prompt: *p}}",
		"<<: {prompts: {p: {model: m, prompt: x}}}", "side_a: {prompt: p}\nprompts: {p: {model: m, prompt: x, required_schema: {$ref: '#'}}}",
		"limits: {spend: 1e-300, turns: 1e300}", "prompts: {\"\\e[31m\": 1}",
		"prompts: {p: {model: m, prompt: \"a\\u0085b\", provider_options: {a: [null, 1.5, {b: true}]}, tools: [{name: x, immediate: true}]}}",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		file, err := Parse("a.yaml", data)
		if err != nil {
			var syntax *item.SyntaxError
			if file != nil || !errors.As(err, &syntax) || syntax.Pos.Line < 1 || syntax.Pos.Column < 1 {
				t.Fatalf("got %v, %#v", err, file)
			}
			return
		}
		issues, doubts := file.Validate(item.Ref{ID: "a"}, "a.yaml")
		for _, issue := range append(issues, doubts...) {
			if issue.Message == "" || issue.Pos.Line < 1 || issue.Pos.Column < 1 || strings.ContainsAny(issue.Message, "\x1b\x00") {
				t.Fatalf("the issue %+v", issue)
			}
		}
		file.Under("x/y")
		text := encoded(t, file)
		if len(file.issues) > 0 {
			return
		}
		again, err := Parse("a.yaml", []byte(text))
		if err != nil || len(again.issues) > 0 {
			t.Fatalf("%s\ndoes not parse: %v %v", text, err, again)
		}
		if file.Agent != nil {
			again.Agent.Description = file.Agent.Description // of the item
		}
		if !reflect.DeepEqual(file.Agent, again.Agent) || !reflect.DeepEqual(file.Prompts, again.Prompts) || !reflect.DeepEqual(file.Models, again.Models) {
			t.Fatalf("%s\nis not\n%s", text, encoded(t, again))
		}
	})
}
