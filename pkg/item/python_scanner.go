package item

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"
)

// pythonKind is the sort of a token. The zero value is the end of a logical line, which is where every line starts from.
type pythonKind int

const (
	pythonNewline pythonKind = iota
	pythonEnd
	pythonName
	pythonNumber
	pythonString
	pythonFormatted // an f-string or a t-string: its value is known only when it runs
	pythonOperator
)

// pythonToken is one token as offsets into the source.
type pythonToken struct {
	kind       pythonKind
	start, end int
}

// maxPythonNesting bounds brackets and the fields of f-strings, and with them every recursion here. CPython's own
// tokenizer has the same bound.
const maxPythonNesting = 200

// pythonScanner cuts Python source into tokens. It knows as much of the language as is needed to find where strings,
// brackets and logical lines end, in every version from 3.6 to 3.14.
type pythonScanner struct {
	src    []byte
	offset int         // of the first byte after tok
	tok    pythonToken // the current token
	open   []int       // offsets of the brackets that are open after tok

	placed int // offset of place
	place  Position
}

// advance moves to the next token.
func (s *pythonScanner) advance() (err error) {
	s.tok, err = s.scan()
	return err
}

func (s *pythonScanner) text() string { return string(s.src[s.tok.start:s.tok.end]) }

// at reports whether the current token is the operator.
func (s *pythonScanner) at(operator string) bool {
	return s.tok.kind == pythonOperator && string(s.src[s.tok.start:s.tok.end]) == operator
}

// atEnd reports whether the current token ends a simple statement.
func (s *pythonScanner) atEnd() bool {
	return s.tok.kind == pythonNewline || s.tok.kind == pythonEnd || len(s.open) == 0 && s.at(";")
}

// peek is the byte n places after the scanner, or 0.
func (s *pythonScanner) peek(n int) byte {
	if s.offset+n < len(s.src) {
		return s.src[s.offset+n]
	}
	return 0
}

// position is PositionAt for offsets that only grow: all calls together read the source once.
func (s *pythonScanner) position(offset int) Position {
	if s.place.Line == 0 {
		s.place = Position{Line: 1, Column: 1}
	}
	passed := s.src[s.placed:offset]
	if n := bytes.Count(passed, []byte("\n")); n > 0 {
		s.place = Position{Line: s.place.Line + n, Column: 1}
		passed = passed[bytes.LastIndexByte(passed, '\n')+1:]
	}
	s.place.Column += utf8.RuneCount(passed)
	s.placed = offset
	return s.place
}

// indented passes over the white space that starts a line and tells whether the line belongs to a body. A form feed
// sets the column back to 0, and a backslash joins the indentation of the next line.
func (s *pythonScanner) indented() bool {
	column := 0
	for ; s.offset < len(s.src); s.offset++ {
		switch c := s.src[s.offset]; {
		case c == ' ' || c == '\t':
			column++
		case c == '\f':
			column = 0
		case c == '\\' && s.peek(1) == '\n' && s.offset+2 < len(s.src):
			s.offset++
		default:
			return column > 0
		}
	}
	return column > 0
}

// scan reads the next token. Line ends inside brackets are white space; the end of the file inside brackets is an error.
func (s *pythonScanner) scan() (pythonToken, error) {
	if err := s.skipBlank(); err != nil {
		return pythonToken{}, err
	}
	tok := pythonToken{kind: pythonOperator, start: s.offset}
	if s.offset == len(s.src) {
		if n := len(s.open); n > 0 {
			return tok, syntaxErrorAt(s.src, s.open[n-1], "%q is never closed: add the matching %q",
				s.src[s.open[n-1]], closingBracket(s.src[s.open[n-1]]))
		}
		return pythonToken{kind: pythonEnd, start: s.offset, end: s.offset}, nil
	}
	var err error
	switch c := s.src[s.offset]; {
	case c == '\n':
		tok.kind = pythonNewline
		s.offset++
	case c == '"' || c == '\'':
		tok.kind, err = s.skipString("")
	case isDigit(c) || c == '.' && isDigit(s.peek(1)):
		tok.kind = pythonNumber
		s.skipNumber()
	case s.skipName():
		tok.kind = pythonName
		if next := s.peek(0); next == '"' || next == '\'' {
			if prefix := strings.ToLower(string(s.src[tok.start:s.offset])); isStringPrefix(prefix) {
				tok.kind, err = s.skipString(prefix)
			}
		}
	case strings.IndexByte("()[]{}", c) >= 0:
		err = s.skipBracket(c)
	default:
		err = s.skipOperator(c)
	}
	tok.end = s.offset
	return tok, err
}

