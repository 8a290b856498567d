package search

import (
	"encoding/binary"
	"iter"
)

// posting is where a word stands in one file.
type posting struct {
	file      int
	positions []uint32 // ascending; valid until the next posting is read
}

// postingWriter encodes postings in the order of their files: the distance from the file before, doubled, plus one when
// there are several positions, whose number then follows; then the distances between the positions.
type postingWriter struct {
	buf  []byte
	next int // the lowest number that the next file can have
}

func (w *postingWriter) add(file int, positions []uint32) {
	head := uint64(file-w.next) << 1
	if len(positions) == 1 {
		w.buf = binary.AppendUvarint(w.buf, head)
	} else {
		w.buf = binary.AppendUvarint(w.buf, head|1)
		w.buf = binary.AppendUvarint(w.buf, uint64(len(positions)))
	}
	before := uint32(0)
	for _, p := range positions {
		w.buf = binary.AppendUvarint(w.buf, uint64(p-before))
		before = p
	}
	w.next = file + 1
}

// readPostings walks an encoded list. It ends at the first thing that cannot be, such as a file that does not exist: the
// list may come from a cache that someone has changed.
func readPostings(list string, files int) iter.Seq[posting] {
	return func(yield func(posting) bool) {
		r := postingReader{rest: list, ok: true}
		var positions []uint32
		for next := uint64(0); len(r.rest) > 0; {
			head, count := r.uvarint(), uint64(1)
			if head&1 == 1 {
				count = r.uvarint()
			}
			file := next + head>>1
			if !r.ok || file < next || file >= uint64(files) || count > uint64(len(r.rest)) {
				return
			}
			positions = positions[:0]
			at := uint64(0)
			for range count {
				at += r.uvarint()
				if !r.ok || at > uint64(bodyField.start()+bodyField.room()) {
					return
				}
				positions = append(positions, uint32(at))
			}
			if !yield(posting{int(file), positions}) {
				return
			}
			next = file + 1
		}
	}
}

type postingReader struct {
	rest string
	ok   bool
}

// uvarint is binary.Uvarint for a string.
func (r *postingReader) uvarint() uint64 {
	var v uint64
	for i := 0; i < len(r.rest) && i < binary.MaxVarintLen64; i++ {
		b := r.rest[i]
		v |= uint64(b&0x7f) << (7 * i)
		if b < 0x80 {
			r.rest = r.rest[i+1:]
			return v
		}
	}
	r.ok = false
	return 0
}
