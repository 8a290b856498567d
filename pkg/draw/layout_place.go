package draw

import (
	"cmp"
	"math"
	"slices"
)

// spread finds the places from left to right: each cell as near to the middle of its neighbours as the order of its
// layer allows.
func (l *layout) spread() {
	for _, layer := range l.layers {
		x := 0
		for _, c := range layer {
			c.x = x
			x += c.width + cellGap
		}
	}
	for i := range sweeps {
		for _, layer := range l.layers {
			place(layer, func(c *cell) []*cell { return c.up })
		}
		if i == sweeps-1 {
			break // the box at the top decides where the column below it is
		}
		for _, layer := range slices.Backward(l.layers) {
			place(layer, func(c *cell) []*cell { return c.down })
		}
	}
}

// block is neighbouring cells of a layer that touch. Their wishes are where the first of them would have to be.
type block struct{ wishes, weight, cells int }

func (b block) x() int { return b.wishes / b.weight }

// place moves the cells of a layer, in their order and without overlap, so that the sum of the squares of the distances
// to where they would like to be is the least: cells that would overlap become a block, which moves as one.
func place(layer []*cell, neighbours func(*cell) []*cell) {
	blocks := make([]block, 0, len(layer))
	offset := 0
	for _, c := range layer {
		wish := mean(neighbours(c), c.x+c.port, func(n *cell) int { return n.x + n.port }) - c.port
		b := block{(wish - offset) * c.weight, c.weight, 1}
		for len(blocks) > 0 && blocks[len(blocks)-1].x() > b.x() {
			last := blocks[len(blocks)-1]
			b = block{last.wishes + b.wishes, last.weight + b.weight, last.cells + b.cells}
			blocks = blocks[:len(blocks)-1]
		}
		blocks = append(blocks, b)
		offset += c.width + cellGap
	}
	offset = 0
	for _, b := range blocks {
		for _, c := range layer[:b.cells] {
			c.x = b.x() + offset
			offset += c.width + cellGap
		}
		layer = layer[b.cells:]
	}
}

// measure finds the places from top to bottom, where lines meet the boxes, and how large the picture is.
func (l *layout) measure() {
	left, y := math.MaxInt, margin
	for _, layer := range l.layers {
		if len(layer) > 0 {
			left = min(left, layer[0].x)
		}
	}
	for _, layer := range l.layers {
		l.tops = append(l.tops, y)
		height := 0
		for _, c := range layer {
			height = max(height, c.height)
		}
		for _, c := range layer {
			c.x += margin - left
			c.y = y + (height-c.height)/2
			l.width = max(l.width, c.x+c.width+margin)
		}
		y += height + layerGap
	}
	l.height = y - layerGap + margin
	l.tops = append(l.tops, y)
	for _, c := range l.boxes {
		c.ports = map[*cell]int{}
		c.meet(c.up)
		c.meet(c.down)
	}
}

// meet spreads the lines that meet one side of a box.
func (c *cell) meet(neighbours []*cell) {
	neighbours = slices.Clone(neighbours)
	slices.SortStableFunc(neighbours, func(a, b *cell) int { return cmp.Compare(a.place, b.place) })
	for i, n := range neighbours {
		c.ports[n] = 2 * c.port * (i + 1) / (len(neighbours) + 1)
	}
}

// lineX is where the line between a cell and its neighbour meets the cell.
func (c *cell) lineX(neighbour *cell) int {
	if c.ports != nil {
		return c.x + c.ports[neighbour]
	}
	return c.x + c.port
}

// bottom is where a layer ends.
func (l *layout) bottom(layer int) int { return l.tops[layer+1] - layerGap }
