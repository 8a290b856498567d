package search

import (
	"cmp"
	"math"
	"slices"

	"github.com/ryeos/rye/pkg/item"
)

// Match is a file that fits a query. Its score is between 0 and 1.
type Match struct {
	File  int // its place in Files
	Score float64
}

// The constants of BM25: how soon more of the same word stops to count, and how much longer fields count less.
const (
	saturation = 1.2
	lengthBias = 0.75
)

// Origin is what a file is and where it comes from.
type Origin struct {
	Kind  item.Kind
	Space string
}

// Search gives the files that fit, the best first; among equals their order in the index decides. origin tells about a
// file of the index, and is not ok for one that is not asked for.
func (ix *Index) Search(q *Query, origin func(file int) (in Origin, ok bool)) []Match {
	found := make([][]float32, len(q.leaves)) // by leaf and file, what its words are worth; 0 is absent
	worths := ix.worths()
	for i, l := range q.leaves {
		if l.filter == "" {
			found[i] = ix.weigh(l, worths)
		}
	}
	wanted := q.wanted()
	rarity, total := make([]float64, len(q.leaves)), 0.0
	for i := range q.leaves {
		if wanted[i] && found[i] != nil {
			rarity[i] = ix.rarity(found[i])
			total += rarity[i]
		}
	}
	var matches []Match
	for number, f := range ix.Files {
		in, ok := origin(number)
		if !ok || f.Library || !q.fits(q.root, func(i int) bool {
			return found[i] != nil && found[i][number] > 0 || found[i] == nil && q.leaves[i].fits(f, in)
		}) {
			continue
		}
		m := Match{File: number, Score: 1}
		if total > 0 {
			sum := 0.0
			for i, r := range rarity {
				if r > 0 {
					w := float64(found[i][number])
					sum += r * w / (w + saturation)
				}
			}
			m.Score = math.Round(sum/total*1e4) / 1e4
		}
		matches = append(matches, m)
	}
	slices.SortStableFunc(matches, func(a, b Match) int { return cmp.Compare(b.Score, a.Score) })
	return matches
}

// rarity is the inverse document frequency: a term that few files have says more.
func (ix *Index) rarity(found []float32) float64 {
	with := 0
	for _, w := range found {
		if w > 0 {
			with++
		}
	}
	return math.Log(1 + (float64(len(ix.Files)-with)+0.5)/(float64(with)+0.5))
}

// worths gives, by file and field, what a word that stands there is worth: more in a title than in a body, more in a
// short text than in a long one.
func (ix *Index) worths() [][fieldCount]float32 {
	var words, files [fieldCount]float64
	for _, f := range ix.Files {
		for i, n := range f.lengths {
			if n > 0 {
				words[i] += float64(n)
				files[i]++
			}
		}
	}
	worths := make([][fieldCount]float32, len(ix.Files))
	for number, f := range ix.Files {
		for i, n := range f.lengths {
			if n > 0 {
				average := words[i] / files[i]
				worths[number][i] = float32(weights[i] / (1 - lengthBias + lengthBias*float64(n)/average))
			}
		}
	}
	return worths
}

// weigh adds up, for each file, what the words of a leaf are worth there.
func (ix *Index) weigh(l *leaf, worths [][fieldCount]float32) []float32 {
	found := make([]float32, len(ix.Files))
	add := func(file int, position uint32, weight float32) {
		if f := fieldOf(position); l.only == nil || *l.only == f {
			found[file] += weight * worths[file][f]
		}
	}
	if len(l.words) > 1 {
		for _, at := range ix.phrase(l) {
			add(int(at>>32), uint32(at), 1)
		}
		return found
	}
	for i, word := range ix.words {
		weight := float32(l.words[0].weigh(word))
		if weight == 0 {
			continue
		}
		for p := range readPostings(ix.postings[i], len(ix.Files)) {
			for _, position := range p.positions {
				add(p.file, position, weight)
			}
		}
	}
	return found
}

// phrase finds where the last word of a phrase stands. A place is a file's number and, in the lower half, a position.
func (ix *Index) phrase(l *leaf) []uint64 {
	places := ix.places(l.words[0])
	for _, word := range l.words[1:] {
		places = follow(places, ix.places(word), uint64(l.gap))
	}
	return places
}

// places are, in order, where words of a pattern stand.
func (ix *Index) places(p pattern) []uint64 {
	var places []uint64
	lists := 0
	for i, word := range ix.words {
		if p.weigh(word) == 0 {
			continue
		}
		lists++
		for posting := range readPostings(ix.postings[i], len(ix.Files)) {
			for _, position := range posting.positions {
				places = append(places, uint64(posting.file)<<32|uint64(position))
			}
		}
	}
	if lists > 1 {
		slices.Sort(places)
	}
	return places
}

// follow keeps those of next that stand up to gap behind one of before, in the same field of the same file.
func follow(before, next []uint64, gap uint64) []uint64 {
	var kept []uint64
	for _, at := range next {
		start := at&^math.MaxUint32 | uint64(fieldOf(uint32(at)).start())
		for len(before) > 0 && (before[0]+gap < at || before[0] < start) {
			before = before[1:]
		}
		if len(before) > 0 && before[0] < at {
			kept = append(kept, at)
		}
	}
	return kept
}

// fits evaluates the operators over the leaves.
func (q *Query) fits(n *node, leaf func(i int) bool) bool {
	if n == nil {
		return true
	}
	switch n.op {
	case leafNode:
		return leaf(n.leaf)
	case notNode:
		return !q.fits(n.parts[0], leaf)
	case orNode:
		return slices.ContainsFunc(n.parts, func(part *node) bool { return q.fits(part, leaf) })
	default:
		return !slices.ContainsFunc(n.parts, func(part *node) bool { return !q.fits(part, leaf) })
	}
}

// wanted are the leaves that raise a score: those that are not denied.
func (q *Query) wanted() []bool {
	wanted := make([]bool, len(q.leaves))
	var walk func(n *node, denied bool)
	walk = func(n *node, denied bool) {
		if n == nil {
			return
		}
		if n.op == leafNode {
			wanted[n.leaf] = !denied
		}
		for _, part := range n.parts {
			walk(part, denied != (n.op == notNode))
		}
	}
	walk(q.root, false)
	return wanted
}
