package draw

import (
	"cmp"
	"errors"
	"slices"
)

// layout places a picture in layers: boxes in the even ones, by how far they are from the top, and the labels of edges
// in the odd ones between. An edge goes through one cell of every layer that it crosses, so nothing is drawn over
// anything else. Edges of a kind to the same box share a lane: a node that many others lead to has few lines.
//
// Everything is counted in whole pixels, so that the picture is the same on every machine.
type layout struct {
	layers [][]*cell
	tops   []int // of the layers
	boxes  map[*box]*cell
	routes map[*arrow]*route
	lanes  map[lane]*cell

	width, height int
}

// cell is a place in a layer: of a box, of an edge's label, or of a lane.
type cell struct {
	layer, place  int // place is the position in the layer
	x, y          int // of the left upper corner
	width, height int
	port          int           // where lines meet the cell, from its left
	weight        int           // how much it matters that lines are straight here
	up, down      []*cell       // where lines lead to
	next          *cell         // of a lane, towards its box
	ports         map[*cell]int // of a box, for each neighbour
}

// route is the way of an edge that does not lead to its own box.
type route struct {
	label *cell
	cells []*cell // from the first box, over the label, to where the edge joins a lane or ends
}

// lane is where edges to a box cross a layer.
type lane struct {
	to      *box
	layer   int
	upwards bool
	onError bool
}

const (
	cellGap  = 18 // between cells of a layer
	layerGap = 18 // between layers
	margin   = 16
	sweeps   = 8
)

// maxLanes bounds the time for a graph that no person wrote, and that nobody could read.
const maxLanes = 100_000

var errTangled = errors.New("the graph is too tangled to be drawn as svg: draw it as dot, for Graphviz")

// newLayout places the boxes and labels, whose sizes it asks for.
func newLayout(p *picture, boxSize func(*box) (width, height, port int), labelSize func(*arrow) (width, height int)) (*layout, error) {
	l := &layout{boxes: map[*box]*cell{}, routes: map[*arrow]*route{}, lanes: map[lane]*cell{}}
	ranks := map[*box]int{}
	for _, b := range p.sorted {
		for _, a := range b.out {
			if !a.back {
				ranks[a.to] = max(ranks[a.to], ranks[b]+1)
			}
		}
	}
	for _, b := range p.boxes {
		c := &cell{weight: 1}
		c.width, c.height, c.port = boxSize(b)
		l.boxes[b] = l.add(c, 2*ranks[b])
	}
	for _, a := range p.arrows {
		if a.from != a.to {
			c := &cell{weight: 2, port: 4}
			c.width, c.height = labelSize(a)
			l.route(a, c)
		}
		if len(l.lanes) > maxLanes {
			return nil, errTangled
		}
	}
	l.arrange()
	l.spread()
	l.measure()
	return l, nil
}

func (l *layout) add(c *cell, layer int) *cell {
	for len(l.layers) <= layer {
		l.layers = append(l.layers, nil)
	}
	c.layer, c.place = layer, len(l.layers[layer])
	l.layers[layer] = append(l.layers[layer], c)
	return c
}

// route leads an arrow past its label and along the lane of its target. Arrows that close loops lead up.
func (l *layout) route(a *arrow, label *cell) {
	from, to := l.boxes[a.from], l.boxes[a.to]
	step := 1
	if a.back {
		step = -1
	}
	r := &route{label: l.add(label, from.layer+step), cells: []*cell{from}}
	l.routes[a] = r
	l.connect(r, label)
	for layer := label.layer + step; layer != to.layer; layer += step {
		key := lane{a.to, layer, a.back, a.onError}
		c, exists := l.lanes[key]
		if !exists {
			c = l.add(&cell{width: 8, port: 4, weight: 8}, layer)
			l.lanes[key] = c
		}
		l.connect(r, c)
		if exists {
			return
		}
	}
	l.connect(r, to)
}

// connect leads a route on to a cell.
func (l *layout) connect(r *route, c *cell) {
	last := r.cells[len(r.cells)-1]
	upper, lower := last, c
	if c.layer < last.layer {
		upper, lower = c, last
	}
	upper.down, lower.up = append(upper.down, lower), append(lower.up, upper)
	last.next = c
	r.cells = append(r.cells, c)
}

// arrange orders the cells of each layer so that few lines cross: again and again by the middle of their neighbours in
// the layer before, and the best order that came up is kept.
func (l *layout) arrange() {
	best, order := l.crossings(), l.order()
	for i := 0; i < sweeps && best > 0; i++ {
		for k := range l.layers {
			if i%2 == 0 {
				sortLayer(l.layers[k], func(c *cell) []*cell { return c.up })
			} else {
				sortLayer(l.layers[len(l.layers)-1-k], func(c *cell) []*cell { return c.down })
			}
		}
		if n := l.crossings(); n < best {
			best, order = n, l.order()
		}
	}
	l.layers = order
	for _, layer := range l.layers {
		number(layer)
	}
}

func (l *layout) order() [][]*cell {
	order := make([][]*cell, len(l.layers))
	for i, layer := range l.layers {
		order[i] = slices.Clone(layer)
	}
	return order
}

func number(layer []*cell) {
	for i, c := range layer {
		c.place = i
	}
}

func sortLayer(layer []*cell, neighbours func(*cell) []*cell) {
	middles := make(map[*cell]int, len(layer))
	for _, c := range layer {
		middles[c] = mean(neighbours(c), 16*c.place, func(n *cell) int { return 16 * n.place })
	}
	slices.SortStableFunc(layer, func(a, b *cell) int { return cmp.Compare(middles[a], middles[b]) })
	number(layer)
}

// mean of what the cells have, or the other value if there are none.
func mean(cells []*cell, other int, value func(*cell) int) int {
	if len(cells) == 0 {
		return other
	}
	sum := 0
	for _, c := range cells {
		sum += value(c)
	}
	return sum / len(cells)
}

// crossings counts the lines that cross others: the pairs whose lower ends stand in the opposite order of their upper
// ends. A Fenwick tree counts those further left.
func (l *layout) crossings() int {
	count := 0
	for k, layer := range l.layers[:max(0, len(l.layers)-1)] {
		tree, lines := make([]int, len(l.layers[k+1])+1), 0
		for _, c := range layer {
			for _, d := range c.down {
				count += lines
				for i := d.place + 1; i > 0; i -= i & -i {
					count -= tree[i]
				}
			}
			for _, d := range c.down {
				for i := d.place + 1; i < len(tree); i += i & -i {
					tree[i]++
				}
			}
			lines += len(c.down)
		}
	}
	return count
}
