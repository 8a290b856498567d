package item

import (
	"bytes"
	"unicode/utf8"
)

// Bounds of what a reader builds from one file. They keep the recursion over values, and the copies that YAML aliases
// make, small whatever the file says.
const (
	maxDepth    = 200
	maxNodes    = 100_000
	maxTOMLKeys = 10_000  // go-toml compares a new key with all before it
	maxTree     = 4 << 20 // bytes of YAML or TOML, whose libraries hold a tree many times as large
)

// sourceText checks the bytes of a file and takes its byte order mark off. Some of the parsers would replace bad bytes
// silently, and then the metadata would not be what was signed.
func sourceText(src []byte) ([]byte, error) {
	src = bytes.TrimPrefix(src, byteOrderMark)
	return src, checkText(src)
}

// treeText is sourceText for the languages whose libraries build a tree of the whole file.
func treeText(src []byte) ([]byte, error) {
	if len(src) > maxTree {
		return nil, syntaxErrorAt(src, maxTree, "the file is longer than %d bytes: keep data that is no metadata elsewhere", maxTree)
	}
	return sourceText(src)
}

// plainText makes a message that repeats a part of the file safe to print.
func plainText(message string) string { return printable([]byte(message), 400) }

func tooDeep(src []byte, offset int) error {
	return syntaxErrorAt(src, offset, "values are nested deeper than %d levels", maxDepth)
}

// positionCursor is PositionAt for offsets that mostly grow, so that a file of many values is counted through once.
type positionCursor struct {
	src    []byte
	offset int
	pos    Position
}

func newPositionCursor(src []byte) *positionCursor {
	return &positionCursor{src: src, pos: Position{Line: 1, Column: 1}}
}

func (c *positionCursor) at(offset int) Position {
	offset = min(offset, len(c.src))
	if offset < c.offset {
		c.offset, c.pos = 0, Position{Line: 1, Column: 1}
	}
	passed := c.src[c.offset:offset]
	if lines := bytes.Count(passed, []byte("\n")); lines > 0 {
		c.pos.Line += lines
		c.pos.Column = 1
		passed = passed[bytes.LastIndexByte(passed, '\n')+1:]
	}
	c.pos.Column += utf8.RuneCount(passed)
	c.offset = offset
	return c.pos
}
