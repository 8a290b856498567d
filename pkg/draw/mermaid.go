package draw

import (
	"bytes"
	"fmt"
	"strings"
	"unicode"

	"github.com/ryeos/rye/pkg/graph"
)

// maxLabel is how many columns of one text are drawn in the formats that other programs lay out.
const maxLabel = 60

// mermaidShapes are the brackets of a node by its type.
var mermaidShapes = map[graph.NodeType][2]string{
	graph.Gate: {`{{"`, `"}}`}, graph.Foreach: {`[["`, `"]]`}, graph.Return: {`(["`, `"])`},
}

// mermaidClasses say how nodes look, in colours that can be seen on light and on dark.
var mermaidClasses = [][2]string{
	{"start", "stroke-width:3px"},
	{"missing", "stroke:#cf222e,stroke-dasharray:4"},
	{"unreachable", "opacity:0.5"},
	{"done", "stroke:#2da44e"},
	{"failed", "stroke:#cf222e"},
	{"running", "stroke:#bf8700"},
	{"unclear", "stroke:#8250df"},
}

func (p *picture) mermaid(out *bytes.Buffer) {
	out.WriteString("flowchart TD\n")
	for _, b := range p.boxes {
		shape, ok := mermaidShapes[b.kind]
		if !ok {
			shape = [2]string{`["`, `"]`}
		}
		var lines []string
		for _, line := range b.lines(maxLabel) {
			lines = append(lines, mermaidText(line))
		}
		fmt.Fprintf(out, "    n%d%s%s%s\n", b.number, shape[0], strings.Join(lines, "<br/>"), shape[1])
	}
	var taken []string
	for i, a := range p.arrows {
		line := "-->"
		if a.onError {
			line = "-.->"
		}
		if a.label != "" {
			line += `|"` + mermaidText(shorten(visible(a.label), maxLabel)) + `"|`
		}
		if a.taken {
			taken = append(taken, fmt.Sprint(i))
		}
		fmt.Fprintf(out, "    n%d %s n%d\n", a.from.number, line, a.to.number)
	}
	if taken != nil {
		fmt.Fprintf(out, "    linkStyle %s stroke-width:3px\n", strings.Join(taken, ","))
	}
	p.classes(out)
}

// classes names the boxes of each class that has some.
func (p *picture) classes(out *bytes.Buffer) {
	members := map[string][]string{}
	for _, b := range p.boxes {
		for _, class := range b.classes() {
			members[class] = append(members[class], fmt.Sprintf("n%d", b.number))
		}
	}
	for _, class := range mermaidClasses {
		if m := members[class[0]]; m != nil {
			fmt.Fprintf(out, "    classDef %s %s\n    class %s %[1]s\n", class[0], class[1], strings.Join(m, ","))
		}
	}
}

// classes lists what is special about a box.
func (b *box) classes() []string {
	var classes []string
	if b.start {
		classes = append(classes, "start")
	}
	if b.missing {
		classes = append(classes, "missing")
	}
	if !b.reachable {
		classes = append(classes, "unreachable")
	}
	if class := b.mark().class(); class != "" {
		classes = append(classes, class)
	}
	return classes
}

func (m mark) class() string {
	return map[mark]string{done: "done", failed: "failed", running: "running", unclear: "unclear"}[m]
}

// lines is what stands in a box: the name, what the node does, and how it fared.
func (b *box) lines(limit int) []string {
	name := shorten(visible(b.name), limit)
	if b.start {
		name = "▶ " + name
	}
	lines := []string{name}
	for _, detail := range b.details {
		lines = append(lines, shorten(visible(detail), limit))
	}
	if summary := b.summary(); summary != "" {
		lines = append(lines, summary)
	}
	return lines
}

// mermaidText writes text for a place in quotes. Labels are HTML there, may hold formulas, icons, lists and Markdown, and
// directives are taken out of a diagram before it is parsed; so every sign that is not plainly harmless goes by its number.
func mermaidText(s string) string {
	var b strings.Builder
	for _, r := range s {
		if unicode.In(r, unicode.L, unicode.M, unicode.N) || strings.ContainsRune(" ,/=()[]▶✓✗…", r) || r == '_' || r == '-' || r == '.' || r == ':' {
			b.WriteRune(r)
		} else {
			fmt.Fprintf(&b, "#%d;", r)
		}
	}
	return b.String()
}
