package item

import (
	"bytes"
	"errors"
	"strings"
	"unicode/utf8"
)

// commentConstant is the start of a comment that declares a constant. Its groups are the name, what follows the name,
// and the value.
var commentConstant = pattern(`^[ \t]*(__\w+__|[A-Z][A-Z0-9_]*|anchor|verify_deps)([ \t]*=[ \t]*([^= \t].*|))$`)

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
	pythonScanner
	removed []int // characters taken off the start of each line
	doc     *Document
}

// newCommentHeader takes the comment prefixes off the lines before the first line of code. The line with the
// interpreter counts as a comment, whatever comments look like in the language.
func newCommentHeader(file []byte) *commentHeader {
	h := &commentHeader{doc: newDocument()}
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
	h.offset += bytes.IndexByte(h.src[start:], '\n') + 1
	line := h.src[start:h.offset]
	m := commentConstant().FindSubmatchIndex(bytes.TrimSuffix(line, []byte("\n")))
	if m == nil {
		return nil
	}
	name, at := string(line[m[2]:m[3]]), start+m[6]
	if isShellAssignment(name, string(line[m[4]:])) {
		if _, _, err := readConstant(line, m[6]); err != nil {
			return nil
		}
	}
	value, next, err := readConstant(h.src, at)
	if errors.Is(err, errNotLiteral) {
		return syntaxErrorAt(h.src, at,
			"the value of %s is not a literal: write a quoted string, a number, true, false, null, a list or a mapping", name)
	}
	if err == nil {
		h.doc.set(name, value, h.inFile(h.position(at)))
		h.offset = next
	}
	return err
}

// readConstant reads the literal at the offset, which must be alone on its last line, and returns the offset of the line
// after.
func readConstant(text []byte, offset int) (value any, next int, err error) {
	l := pythonLiterals{json: true}
	l.src, l.offset = text, offset
	if err := l.advance(); err != nil {
		return nil, 0, err
	}
	value, err = l.tuple()
	if err == nil && l.tok.kind != pythonNewline {
		err = errNotLiteral
	}
	return value, l.offset, err
}

// isShellAssignment reports whether a comment may show the use of a variable, as in `# DEBUG=1 ./run.sh`. rest is what
// follows the name. A bracket starts no value that a shell would take.
func isShellAssignment(name, rest string) bool {
	return name == strings.ToUpper(name) && name[0] != '_' && rest[0] == '=' && !strings.ContainsAny(rest[1:2], "{[")
}
