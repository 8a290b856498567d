package redact

import (
	"slices"
	"strings"
)

// hit is a part of a text that holds a secret.
type hit struct {
	start, end int
	name       string
}

const (
	// maxDepth is how many encodings on top of each other are undone: a base64 text in a URL in a JSON log line.
	maxDepth = 3
	// maxGrowth bounds the work on long texts: all decoded texts together are at most this many times as long as the text,
	// so that one made for it cannot take long. Up to freeBytes of them do not count.
	maxGrowth = 8
	freeBytes = 1 << 20
	// pieceLength is how much of a long text is looked at in one go: what is decoded takes many times its memory.
	pieceLength = 256 << 10
)

// find gives the parts of a text that hold secrets, sorted and apart from each other. A secret that begins in one piece of
// the text and ends in the next is found in the first.
func (r *Redactor) find(text string) []hit {
	if len(text) < minLength || !r.ready() {
		return nil
	}
	var hits []hit
	for from := 0; from < len(text); from += pieceLength {
		piece := text[from:min(len(text), from+pieceLength+r.widest())]
		s := search{redactor: r, budget: maxGrowth*len(piece) + freeBytes}
		s.look(view{text: piece}, 0)
		for _, h := range s.hits {
			hits = append(hits, hit{from + h.start, from + h.end, h.name})
		}
	}
	slices.SortFunc(hits, func(a, b hit) int {
		if a.start != b.start {
			return a.start - b.start
		}
		return b.end - a.end
	})
	var apart []hit
	for _, h := range hits {
		if last := len(apart) - 1; last >= 0 && h.start < apart[last].end {
			apart[last].end = max(apart[last].end, h.end)
			continue
		}
		apart = append(apart, h)
	}
	return apart
}

// search is one walk through the ways to read a text.
type search struct {
	redactor *Redactor
	budget   int
	hits     []hit
}

// look finds secrets in one reading of the text, and in what it is when more encodings are undone.
func (s *search) look(v view, depth int) {
	for at := range len(v.text) {
		for _, known := range s.redactor.byFirst[v.text[at]] {
			if n := matching(v.text[at:], known.value); n > 0 {
				start, _ := v.original(at)
				_, end := v.original(at + n - 1)
				s.hits = append(s.hits, hit{start, end, known.name})
				break
			}
		}
	}
	if depth == maxDepth {
		return
	}
	for _, undo := range decoders {
		if decoded, changed := undo(v, s.redactor.shortest); changed && len(decoded.text) <= s.budget {
			s.budget -= len(decoded.text)
			s.look(decoded, depth+1)
		}
	}
}

// matching tells how many bytes at the start of text belong to the value: all of it, or the start of a long one.
func matching(text, value string) int {
	if strings.HasPrefix(text, value) {
		return len(value)
	}
	if len(value) <= cutLength || !strings.HasPrefix(text, value[:cutLength]) {
		return 0
	}
	n := cutLength
	for n < len(text) && text[n] == value[n] {
		n++
	}
	return n
}
