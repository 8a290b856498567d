package item

import (
	"math"
	"math/big"
	"strconv"
	"strings"
)

// The numbers that Python accepts, in lower case. An integer has no leading zeros, and an underscore stands between
// two digits or behind the base.
var (
	pythonInteger = pattern(`^(?:0x(?:_?[0-9a-f])+|0o(?:_?[0-7])+|0b(?:_?[01])+|0(?:_?0)*|[1-9](?:_?[0-9])*)$`)
	pythonFloat   = pattern(`^(?:[0-9](?:_?[0-9])*(?:\.(?:[0-9](?:_?[0-9])*)?)?|\.[0-9](?:_?[0-9])*)(?:e[+-]?[0-9](?:_?[0-9])*)?$`)
)

// maxPythonDigits is the length up to which CPython converts integers between text and value.
const maxPythonDigits = 4300

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// skipNumber passes over a number without looking closely: number finds what is wrong with it.
func (s *pythonScanner) skipNumber() {
	while := func(digits string) {
		for s.offset < len(s.src) && strings.IndexByte(digits, s.src[s.offset]) >= 0 {
			s.offset++
		}
	}
	const decimal = "0123456789_"
	if s.peek(0) == '0' && strings.IndexByte("xXoObB", s.peek(1)) >= 0 {
		digits := decimal
		if s.peek(1)|0x20 == 'x' {
			digits += "abcdefABCDEF"
		}
		s.offset += 2
		while(digits)
		return
	}
	while(decimal)
	if s.peek(0) == '.' {
		s.offset++
		while(decimal)
	}
	if s.peek(0)|0x20 == 'e' && (isDigit(s.peek(1)) || (s.peek(1) == '+' || s.peek(1) == '-') && isDigit(s.peek(2))) {
		s.offset += 2
		while(decimal)
	}
	if s.peek(0)|0x20 == 'j' {
		s.offset++
	}
}

// number reads the current token with the sign before it, "-" or "", as int64, *big.Int or float64.
func (l *pythonLiterals) number(sign string) (any, error) {
	at, text := l.tok.start, strings.ToLower(l.text())
	if err := l.advance(); err != nil {
		return nil, err
	}
	switch {
	case len(text) > maxPythonDigits, strings.HasSuffix(text, "j"):
		return nil, errNotLiteral
	case pythonInteger().MatchString(text):
		if n, err := strconv.ParseInt(sign+text, 0, 64); err == nil {
			return n, nil
		}
		n, _ := new(big.Int).SetString(sign+text, 0)
		return n, nil
	case pythonFloat().MatchString(text) && strings.ContainsAny(text, ".e"):
		f, _ := strconv.ParseFloat(sign+strings.ReplaceAll(text, "_", ""), 64) // out of range is an infinity
		return f, nil
	}
	return nil, syntaxErrorAt(l.src, at, "%s is not a number in Python: write 0o17 for octal, and underscores only between digits",
		Quote(text))
}

// pythonKey is the key of a dictionary in JSON, as json.dumps writes it.
func pythonKey(v any) (string, error) {
	switch v := v.(type) {
	case nil:
		return "null", nil
	case bool:
		return strconv.FormatBool(v), nil
	case string:
		return v, nil
	case int64:
		return strconv.FormatInt(v, 10), nil
	case *big.Int:
		return v.String(), nil
	case float64:
		if !math.IsInf(v, 0) {
			return pythonRepr(v), nil
		}
	}
	return "", errNotLiteral
}

// pythonRepr is repr() of a finite float: the shortest text that reads back the same, with an exponent from 1e16 on and
// below 1e-4, and otherwise with a decimal point.
func pythonRepr(f float64) string {
	if a := math.Abs(f); a != 0 && (a < 1e-4 || a >= 1e16) {
		return strconv.FormatFloat(f, 'e', -1, 64)
	}
	text := strconv.FormatFloat(f, 'f', -1, 64)
	if !strings.Contains(text, ".") {
		text += ".0"
	}
	return text
}
