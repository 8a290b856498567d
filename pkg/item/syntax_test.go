package item

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"
)

func TestPositionAt(t *testing.T) {
	src := []byte("aé\n\n😀b\r\nc")
	tests := []struct {
		offset int
		want   Position
	}{
		{-1, Position{1, 1}}, {0, Position{1, 1}}, {1, Position{1, 2}}, {3, Position{1, 3}}, {4, Position{2, 1}}, {5, Position{3, 1}},
		{9, Position{3, 2}}, {11, Position{3, 4}}, {12, Position{4, 1}}, {13, Position{4, 2}}, {99, Position{4, 2}},
	}
	for _, tt := range tests {
		if got := PositionAt(src, tt.offset); got != tt.want {
			t.Errorf("offset %d: got %v, want %v", tt.offset, got, tt.want)
		}
	}
}

// The cursor agrees with PositionAt in whatever order it is asked.
func FuzzPositionCursor(f *testing.F) {
	f.Add([]byte("aé\n\n😀b\r\nc"), []byte{0, 3, 4, 9, 2, 12, 12, 1})
	f.Add([]byte("\xff\n\x80"), []byte{255, 0, 2})
	f.Fuzz(func(t *testing.T, src, offsets []byte) {
		c := newPositionCursor(src)
		for _, o := range offsets {
			// Only offsets between characters have a column.
			if offset := int(o); offset > len(src) || bytes.IndexFunc(src, func(r rune) bool { return r == '\ufffd' }) >= 0 {
				continue
			} else if offset < len(src) && src[offset]&0xc0 == 0x80 {
				continue
			} else if got, want := c.at(offset), PositionAt(src, offset); got != want {
				t.Fatalf("offset %d: got %v, want %v", offset, got, want)
			}
		}
	})
}

func TestSyntaxError(t *testing.T) {
	src := []byte("one\n\ttwo é \x1b[31m\u202e!\nthree")
	err := syntaxErrorAt(src, bytes.IndexByte(src, 0x1b), "bad %s", "thing")
	err.Path = "a/b.py"
	want := "a/b.py:2:8: bad thing\n" +
		"     1 | one\n" +
		">    2 |  two é ·[31m·!\n" +
		"       |        ^"
	if err.Error() != want {
		t.Errorf("got\n%s\nwant\n%s", err, want)
	}
	if (&SyntaxError{Path: "x", Pos: Position{1, 2}, Message: "m"}).Error() != "x:1:2: m" {
		t.Error("an error without a snippet is one line")
	}
	if got := TypeOf(fmt.Errorf("reading: %w", err)); got != TypeChain {
		t.Errorf("the type is %s", got)
	}
}

func TestSnippetBounds(t *testing.T) {
	for _, tt := range []struct {
		src    string
		offset int
	}{{"", 0}, {"\n\n", 2}, {strings.Repeat("x", 5000), 4000}, {strings.Repeat("\n", 5000), 5000}} {
		err := syntaxErrorAt([]byte(tt.src), tt.offset, "m")
		if len(err.Snippet) > 1000 || strings.Count(err.Snippet, "\n") > 2 || !strings.Contains(err.Snippet, ">") {
			t.Errorf("%.10q: the snippet is %q", tt.src, err.Snippet)
		}
	}
}

func TestErrors(t *testing.T) {
	cause := errors.New("cause")
	err := Errorf(TypeLimit, "too much: %w", cause).Hint("try %d", 1)
	wrapped := fmt.Errorf("outer: %w", err)
	if !errors.Is(wrapped, cause) || TypeOf(wrapped) != TypeLimit || fmt.Sprint(HintsOf(wrapped)) != "[try 1]" || err.Error() != "too much: cause" {
		t.Errorf("got %v, type %s, hints %v", wrapped, TypeOf(wrapped), HintsOf(wrapped))
	}
	if TypeOf(cause) != TypeInternal || HintsOf(cause) != nil {
		t.Error("a plain error is internal and has no hints")
	}
	if got := Quote("a\x1b\u202e\xff"); got != `"a\x1b\u202e\xff"` {
		t.Errorf("got %s", got)
	}
	if got := Quote(strings.Repeat("a", 10_000)); len(got) > 300 {
		t.Errorf("a quotation is %d bytes long", len(got))
	}
}
