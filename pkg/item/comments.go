package item

import (
	"bytes"
	"errors"
	"regexp"
	"strings"
	"unicode/utf8"
)

// commentConstant is the start of a comment that declares a constant. Its groups are the name, what follows the name,
// and the value.
var commentConstant = regexp.MustCompile(`^[ \t]*(__\w+__|[A-Z][A-Z0-9_]*|anchor|verify_deps)([ \t]*=[ \t]*([^= \t].*|))$`)

// readComments reads the metadata of a file type without literals of its own (shell, Ruby, Perl, awk, Lua) from the
// comments above its first line of code: `# __version__ = "1.0.0"`. The names that count are __dunder__ names,
// UPPER_CASE names, anchor and verify_deps; their values are literals of Python or JSON, which go on in the following
// comments until their brackets close. Any other comment is prose. So is `# DEBUG=1 ./run.sh`, an upper-case name
// right before an equals sign with no literal behind it: that is how shells write assignments.
// It returns a *SyntaxError for every other value that is not a literal.
func readComments(src []byte) (*Document, error) {
	src = bytes.TrimPrefix(src, byteOrderMark)
	h := newCommentHeader(src)
	err := checkText(h.src)
	for err == nil && h.offset < len(h.src) {
		err = h.line()
	}
	var syntax *SyntaxError
	if errors.As(err, &syntax) {
		syntax.Pos = h.inFile(syntax.Pos)
		syntax.Snippet = snippet(src, syntax.Pos)
	}
	if err != nil {
		return nil, err
	}
	return h.doc, nil
}

// commentHeader reads the comments at the start of a file. What it scans is their text, one line for each line of the
// file.
type commentHeader struct {
	pythonLiterals
	removed []int // characters taken off the start of each line
	doc     *Document
}

// newCommentHeader takes the comment prefixes off the lines before the first line of code. The line with the
// interpreter counts as a comment, whatever comments look like in the language.
func newCommentHeader(file []byte) *commentHeader {
	h := &commentHeader{doc: newDocument()}
	h.json = true
	for line := range bytes.Lines(file) {
		line = bytes.TrimRight(line, "\r\n")
		text, ok := commentText(line)
		if !ok {
			break
		}
		h.removed = append(h.removed, utf8.RuneCount(line)-utf8.RuneCount(text))
		h.src = append(append(h.src, text...), '\n')
	}
	return h
}

// inFile turns a position in the text of the comments into one in the file.
func (h *commentHeader) inFile(pos Position) Position {
	if n := pos.Line - 1; n < len(h.removed) {
		pos.Column += h.removed[n]
	}
	return pos
}

// commentText is what a comment says, without the prefix and one space. An empty line says nothing.
func commentText(line []byte) (text []byte, ok bool) {
	text = bytes.TrimLeft(line, " \t")
	if len(text) == 0 {
		return text, true
	}
	for _, style := range []CommentStyle{hashComment, slashComment, dashComment} {
		if rest, ok := bytes.CutPrefix(text, []byte(style.Prefix)); ok {
			return bytes.TrimPrefix(rest, []byte(" ")), true
		}
	}
	return nil, false
}

// line reads the constant that the comment at the scanner declares, if it declares one, and moves on to the line after.
func (h *commentHeader) line() error {
	start := h.offset
	next := start + bytes.IndexByte(h.src[start:], '\n') + 1
	line := h.src[start : next-1]
	h.offset = next
	m := commentConstant.FindSubmatchIndex(line)
	if m == nil {
		return nil
	}
	name, at := string(line[m[2]:m[3]]), start+m[6]
	h.offset = at
	value, err := h.only()
	switch {
	case err == nil:
		h.doc.set(name, value, h.inFile(h.position(at)))
	case isShellAssignment(name, string(line[m[4]:])):
		h.offset, h.open, err = next, nil, nil
	case errors.Is(err, errNotLiteral):
		err = syntaxErrorAt(h.src, at,
			"the value of %s is not a literal: write a quoted string, a number, true, false, null, a list or a mapping", name)
	}
	return err
}

// only reads a literal with nothing else on its last line.
func (h *commentHeader) only() (any, error) {
	if err := h.advance(); err != nil {
		return nil, err
	}
	value, err := h.tuple()
	if err == nil && h.tok.kind != pythonNewline {
		err = errNotLiteral
	}
	return value, err
}

// isShellAssignment reports whether a comment that declares no literal shows the use of a variable instead, as in
// `# DEBUG=1 ./run.sh`. rest is what follows the name. A bracket starts no value that a shell would take.
func isShellAssignment(name, rest string) bool {
	value, tight := strings.CutPrefix(rest, "=")
	return tight && name[0] != '_' && name == strings.ToUpper(name) && !strings.HasPrefix(value, "{") && !strings.HasPrefix(value, "[")
}
