package draw

import (
	"bytes"
	"fmt"
	"strings"
)

// svg draws an arrow with its head and its label.
func (a *arrow) svg(out *bytes.Buffer, l *layout) {
	class := "edge"
	if a.onError {
		class += " error"
	}
	if a.taken {
		class += " taken"
	}
	if !a.from.reachable {
		class += " unreachable"
	}
	title := a.from.name + " → " + a.to.name
	if a.label != "" {
		title += ": " + a.label
	}
	fmt.Fprintf(out, `<g class="%s"><title>%s</title>`, class, xmlText(title))
	if a.from == a.to {
		a.loop(out, l.boxes[a.from])
	} else {
		a.way(out, l)
	}
	out.WriteString("</g>\n")
}

// loop draws an arrow from a box to itself, at its right side.
func (a *arrow) loop(out *bytes.Buffer, c *cell) {
	x, y := c.x+2*c.port, c.y+padding/2+line/2
	for _, other := range a.from.loops() {
		if other == a {
			break
		}
		y += line
	}
	fmt.Fprintf(out, `<path class="line" d="M%d,%d C%d,%d %d,%d %d,%d"/>`, x, y-6, x+loopWidth, y-6, x+loopWidth, y+4, x+5, y+4)
	fmt.Fprintf(out, `<path class="head" d="M%d,%d l7,-4 v8 z"/>`, x, y+4)
	a.text(out, x+loopWidth+2, y+3)
}

// way draws an arrow through the layers. Where it joins a lane it ends, because the rest is there already, except that
// the way of a run is drawn to its end.
func (a *arrow) way(out *bytes.Buffer, l *layout) {
	r := l.routes[a]
	cells := r.cells
	if a.taken {
		for last := cells[len(cells)-1]; last.next != nil && last != l.boxes[a.to]; last = cells[len(cells)-1] {
			cells = append(cells[:len(cells):len(cells)], last.next)
		}
	}
	var d strings.Builder
	for i, c := range cells[1:] {
		l.hop(&d, cells[i], c)
	}
	end := cells[len(cells)-1]
	if end == l.boxes[a.to] {
		x, y, tip := end.lineX(cells[len(cells)-2]), end.y, -8
		if a.back {
			y, tip = end.y+end.height, 8
		}
		fmt.Fprintf(&d, " V%d", y+tip/2)
		fmt.Fprintf(out, `<path class="line" d="%s"/><path class="head" d="M%d,%d l-4,%d h8 z"/>`, d.String(), x, y, tip)
	} else {
		fmt.Fprintf(out, `<path class="line" d="%s"/>`, d.String())
	}
	a.text(out, r.label.x+r.label.port+6, r.label.y+line-5)
}

// hop leads a line from one cell to the next: straight through the layer of the first, and bent only between the layers,
// where nothing else is.
func (l *layout) hop(d *strings.Builder, from, to *cell) {
	x1, x2 := from.lineX(to), to.lineX(from)
	y1, y2 := l.bottom(from.layer), l.tops[to.layer]
	start := from.y + from.height
	if to.layer < from.layer {
		y1, y2 = l.tops[from.layer], l.bottom(to.layer)
		start = from.y
	}
	if d.Len() == 0 {
		fmt.Fprintf(d, "M%d,%d", x1, start)
	}
	fmt.Fprintf(d, " V%d C%d,%d %d,%d %d,%d", y1, x1, (y1+y2)/2, x2, (y1+y2)/2, x2, y2)
}

func (a *arrow) text(out *bytes.Buffer, x, y int) {
	if a.label != "" {
		fmt.Fprintf(out, `<text class="label" x="%d" y="%d">%s</text>`, x, y, xmlText(a.short()))
	}
}