// skipBlank passes over white space, comments and joined lines.
func (s *pythonScanner) skipBlank() error {
	for ; s.offset < len(s.src); s.offset++ {
		switch c := s.src[s.offset]; {
		case c == ' ' || c == '\t' || c == '\f' || c == '\n' && len(s.open) > 0:
		case c == '#':
			length := bytes.IndexByte(s.src[s.offset:], '\n')
			if length < 0 {
				s.offset = len(s.src)
				return nil
			}
			s.offset += length - 1
		case c == '\\':
			if s.peek(1) != '\n' || s.offset+2 == len(s.src) {
				return syntaxErrorAt(s.src, s.offset, "a backslash outside of a string must end its line, and another line must follow")
			}
			s.offset++
		default:
			return nil
		}
	}
	return nil
}

// skipName passes over an identifier or a keyword, if one starts here.
func (s *pythonScanner) skipName() bool {
	start := s.offset
	for s.offset < len(s.src) {
		r, size := rune(s.src[s.offset]), 1
		if r >= utf8.RuneSelf {
			r, size = utf8.DecodeRune(s.src[s.offset:])
		}
		if !isNameRune(r) {
			break
		}
		s.offset += size
	}
	return s.offset > start
}

func isNameRune(r rune) bool {
	if r < utf8.RuneSelf {
		return r == '_' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9'
	}
	return unicode.In(r, unicode.L, unicode.N, unicode.Mn, unicode.Mc, unicode.Pc,
		unicode.Other_ID_Start, unicode.Other_ID_Continue)
}

// skipBracket keeps the stack of open brackets.
func (s *pythonScanner) skipBracket(c byte) error {
	n := len(s.open)
	switch {
	case strings.IndexByte("([{", c) >= 0:
		if n == maxPythonNesting {
			return syntaxErrorAt(s.src, s.offset, "brackets are nested deeper than %d levels", maxPythonNesting)
		}
		s.open = append(s.open, s.offset)
	case n == 0:
		return syntaxErrorAt(s.src, s.offset, "%q closes nothing: remove it, or add the bracket that it closes", c)
	case closingBracket(s.src[s.open[n-1]]) != c:
		at := s.open[n-1]
		return syntaxErrorAt(s.src, s.offset, "%q does not close %q of line %d: write %q",
			c, s.src[at], PositionAt(s.src, at).Line, closingBracket(s.src[at]))
	default:
		s.open = s.open[:n-1]
	}
	s.offset++
	return nil
}

func closingBracket(c byte) byte {
	switch c {
	case '(':
		return ')'
	case '[':
		return ']'
	}
	return '}'
}

// skipOperator passes over one operator, with "=" apart from every longer operator that ends in it. A colon is always
// one by itself: in the field of an f-string ":=" is a colon and a format.
func (s *pythonScanner) skipOperator(c byte) error {
	switch {
	case strings.IndexByte(",:;.~", c) >= 0:
		s.offset++
		return nil
	case strings.IndexByte("=+-*/%@&|^<>!", c) < 0:
		r, _ := utf8.DecodeRune(s.src[s.offset:])
		return syntaxErrorAt(s.src, s.offset, "the character %q has no meaning in Python outside of a string", r)
	}
	s.offset++
	if strings.IndexByte("*/<>", c) >= 0 && s.peek(0) == c {
		s.offset++
	}
	if s.peek(0) == '=' {
		s.offset++
	}
	return nil
}
