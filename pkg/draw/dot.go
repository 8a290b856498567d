package draw

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/ryeos/rye/pkg/graph"
)

var dotShapes = map[graph.NodeType]string{
	graph.Do: "box", graph.Gate: "hexagon", graph.Foreach: "box3d", graph.Return: "ellipse",
}

// dotColors are those of nodes by their class; the last class that has one wins.
var dotColors = map[string]string{
	"missing": "#cf222e", "unreachable": "#8c959f",
	"done": "#2da44e", "failed": "#cf222e", "running": "#bf8700", "unclear": "#8250df",
}

func (p *picture) dot(out *bytes.Buffer) {
	fmt.Fprintf(out, "digraph %s {\n", dotText(visible(p.title)))
	out.WriteString("    rankdir=TB;\n    node [fontname=\"monospace\", fontsize=11];\n    edge [fontname=\"monospace\", fontsize=10];\n")
	for _, b := range p.boxes {
		attributes := []string{"label=" + dotText(b.lines(maxLabel)...)}
		if shape := dotShapes[b.kind]; shape != "" {
			attributes = append(attributes, "shape="+shape)
		}
		color := ""
		for _, class := range b.classes() {
			if c := dotColors[class]; c != "" {
				color = c
			}
		}
		if color != "" {
			attributes = append(attributes, `color="`+color+`"`)
		}
		switch {
		case b.start:
			attributes = append(attributes, "penwidth=3")
		case b.missing:
			attributes = append(attributes, "style=dashed")
		case !b.reachable:
			attributes = append(attributes, `fontcolor="`+color+`"`)
		}
		fmt.Fprintf(out, "    n%d [%s];\n", b.number, strings.Join(attributes, ", "))
	}
	for _, a := range p.arrows {
		a.dot(out)
	}
	out.WriteString("}\n")
}

func (a *arrow) dot(out *bytes.Buffer) {
	var attributes []string
	if a.label != "" {
		attributes = append(attributes, "label="+dotText(shorten(visible(a.label), maxLabel)))
	}
	if a.onError {
		attributes = append(attributes, "style=dashed")
	}
	if a.taken {
		attributes = append(attributes, "penwidth=3")
	}
	if !a.from.reachable {
		attributes = append(attributes, `color="`+dotColors["unreachable"]+`"`)
	}
	list := ""
	if attributes != nil {
		list = " [" + strings.Join(attributes, ", ") + "]"
	}
	fmt.Fprintf(out, "    n%d -> n%d%s;\n", a.from.number, a.to.number, list)
}

// dotEscapes: backslashes begin escapes in labels, and HTML entities are read in every text.
var dotEscapes = strings.NewReplacer(`\`, `\\`, `"`, `\"`, `&`, `&amp;`)

// dotText quotes lines of text.
func dotText(lines ...string) string {
	escaped := make([]string, len(lines))
	for i, line := range lines {
		escaped[i] = dotEscapes.Replace(line)
	}
	return `"` + strings.Join(escaped, `\n`) + `"`
}
