package item

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf8"
)

// Position is a place in a file, counted from 1; columns count characters, not bytes.
type Position struct{ Line, Column int }

// SyntaxError says where a file cannot be read, with the lines around the place.
type SyntaxError struct {
	Path    string // filled by ParseMetadata
	Pos     Position
	Message string
	Snippet string // up to three source lines, the bad one marked with > and a caret below it
}

func (e *SyntaxError) Error() string {
	where := fmt.Sprintf("%s:%d:%d", e.Path, e.Pos.Line, e.Pos.Column)
	if e.Snippet == "" {
		return where + ": " + e.Message
	}
	return where + ": " + e.Message + "\n" + e.Snippet
}

// syntaxErrorAt makes a SyntaxError for the byte offset in src.
func syntaxErrorAt(src []byte, offset int, format string, args ...any) *SyntaxError {
	pos := PositionAt(src, offset)
	return &SyntaxError{Pos: pos, Message: fmt.Sprintf(format, args...), Snippet: snippet(src, pos)}
}

// NewSyntaxError makes a SyntaxError for a place in src that was found before. What the message repeats of the file is
// made safe to print.
func NewSyntaxError(src []byte, pos Position, format string, args ...any) *SyntaxError {
	return &SyntaxError{Pos: pos, Message: plainText(fmt.Sprintf(format, args...)), Snippet: snippet(src, pos)}
}

// PositionAt turns a byte offset into a line and a column. Offsets past the end are the place after the last byte.
func PositionAt(src []byte, offset int) Position {
	offset = max(0, min(offset, len(src)))
	line := 1 + bytes.Count(src[:offset], []byte("\n"))
	start := bytes.LastIndexByte(src[:offset], '\n') + 1
	return Position{Line: line, Column: 1 + utf8.RuneCount(src[start:offset])}
}

// snippet shows the line before, the line itself and a caret, each cut to a width that fits a terminal.
func snippet(src []byte, pos Position) string {
	const width = 160
	lines := bytes.Split(src, []byte("\n"))
	var out strings.Builder
	for n := max(1, pos.Line-1); n <= pos.Line && n <= len(lines); n++ {
		mark := " "
		if n == pos.Line {
			mark = ">"
		}
		fmt.Fprintf(&out, "%s %4d | %s\n", mark, n, printable(lines[n-1], width))
	}
	if pos.Column <= width {
		fmt.Fprintf(&out, "       | %s^", strings.Repeat(" ", max(0, pos.Column-1)))
	}
	return strings.TrimRight(out.String(), "\n")
}

// printable replaces what would move the cursor or hide text.
func printable(line []byte, width int) string {
	var out strings.Builder
	for i, r := range []rune(string(line)) {
		if i == width {
			out.WriteRune('…')
			break
		}
		switch {
		case r == '\t':
			out.WriteByte(' ')
		case r < ' ' || r == 0x7f || isInvisible(r):
			out.WriteRune('\u00b7')
		default:
			out.WriteRune(r)
		}
	}
	return out.String()
}
