package draw

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ryeos/rye/pkg/graph"
)

// picture is what every format shows.
type picture struct {
	title  string
	boxes  []*box   // in the order of reading
	arrows []*arrow // by the box that they leave
	sorted []*box   // boxes, each before those that its arrows lead down to
	run    *Run
}

// box is a node.
type box struct {
	number    int // in the order of reading
	name      string
	kind      graph.NodeType
	details   []string // what it does
	missing   bool     // no node has the name
	start     bool
	reachable bool
	current   bool // the run stands here
	visits    []Visit
	out       []*arrow
}

// arrow is an edge.
type arrow struct {
	from, to *box
	label    string
	onError  bool
	back     bool // closes a loop
	taken    bool // by the run
}

func newPicture(g *graph.Graph, over *Run) *picture {
	p := &picture{title: g.ID, run: over}
	byName := make(map[string]*box, len(g.Nodes))
	var boxes []*box
	add := func(b *box) *box {
		byName[b.name] = b
		boxes = append(boxes, b)
		return b
	}
	for _, n := range g.Nodes {
		add(&box{name: n.Name, kind: n.Type, details: details(n)})
	}
	at := func(name string) *box {
		if b := byName[name]; b != nil {
			return b
		}
		return add(&box{name: name, missing: true, details: []string{"no such node"}})
	}
	if g.Start != "" {
		at(g.Start).start = true
	}
	for _, n := range g.Nodes {
		connect(n, at)
	}
	p.order(boxes)
	for i, b := range p.boxes {
		b.number = i
		p.arrows = append(p.arrows, b.out...)
	}
	if over != nil {
		over.lay(byName)
	}
	return p
}

// connect adds the arrows of a node. An edge to nowhere is an end, which needs no arrow.
func connect(n *graph.Node, at func(name string) *box) {
	from := at(n.Name)
	add := func(a arrow, to string) {
		if to != "" {
			a.from, a.to = from, at(to)
			from.out = append(from.out, &a)
		}
	}
	for i, e := range n.Next {
		label := ""
		switch {
		case e.When != nil:
			label = e.When.String()
		case i > 0:
			label = "else"
		}
		add(arrow{label: label}, e.To)
	}
	add(arrow{label: "on error", onError: true}, n.OnError)
}

// details says what a node does, beyond what its shape says.
func details(n *graph.Node) []string {
	var lines []string
	switch n.Type {
	case graph.Do, graph.Gate, graph.Return:
	case graph.Foreach:
		line := fmt.Sprintf("foreach %s in %v", n.As, n.Over)
		switch {
		case n.Parallel && n.MaxConcurrency > 0:
			line += fmt.Sprintf(", %d at once", n.MaxConcurrency)
		case n.Parallel:
			line += ", in parallel"
		}
		lines = append(lines, line)
	default:
		lines = append(lines, "unknown type "+string(n.Type))
	}
	if n.Action != nil && n.Type != graph.Gate && n.Type != graph.Return {
		lines = append(lines, action(n))
	}
	return lines
}

func action(n *graph.Node) string {
	text := n.Action.ItemID
	if kind := n.Action.Kind; kind != "" && !strings.Contains(text, ":") {
		text = kind + ":" + text
	}
	if primary := n.Action.Primary; primary != "" && primary != "execute" {
		text = strings.TrimSpace(primary + " " + text)
	}
	if n.Remote != "" {
		text += " on " + n.Remote
	}
	return text
}

// order puts the boxes in the order of reading: each after those that lead to it, except where a loop forbids it, and
// first edges first. What the start does not lead to comes last. It finds the arrows that close loops on the way.
func (p *picture) order(boxes []*box) {
	i := slices.IndexFunc(boxes, func(b *box) bool { return b.start })
	whole := i < 0 || boxes[i].missing // without a start, no box is more unreachable than others
	if !whole {
		boxes = slices.Concat(boxes[i:i+1], boxes[:i], boxes[i+1:])
	}
	seen, open := map[*box]bool{}, map[*box]bool{}
	var finished []*box
	var visit func(b *box)
	visit = func(b *box) {
		seen[b], open[b] = true, true
		for _, a := range slices.Backward(b.out) {
			a.back = open[a.to]
			if !seen[a.to] {
				visit(a.to)
			}
		}
		delete(open, b)
		finished = append(finished, b)
	}
	for _, b := range boxes {
		if seen[b] {
			continue
		}
		before := len(finished)
		visit(b)
		tree := slices.Clone(finished[before:])
		slices.Reverse(tree)
		for _, t := range tree {
			t.reachable = whole || b.start
		}
		p.boxes = append(p.boxes, tree...)
	}
	p.sorted = finished
	slices.Reverse(p.sorted)
}

// counts is "3 nodes, 4 edges".
func (p *picture) counts() string {
	return plural(len(p.boxes), "node") + ", " + plural(len(p.arrows), "edge")
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
