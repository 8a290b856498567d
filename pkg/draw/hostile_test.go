package draw

import (
	"encoding/xml"
	"io"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/ryeos/rye/pkg/graph"
	"github.com/ryeos/rye/pkg/template"
)

// written is a graph with three nodes whose texts are all chosen by someone else.
func written(t testing.TB, name, action, path string) *graph.Graph {
	condition, problems := template.NewCondition(map[string]any{"path": path, "op": "exists"})
	if problems != nil {
		t.Fatal(problems)
	}
	return &graph.Graph{ID: name, Start: "a" + name, Nodes: []*graph.Node{
		{
			Name: "a" + name, Action: &graph.Call{ItemID: action}, OnError: "c" + name,
			Next: []graph.Edge{{To: "b" + name, When: condition}, {To: "a" + name}},
		},
		{Name: "b" + name, Type: graph.Foreach, As: name, Over: action, Action: &graph.Call{ItemID: "x", Kind: path}, Remote: name},
	}}
}

var (
	textRows      = regexp.MustCompile(`(?m)^([▶ ] [●◆▣◉✖] |    [├╰]..▶ )`)
	mermaidQuotes = regexp.MustCompile(`"[^"\n]*"`)
	dotQuotes     = regexp.MustCompile(`"(\\.|[^"\\\n])*"`) // as in the grammar of DOT, without lines that continue
)

// skeletons is what is left of a drawing without the texts of the graph.
var skeletons = map[Format]func(t *testing.T, drawing string) string{
	Text: func(t *testing.T, drawing string) string {
		for line := range strings.Lines(drawing) {
			if line = strings.TrimSuffix(line, "\n"); visible(line) != line || width(line) > textWidth {
				t.Errorf("the line %q is %d columns wide", line, width(line))
			}
		}
		return strings.Join(textRows.FindAllString(drawing, -1), "")
	},
	Mermaid: func(t *testing.T, drawing string) string {
		for _, label := range mermaidQuotes.FindAllString(drawing, -1) {
			if strings.ContainsAny(strings.ReplaceAll(label, "<br/>", ""), "<>&`$%{}\\|*~^@!") {
				t.Errorf("the label %s means more than its text", label)
			}
		}
		return mermaidQuotes.ReplaceAllString(drawing, `""`)
	},
	DOT: func(t *testing.T, drawing string) string {
		for _, label := range dotQuotes.FindAllString(drawing, -1) {
			if strings.ContainsAny(strings.NewReplacer(`\\`, "", `\"`, "", `\n`, "", "&amp;", "").Replace(label), `\&`) {
				t.Errorf("the label %s means more than its text", label)
			}
		}
		return dotQuotes.ReplaceAllString(drawing, `""`)
	},
	SVG: func(t *testing.T, drawing string) string {
		var names []string
		decoder := xml.NewDecoder(strings.NewReader(drawing))
		for {
			token, err := decoder.Token()
			if err == io.EOF {
				return strings.Join(names, " ")
			}
			if err != nil {
				t.Fatalf("%v in\n%s", err, drawing)
			}
			if element, ok := token.(xml.StartElement); ok {
				names = append(names, element.Name.Local)
				for _, attribute := range element.Attr {
					names = append(names, attribute.Name.Local)
				}
			}
		}
	},
}

// FuzzDraw: whatever the texts of a graph and a run are, a drawing has the same nodes, edges and elements as with
// harmless ones.
func FuzzDraw(f *testing.F) {
	for _, text := range []string{
		`"`, `\`, `\"`, `"]; n9["x`, `"]-->n9`, "a\nb", "\r\n    n0 --> n1", `<script>alert(1)</script>`, `]]>`, `--></svg>`, `&amp;&#34;#quot;`,
		"\x1b[2J", "\u202ex\u2066", "\xff\xfe", "\x00", "\u0301\u0301\u0301\u0301\u0301\u0301\u0301\u0301\u0301\u0301\u0301\u0301", "\ufffe\ufdd0",
		"%%{init: {}}%%", "$$x$$", "`x`", "fa:fa-bell", "1. x", "- x", "名前名前名前名前名前名前名前名前名前名前名前名前名前名前名前名前", "end", "\u2028", "|", "{{x}}",
	} {
		f.Add(text, text, text)
		f.Add(strings.Repeat(text, 30), text, strings.Repeat(text+" ", 30))
	}
	f.Fuzz(func(t *testing.T, name, action, path string) {
		run := func(text string) *Run {
			return &Run{Status: text, Current: text, Visits: []Visit{{Step: 1, Node: "a" + name, Status: text, Error: text}, {Step: 2, Node: text}}}
		}
		for format, skeleton := range skeletons {
			alone, over := drawn(t, written(t, name, action, path), format, nil), drawn(t, written(t, name, action, path), format, run(name))
			for _, drawing := range []string{alone, over} {
				if !utf8.ValidString(drawing) {
					t.Errorf("%s is not UTF-8", format)
				}
			}
			if got, want := skeleton(t, alone), skeleton(t, drawn(t, written(t, "", "tool:x", "x"), format, nil)); got != want {
				t.Errorf("%s is built as\n%s\nand not as\n%s\n\n%s", format, got, want, alone)
			}
			skeleton(t, over)
		}
	})
}

// TestTextsSurvive: the texts of a graph can be read in each drawing, as they are written for it.
func TestTextsSurvive(t *testing.T) {
	g := written(t, `<"n&\`, "tool:名前", `state.it's`)
	for format, want := range map[Format][]string{
		Text:    {`● a<"n&\ `, "tool:名前", "state.it's", "▣ b"},
		Mermaid: {`▶ a#60;#34;n#38;#92;<br/>tool:名前`, "state.it#39;s"},
		DOT:     {`▶ a<\"n&amp;\\\ntool:名前`, "state.it's"},
		SVG:     {`a&lt;&#34;n&amp;\ → b&lt;&#34;n&amp;\`, ">tool:名前<", "state.it&#39;s"},
	} {
		drawing := drawn(t, g, format, nil)
		for _, text := range want {
			if !strings.Contains(drawing, text) {
				t.Errorf("%s does not have %s:\n%s", format, text, drawing)
			}
		}
	}
}
