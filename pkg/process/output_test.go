package process

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestOutput(t *testing.T) {
	tests := []struct {
		name   string
		limit  int
		writes []string
		want   string
	}{
		{"nothing", 8, nil, ""},
		{"below the limit", 8, []string{"abc"}, "abc"},
		{"at the limit", 8, []string{"abc", "defgh"}, "abcdefgh"},
		{"one over", 8, []string{"abcdefghi"}, "abcd\n... [output truncated, 9 bytes total]\nfghi"},
		{"ring wraps", 8, []string{"abcdef", "ghijk", "lm"}, "abcd\n... [output truncated, 13 bytes total]\njklm"},
		{"one big write", 4, []string{strings.Repeat("x", 99) + "yz"}, "xx\n... [output truncated, 101 bytes total]\nyz"},
		{"odd limit", 5, []string{"abcdefg"}, "ab\n... [output truncated, 7 bytes total]\nefg"},
		{"limit of one", 1, []string{"ab"}, "\n... [output truncated, 2 bytes total]\nb"},
		{"head cut in a character", 8, []string{"aaaäbbbbb"}, "aaa\n... [output truncated, 10 bytes total]\nbbbb"},
		{"tail cut in a character", 8, []string{"aaaaaä€b"}, "aaaa\n... [output truncated, 11 bytes total]\n€b"},
		{"four-byte characters", 10, []string{"a😀😀😀😀"}, "a😀\n... [output truncated, 17 bytes total]\n😀"},
		{"not UTF-8", 8, []string{"\x80\x80\x80\x80\xff\xff\xff\xff\xff"}, "\x80\x80\x80\x80\n... [output truncated, 9 bytes total]\n\xff\xff\xff\xff"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			o := newOutput(tt.limit)
			for _, w := range tt.writes {
				o.write([]byte(w))
			}
			if got := o.String(); got != tt.want {
				t.Errorf("got  %q\nwant %q", got, tt.want)
			}
		})
	}
}

// FuzzOutput writes in pieces of any size; the result must not depend on the pieces, must consist of a prefix and a suffix
// of what was written, and must lose nothing below the limit.
func FuzzOutput(f *testing.F) {
	f.Add([]byte("hello"), 3, 2)
	f.Add([]byte("aäö€😀bcdefghijklmnop"), 7, 3)
	f.Add(bytes.Repeat([]byte{0xf0, 0x9f, 0x98, 0x80}, 20), 9, 5)
	f.Add(bytes.Repeat([]byte{0x80}, 64), 16, 64)
	f.Fuzz(func(t *testing.T, data []byte, limit, piece int) {
		limit, piece = 1+abs(limit)%512, 1+abs(piece)%600
		o, whole := newOutput(limit), newOutput(limit)
		whole.write(data)
		for rest := data; len(rest) > 0; {
			n := min(piece, len(rest))
			o.write(rest[:n])
			rest = rest[n:]
		}
		got := o.Bytes()
		if !bytes.Equal(got, whole.Bytes()) {
			t.Fatalf("pieces of %d: %q, at once: %q", piece, got, whole.Bytes())
		}
		if o.Total != int64(len(data)) || o.Truncated() != (len(data) > limit) {
			t.Fatalf("total %d, truncated %v, wrote %d with limit %d", o.Total, o.Truncated(), len(data), limit)
		}
		if !o.Truncated() {
			if !bytes.Equal(got, data) {
				t.Fatalf("got %q, wrote %q", got, data)
			}
			return
		}
		notice := fmt.Sprintf("\n... [output truncated, %d bytes total]\n", len(data))
		at := bytes.Index(got, []byte(notice))
		if at < 0 {
			t.Fatalf("no notice in %q", got)
		}
		head, tail := got[:at], got[at+len(notice):]
		if !bytes.HasPrefix(data, head) || !bytes.HasSuffix(data, tail) {
			t.Fatalf("head %q or tail %q is not from %q", head, tail, data)
		}
		if short := limit - len(head) - len(tail); short < 0 || short > 2*(utf8.UTFMax-1) {
			t.Fatalf("limit %d: kept %d + %d", limit, len(head), len(tail))
		}
		if utf8.Valid(data) && (!utf8.Valid(head) || !utf8.Valid(tail)) {
			t.Fatalf("split a character: %q … %q", head, tail)
		}
	})
}

func abs(n int) int { return max(n, -(n + 1)) }

// The memory of an output follows what is written, and is bounded by the limit.
func TestOutputMemory(t *testing.T) {
	o := newOutput(64 << 20)
	o.write([]byte("small"))
	if got := cap(o.head) + cap(o.tail); got > 64 {
		t.Errorf("%d bytes are held for 5", got)
	}
	const limit = 1 << 20
	o = newOutput(limit)
	for block := make([]byte, 300_000); o.Total < 50<<20; {
		o.write(block)
	}
	if got := cap(o.head) + cap(o.tail); got > limit {
		t.Errorf("%d bytes are held with a limit of %d", got, limit)
	}
}

func BenchmarkOutputFlood(b *testing.B) {
	block := make([]byte, bufferSize)
	b.SetBytes(bufferSize)
	o := newOutput(DefaultLimit)
	for b.Loop() {
		o.write(block)
	}
}
