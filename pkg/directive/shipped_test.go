package directive

import (
	"io/fs"
	"os"
	"path"
	"strings"
	"testing"

	"github.com/ryeos/rye/pkg/item"
)

const shipped = "../../.ai/directives"

// samples are inputs for each directive that ships, and what its directions then hold.
var samples = map[string]struct {
	params map[string]any
	want   []string
}{
	"rye/core/create_directive": {
		map[string]any{"name": "deploy_app", "category": "workflows", "description": "Deploy it"},
		[]string{"directive `deploy_app`", "Deploy it", ".ai/directives/workflows/deploy_app.md", `<directive name="deploy_app" version`, "Write about {input:topic}."},
	},
	"rye/core/create_tool": {
		map[string]any{"name": "words", "category": "my", "description": "Counts words"},
		[]string{"written in python", `"""Counts words"""`, "rye sign tool:my/words"},
	},
	"rye/core/create_knowledge": {
		map[string]any{"name": "style", "category": "team", "title": "House style", "content": "Short sentences."},
		[]string{"Short sentences.", "entry_type: reference", "rye sign knowledge:team/style"},
	},
	"rye/core/init": {map[string]any{"purpose": "linting"}, []string{"wanted for: linting", "rye init", "rye doctor"}},
	"rye/core/tour": {map[string]any{"pause": "false"}, []string{"Subject: everything", "after each stop: false", "rye verify --all"}},
}

func TestShippedDirectives(t *testing.T) {
	files, err := fs.Glob(os.DirFS(shipped), "rye/core/*.md")
	if err != nil || len(files) != len(samples) {
		t.Fatalf("%d directives ship, %d have samples: %v", len(files), len(samples), err)
	}
	for _, file := range files {
		t.Run(path.Base(file), func(t *testing.T) {
			id := strings.TrimSuffix(file, ".md")
			data, err := os.ReadFile(path.Join(shipped, file))
			if err != nil {
				t.Fatal(err)
			}
			d := mustParse(t, string(data))
			for _, issue := range d.Validate(item.Ref{Kind: item.Directive, ID: id}, file) {
				t.Errorf("%d:%d: %s", issue.Pos.Line, issue.Pos.Column, issue.Message)
			}
			in, err := d.Bind(samples[id].params)
			if err != nil {
				t.Fatal(err)
			}
			filled, err := d.Interpolate(in, nil)
			if err != nil {
				t.Fatal(err)
			}
			for _, want := range samples[id].want {
				if !strings.Contains(filled.Body, want) {
					t.Errorf("the directions do not hold %q:\n%s", want, filled.Body)
				}
			}
			for _, p := range d.Inputs {
				if strings.Contains(filled.Body, "{input:"+p.Name) {
					t.Errorf("the input %s was not filled in", p.Name)
				}
				if !strings.Contains(d.Body, "{input:"+p.Name) {
					t.Errorf("the input %s is not used", p.Name)
				}
			}
		})
	}
}

// The directive that an agent writes by create_directive's example is one that can be signed.
func TestShippedExampleIsADirective(t *testing.T) {
	data, err := os.ReadFile(path.Join(shipped, "rye/core/create_directive.md"))
	if err != nil {
		t.Fatal(err)
	}
	d, err := mustParse(t, string(data)).Interpolate(Inputs{"name": "x", "category": "y"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	_, example, _ := strings.Cut(d.Body, "````markdown\n")
	example, _, found := strings.Cut(example, "   ````\n")
	if !found {
		t.Fatal("there is no example")
	}
	example = strings.ReplaceAll("\n"+example, "\n   ", "\n")
	if issues := mustParse(t, example).Validate(item.Ref{Kind: item.Directive, ID: "y/x"}, "x.md"); issues != nil {
		t.Errorf("the example cannot be signed: %v", issues)
	}
}
