package draw

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/ryeos/rye/pkg/graph"
)

// The columns of a drawing in text: the names of nodes and, below each, where its edges lead; then what the node does
// and when an edge is taken; then how the run fared.
const (
	textWidth  = 80
	nameColumn = 4 // after the sign of the start and that of the type
	edgeIndent = 5 // of an edge's target behind its line
	minName    = 12
	maxName    = 34
	maxLines   = 4 // of one text
)

var signs = map[graph.NodeType]string{graph.Do: "●", graph.Gate: "◆", graph.Foreach: "▣", graph.Return: "◉"}

var kinds = map[graph.NodeType]string{graph.Gate: "gate", graph.Return: "return"}

// table writes the lines.
type table struct {
	out          *bytes.Buffer
	names, texts int // widths
}

func (p *picture) text(out *bytes.Buffer) {
	fmt.Fprintln(out, shorten(visible(p.title), textWidth))
	fmt.Fprintln(out, p.counts())
	if p.run != nil {
		fmt.Fprintln(out, shorten(p.run.summary(), textWidth))
	}
	fmt.Fprintln(out)
	t := p.table(out)
	reachable := true
	for _, b := range p.boxes {
		if reachable && !b.reachable {
			fmt.Fprint(out, "\nno way leads from the start to:\n")
			reachable = false
		}
		t.box(b)
	}
}

// table measures the columns.
func (p *picture) table(out *bytes.Buffer) *table {
	t := &table{out: out, names: minName}
	marks := 0
	for _, b := range p.boxes {
		t.names = max(t.names, width(visible(b.name)))
		if s := b.summary(); s != "" {
			marks = max(marks, width(s)+2)
		}
	}
	for _, a := range p.arrows {
		t.names = max(t.names, width(visible(a.target()))+edgeIndent)
	}
	t.names = min(t.names, maxName)
	t.texts = textWidth - nameColumn - t.names - 2 - min(marks, 24)
	return t
}

// target is where an arrow leads, with a sign if it leads back.
func (a *arrow) target() string {
	if a.back {
		return a.to.name + " ↑"
	}
	return a.to.name
}

func (t *table) box(b *box) {
	start, sign := " ", signs[b.kind]
	if b.start {
		start = "▶"
	}
	if b.missing || sign == "" {
		sign = "✖"
	}
	rail := " "
	if len(b.out) > 0 {
		rail = "│"
	}
	var texts []string
	for _, detail := range b.does() {
		texts = append(texts, wrap(visible(detail), t.texts, maxLines)...)
	}
	first, rest := "", texts
	if len(texts) > 0 {
		first, rest = texts[0], texts[1:]
	}
	t.marked(start+" "+sign+" "+pad(shorten(visible(b.name), t.names), t.names)+"  "+first, rail, b.summary())
	for _, text := range rest {
		t.line(rail, text)
	}
	for i, a := range b.out {
		t.arrow(a, i == len(b.out)-1)
	}
}

// does is what the node does, and what went wrong with it.
func (b *box) does() []string {
	texts := b.details
	if kind := kinds[b.kind]; kind != "" && len(texts) == 0 {
		texts = []string{kind}
	}
	if failure := b.failure(); failure != "" {
		texts = append(texts[:len(texts):len(texts)], "✗ "+failure)
	}
	return texts
}

func (t *table) arrow(a *arrow, last bool) {
	corner, line, rail := "├", "──", "│"
	if last {
		corner, rail = "╰", " "
	}
	switch {
	case a.onError && a.taken:
		line = "┅┅"
	case a.onError:
		line = "┄┄"
	case a.taken:
		line = "━━"
	}
	note := a.label
	if a.back {
		note = strings.TrimPrefix(note+", loop", ", ")
	}
	lines := wrap(visible(note), t.texts, maxLines)
	t.line(corner+line+"▶ "+shorten(visible(a.target()), t.names-edgeIndent), lines[0])
	for _, more := range lines[1:] {
		t.line(rail, more)
	}
}

// line writes one line that belongs to a node.
func (t *table) line(name, text string) { t.write("    " + pad(name, t.names) + "  " + text) }

// marked is a line with a mark at its right end, or with the mark below it if it is too long.
func (t *table) marked(line, rail, mark string) {
	if mark != "" && width(line)+1+width(mark) > textWidth {
		t.write(line)
		line = "    " + rail
	}
	t.write(pad(line, textWidth-width(mark)) + mark)
}

func (t *table) write(line string) { t.out.WriteString(strings.TrimRight(line, " ") + "\n") }

func pad(s string, columns int) string { return s + strings.Repeat(" ", max(0, columns-width(s))) }
