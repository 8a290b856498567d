package item

import (
	"bytes"
	"strings"
)

// isStringPrefix reports whether the lower-case name can stand before a quote.
func isStringPrefix(name string) bool {
	switch name {
	case "r", "u", "b", "br", "rb", "f", "fr", "rf", "t", "tr", "rt":
		return true
	}
	return false
}

// skipString passes over a string from its opening quote on. prefix is in lower case.
func (s *pythonScanner) skipString(prefix string) (pythonKind, error) {
	start := s.offset
	quote := s.src[start : start+1]
	if s.peek(1) == quote[0] && s.peek(2) == quote[0] {
		quote = s.src[start : start+3]
	}
	s.offset += len(quote)
	if strings.ContainsAny(prefix, "ft") {
		f := formatString{s, start, quote, strings.Contains(prefix, "r")}
		return pythonFormatted, f.skipText(false)
	}
	for s.offset < len(s.src) {
		switch c := s.src[s.offset]; {
		case c == '\\':
			s.offset += 2
		case bytes.HasPrefix(s.src[s.offset:], quote):
			s.offset += len(quote)
			return pythonString, nil
		case c == '\n' && len(quote) == 1:
			return 0, s.unclosedString(start, quote)
		default:
			s.offset++
		}
	}
	return 0, s.unclosedString(start, quote)
}

func (s *pythonScanner) unclosedString(start int, quote []byte) error {
	if len(quote) == 1 {
		return syntaxErrorAt(s.src, start, "the string is not closed on its line: add %s at its end", quote)
	}
	return syntaxErrorAt(s.src, start, "the string is never closed: add %s at its end", quote)
}

// formatString passes over an f-string or a t-string by the rules of PEP 701, which contain those of older versions.
type formatString struct {
	*pythonScanner
	start int
	quote []byte
	raw   bool
}

// skipText passes over the text between fields, and over the fields. In a format, which is the text after the colon of
// a field, it stops after the brace that closes the field; else after the closing quote.
func (f formatString) skipText(format bool) error {
	for f.offset < len(f.src) {
		switch c := f.src[f.offset]; {
		case c == '\\':
			f.skipEscape()
		case c == '{' && f.peek(1) == '{' && !format, c == '}' && f.peek(1) == '}' && !format:
			f.offset += 2
		case c == '{':
			if err := f.skipField(); err != nil {
				return err
			}
		case c == '}':
			return f.skipBracket(c)
		case bytes.HasPrefix(f.src[f.offset:], f.quote):
			if format {
				return f.unclosedString(f.start, f.quote)
			}
			f.offset += len(f.quote)
			return nil
		case c == '\n' && len(f.quote) == 1:
			return f.unclosedString(f.start, f.quote)
		default:
			f.offset++
		}
	}
	return f.unclosedString(f.start, f.quote)
}

// skipEscape passes over a backslash and what it escapes: never a brace, except for those of a character's name.
func (f formatString) skipEscape() {
	switch next := f.peek(1); {
	case next == '{' || next == '}':
		f.offset++
	case next == 'N' && f.peek(2) == '{' && !f.raw:
		f.offset += 3
		if length := bytes.IndexByte(f.src[f.offset:], '}'); length >= 0 {
			f.offset += length + 1
		}
	default:
		f.offset += 2
	}
}

// skipField passes over one replacement field: an expression and, after a colon outside of brackets, a format.
func (f formatString) skipField() error {
	depth := len(f.open)
	if err := f.skipBracket('{'); err != nil {
		return err
	}
	for len(f.open) > depth {
		tok, err := f.scan()
		if err != nil {
			return err
		}
		if len(f.open) == depth+1 && tok.kind == pythonOperator && f.src[tok.start] == ':' {
			return f.skipText(true)
		}
	}
	return nil
}
