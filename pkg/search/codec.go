package search

import (
	"encoding/binary"
	"errors"
	"hash/crc32"
	"strings"
	"sync"
)

// format begins every encoded index. Another version of what is indexed, or of how, needs another one.
const format = "rye search index 1\n"

// checksum is made when it is needed: that takes a quarter of a millisecond, which no other command should pay.
var checksum = sync.OnceValue(func() *crc32.Table { return crc32.MakeTable(crc32.Castagnoli) })

var errDamaged = errors.New("the search index is damaged")

// Encode writes an index as bytes that Decode reads.
func (ix *Index) Encode() []byte {
	w := &writer{buf: []byte(format)}
	w.number(len(ix.Files))
	for _, f := range ix.Files {
		w.text(f.Path)
		for _, v := range []uint64{uint64(f.Stamp.Size), uint64(f.Stamp.Modified), uint64(f.Stamp.Changed), f.Stamp.Inode} {
			w.buf = binary.LittleEndian.AppendUint64(w.buf, v)
		}
		w.flag(f.Library)
		w.text(f.Category)
		w.number(len(f.Tags))
		for _, tag := range f.Tags {
			w.text(tag)
		}
		for _, n := range f.lengths {
			w.number(int(n))
		}
	}
	w.number(len(ix.words))
	for i, word := range ix.words {
		w.text(word)
		w.text(ix.postings[i])
	}
	return w.sealed()
}

// Decode reads an index from a file that anyone may have written. The checksum finds accidents; everything else is
// checked where it is used, so that at worst a search finds the wrong things.
func Decode(data string) (*Index, error) {
	end := len(data) - crc32.Size
	if end < len(format) || !strings.HasPrefix(data, format) || sumOf(data[:end]) != binary.LittleEndian.Uint32([]byte(data[end:])) {
		return nil, errDamaged
	}
	r := &reader{postingReader{rest: data[len(format):end], ok: true}}
	const least = 4*8 + 4 + int(fieldCount) // bytes of a file with nothing in it
	ix := &Index{Files: make([]File, r.count(least))}
	for i := range ix.Files {
		r.file(&ix.Files[i])
	}
	n := r.count(2)
	ix.words, ix.postings = make([]string, n), make([]string, n)
	for i := range n {
		ix.words[i], ix.postings[i] = r.text(), r.text()
		if i > 0 && ix.words[i] <= ix.words[i-1] {
			r.ok = false
		}
	}
	if !r.ok || r.rest != "" {
		return nil, errDamaged
	}
	return ix, nil
}

// sumOf is crc32.Checksum for a string.
func sumOf(data string) (sum uint32) {
	var piece [4096]byte
	for len(data) > 0 {
		n := copy(piece[:], data)
		sum = crc32.Update(sum, checksum(), piece[:n])
		data = data[n:]
	}
	return sum
}

type writer struct{ buf []byte }

// sealed ends with the checksum of everything before it.
func (w *writer) sealed() []byte {
	return binary.LittleEndian.AppendUint32(w.buf, crc32.Checksum(w.buf, checksum()))
}

func (w *writer) number(n int) { w.buf = binary.AppendUvarint(w.buf, uint64(n)) }

func (w *writer) text(s string) {
	w.number(len(s))
	w.buf = append(w.buf, s...)
}

func (w *writer) flag(b bool) {
	n := 0
	if b {
		n = 1
	}
	w.number(n)
}

// reader gives zero values once something was wrong.
type reader struct{ postingReader }

// count is a number of things that take so many bytes each, at least.
func (r *reader) count(least int) int {
	n := r.uvarint()
	if !r.ok || n > uint64(len(r.rest)/least) {
		r.ok = false
		return 0
	}
	return int(n)
}

func (r *reader) text() string { return r.bytes(r.count(1)) }

func (r *reader) bytes(n int) string {
	if !r.ok || n > len(r.rest) {
		r.ok = false
		return ""
	}
	s := r.rest[:n]
	r.rest = r.rest[n:]
	return s
}

func (r *reader) word64() uint64 {
	if s := r.bytes(8); r.ok {
		return binary.LittleEndian.Uint64([]byte(s))
	}
	return 0
}

func (r *reader) file(f *File) {
	f.Path = r.text()
	f.Stamp = Stamp{Size: int64(r.word64()), Modified: int64(r.word64()), Changed: int64(r.word64()), Inode: r.word64()}
	f.Library = r.uvarint() == 1
	f.Category = r.text()
	for range r.count(1) {
		if !r.ok {
			return
		}
		f.Tags = append(f.Tags, r.text())
	}
	for i := range f.lengths {
		f.lengths[i] = uint32(min(r.uvarint(), uint64(field(i).room())))
	}
}
