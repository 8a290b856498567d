package process

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf8"
)

// Output is what a program wrote to one stream: all of it, or its head and its tail when it wrote more than the limit.
// The zero Output is empty.
type Output struct {
	Total int64 // bytes written, kept or not

	headLimit, tailLimit int
	head                 []byte
	tail                 []byte // the bytes after head; a ring once it is full
	next                 int    // where the ring is written next, that is, its oldest byte
}

// newOutput keeps at most limit bytes. Memory is taken as the output grows.
func newOutput(limit int) Output {
	return Output{headLimit: limit / 2, tailLimit: limit - limit/2}
}

// OutputOf is what a program leaves that wrote these bytes, of which at most limit are kept; 0 means DefaultLimit.
func OutputOf(data []byte, limit int) Output {
	if limit <= 0 {
		limit = DefaultLimit
	}
	o := newOutput(limit)
	o.write(data)
	return o
}

func (o *Output) write(p []byte) {
	o.Total += int64(len(p))
	p = fill(&o.head, o.headLimit, p)
	p = fill(&o.tail, o.tailLimit, p)
	if skip := len(p) - o.tailLimit; skip > 0 { // these would be overwritten at once
		p = p[skip:]
		o.next = (o.next + skip) % o.tailLimit
	}
	for len(p) > 0 {
		n := copy(o.tail[o.next:], p)
		p = p[n:]
		o.next = (o.next + n) % o.tailLimit
	}
}

// fill appends to buf what fits below limit and returns the rest. Capacity grows eightfold, so that little is left behind to
// be collected, but never beyond the limit.
func fill(buf *[]byte, limit int, p []byte) []byte {
	n := min(limit-len(*buf), len(p))
	if need := len(*buf) + n; need > cap(*buf) {
		grown := make([]byte, len(*buf), min(limit, max(need, 8*cap(*buf))))
		copy(grown, *buf)
		*buf = grown
	}
	*buf = append(*buf, p[:n]...)
	return p[n:]
}

// Truncated reports whether bytes between head and tail are missing.
func (o Output) Truncated() bool { return o.Total > int64(len(o.head)+len(o.tail)) }

// Bytes is the whole output or, if it is truncated,
//
//	head + "\n... [output truncated, N bytes total]\n" + tail
//
// where both cuts are moved so that no UTF-8 character is split.
func (o Output) Bytes() []byte { return bytes.Join(o.parts(), nil) }

// String is Bytes as a string; bytes that are no UTF-8 are kept as they are.
func (o Output) String() string {
	var s strings.Builder
	s.Grow(len(o.head) + len(o.tail) + 64)
	for _, p := range o.parts() {
		s.Write(p)
	}
	return s.String()
}

func (o Output) parts() [][]byte {
	if !o.Truncated() {
		return [][]byte{o.head, o.tail}
	}
	old, recent := o.tail[o.next:], o.tail[:o.next]
	cut := utf8.UTFMax - 1
	for cut > 0 && len(old) > 0 && !utf8.RuneStart(old[0]) {
		old, cut = old[1:], cut-1
	}
	for cut > 0 && len(old) == 0 && len(recent) > 0 && !utf8.RuneStart(recent[0]) {
		recent, cut = recent[1:], cut-1
	}
	notice := fmt.Sprintf("\n... [output truncated, %d bytes total]\n", o.Total)
	return [][]byte{wholeRunes(o.head), []byte(notice), old, recent}
}

// wholeRunes cuts off a last character of which only the first bytes are there.
func wholeRunes(p []byte) []byte {
	for i := len(p) - 1; i >= 0 && i > len(p)-utf8.UTFMax; i-- {
		if utf8.RuneStart(p[i]) {
			if !utf8.FullRune(p[i:]) {
				return p[:i]
			}
			break
		}
	}
	return p
}
