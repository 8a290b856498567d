package draw

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/ryeos/rye/pkg/graph"
)

// Sizes in pixels. Letters of a monospaced font are about 0.6 of its size wide; a little more room does no harm.
const (
	letter     = 8 // width of one in a box
	smallLabel = 7 // and in a label
	line       = 17
	padding    = 10
	svgName    = 36 // columns of one text
	loopWidth  = 26 // of an edge from a box to itself
)

// svgStyle has the colours for light and for dark. The background belongs to the picture: what surrounds it may have
// the other scheme than the reader's system.
const svgStyle = `<style>
text{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;font-size:13px;fill:#1f2328}
.detail,.label{font-size:11px;fill:#59636e}
.summary{font-size:12px}
.background{fill:#fff}
.box{fill:#f6f8fa;stroke:#59636e}
.line{fill:none;stroke:#818b98;stroke-width:1.2}
.head{fill:#818b98}
.error .line{stroke-dasharray:5 3}
.taken .line{stroke:#0969da;stroke-width:2.4}
.taken .head{fill:#0969da}
.start .box{stroke-width:2.5}
.missing .box{stroke:#cf222e;stroke-dasharray:4 3}
.unreachable{opacity:.5}
.done .box{stroke:#1a7f37}.done .summary{fill:#1a7f37}
.failed .box{stroke:#cf222e}.failed .summary{fill:#cf222e}
.running .box{stroke:#9a6700}.running .summary{fill:#9a6700}
.unclear .box{stroke:#8250df}.unclear .summary{fill:#8250df}
@media (prefers-color-scheme:dark){
text{fill:#e6edf3}
.detail,.label{fill:#9198a1}
.background{fill:#0d1117}
.box{fill:#161b22;stroke:#9198a1}
.line{stroke:#656c76}
.head{fill:#656c76}
.taken .line{stroke:#4493f8}
.taken .head{fill:#4493f8}
.missing .box,.failed .box{stroke:#f85149}.failed .summary{fill:#f85149}
.done .box{stroke:#3fb950}.done .summary{fill:#3fb950}
.running .box{stroke:#d29922}.running .summary{fill:#d29922}
.unclear .box{stroke:#ab7df8}.unclear .summary{fill:#ab7df8}
}
</style>
`

var xmlEscapes = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&#34;", "'", "&#39;")

// xmlText is text for a place between tags or quotes.
func xmlText(s string) string { return xmlEscapes.Replace(visible(s)) }

func (p *picture) svg(out *bytes.Buffer) error {
	l, err := newLayout(p, boxSize, labelSize)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %[1]d %[2]d" role="img">`+"\n", l.width, l.height)
	fmt.Fprintf(out, "<title>%s</title>\n", xmlText(p.title))
	desc := p.counts()
	if p.run != nil {
		desc += "; " + p.run.summary()
	}
	fmt.Fprintf(out, "<desc>%s</desc>\n%s", xmlText(desc), svgStyle)
	fmt.Fprintf(out, `<rect class="background" width="%d" height="%d"/>`+"\n", l.width, l.height)
	for _, a := range p.arrows {
		a.svg(out, l)
	}
	for _, b := range p.boxes {
		b.svg(out, l.boxes[b])
	}
	out.WriteString("</svg>\n")
	return nil
}

// boxSize is the size of a box with the edges that lead back to it, which are drawn beside it.
func boxSize(b *box) (columns, height, port int) {
	lines := b.lines(svgName)
	for _, text := range lines {
		columns = max(columns, letter*width(text))
	}
	columns += 2 * padding
	if b.kind != graph.Do {
		columns += 2 * padding // whose sides are not straight
	}
	height, port = len(lines)*line+padding, columns/2
	beside := 0
	for i, a := range b.loops() {
		w, _ := labelSize(a)
		beside = max(beside, loopWidth+w)
		height = max(height, (i+1)*line+padding)
	}
	return columns + beside, height, port
}

// loops lists the edges from the box to itself.
func (b *box) loops() []*arrow {
	var loops []*arrow
	for _, a := range b.out {
		if a.to == b {
			loops = append(loops, a)
		}
	}
	return loops
}

// labelSize is the size of an edge's label, which stands to the right of its line.
func labelSize(a *arrow) (int, int) {
	if a.label == "" {
		return 8, 0
	}
	return 12 + smallLabel*width(a.short()), line
}

func (a *arrow) short() string { return shorten(visible(a.label), svgName) }

// svg draws a box. The cell may be wider: edges back to the box have their room in it.
func (b *box) svg(out *bytes.Buffer, c *cell) {
	fmt.Fprintf(out, `<g class="%s">`, strings.Join(append([]string{"node"}, b.classes()...), " "))
	fmt.Fprintf(out, "<title>%s</title>", xmlText(strings.Join(append([]string{b.name}, b.does()...), " – ")))
	b.shape(out, c.x, c.y, 2*c.port, c.height)
	lines := b.lines(svgName)
	y := c.y + (c.height-line*len(lines))/2 + line - 4
	for i, text := range lines {
		class := "detail"
		switch {
		case i == 0:
			class = "name"
		case i > len(b.details):
			class = "summary"
		}
		fmt.Fprintf(out, `<text class="%s" x="%d" y="%d" text-anchor="middle">%s</text>`, class, c.x+c.port, y, xmlText(text))
		y += line
	}
	out.WriteString("</g>\n")
}

// shape draws the outline of a box by its type; a foreach looks like several.
func (b *box) shape(out *bytes.Buffer, x, y, w, h int) {
	switch b.kind {
	case graph.Gate:
		fmt.Fprintf(out, `<path class="box" d="M%d,%d L%d,%d L%d,%d L%d,%d L%d,%d L%d,%d Z"/>`, x, y+h/2, x+padding, y, x+w-padding, y, x+w, y+h/2, x+w-padding, y+h, x+padding, y+h)
	case graph.Return:
		fmt.Fprintf(out, `<rect class="box" x="%d" y="%d" width="%d" height="%d" rx="%d"/>`, x, y, w, h, h/2)
	case graph.Foreach:
		fmt.Fprintf(out, `<rect class="box" x="%d" y="%d" width="%d" height="%d" rx="3"/>`, x, y, w, h)
		fmt.Fprintf(out, `<path class="line" d="M%d,%d V%d M%d,%d V%d"/>`, x+6, y, y+h, x+w-6, y, y+h)
	default:
		fmt.Fprintf(out, `<rect class="box" x="%d" y="%d" width="%d" height="%d" rx="3"/>`, x, y, w, h)
	}
}
