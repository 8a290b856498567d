package builtin

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"
)

const maxGlob = 1024 // bytes

// compileGlob makes a regular expression from a glob over paths with slashes: ** crosses folders, * and ? and [a-z] and
// [!a-z] stay within one, {a,b} is either, \ takes the next character as it is. Go's regular expressions match in linear
// time, so no pattern of a caller can make a search hang.
func compileGlob(pattern string) (*regexp.Regexp, error) {
	expr, err := globExpr(pattern)
	if err != nil {
		return nil, failuref("Invalid glob pattern: %v", err)
	}
	re, err := regexp.Compile(expr)
	if err != nil {
		return nil, failuref("Invalid glob pattern: it is too complex")
	}
	return re, nil
}

func globExpr(pattern string) (string, error) {
	if len(pattern) > maxGlob {
		return "", fmt.Errorf("it is longer than %d bytes", maxGlob)
	}
	if !utf8.ValidString(pattern) {
		return "", errors.New("it is not UTF-8")
	}
	var out strings.Builder
	out.WriteString(`\A(?s:`)
	open := 0 // braces
	for i := 0; i < len(pattern); {
		size := 1
		switch c := pattern[i]; {
		case c == '*':
			size = writeStars(&out, pattern, i)
		case c == '?':
			out.WriteString(`[^/]`)
		case c == '[':
			class, n, err := globClass(pattern[i:])
			if err != nil {
				return "", err
			}
			out.WriteString(class)
			size = n
		case c == '{':
			open++
			out.WriteString(`(?:`)
		case c == '}' && open > 0:
			open--
			out.WriteString(`)`)
		case c == ',' && open > 0:
			out.WriteString(`|`)
		case c == '\\' && i+1 == len(pattern):
			return "", errors.New(`it ends in a \ without a character after it`)
		default:
			if c == '\\' {
				i++
			}
			_, size = utf8.DecodeRuneInString(pattern[i:])
			out.WriteString(regexp.QuoteMeta(pattern[i : i+size]))
		}
		i += size
	}
	if open > 0 {
		return "", errors.New("a { is not closed; write \\{ for the character itself")
	}
	out.WriteString(`)\z`)
	return out.String(), nil
}

// writeStars writes the stars at pattern[i:] and returns how much of the pattern that was. Only two stars that are a whole
// path element cross folders; they take the slash after them along, because they may stand for no folder at all.
func writeStars(out *strings.Builder, pattern string, i int) int {
	n := 0
	for i+n < len(pattern) && pattern[i+n] == '*' {
		n++
	}
	starts := i == 0 || strings.IndexByte("/{,", pattern[i-1]) >= 0
	ends := i+n == len(pattern) || strings.IndexByte("/},", pattern[i+n]) >= 0
	switch {
	case n != 2 || !starts || !ends:
		out.WriteString(`[^/]*`)
	case i+n < len(pattern) && pattern[i+n] == '/':
		out.WriteString(`(?:[^/]+/)*`)
		n++
	default:
		out.WriteString(`.*`)
	}
	return n
}

// globClass turns "[…]…" into a class that never matches a slash, and returns the length of the glob's.
func globClass(glob string) (class string, size int, err error) {
	unclosed := errors.New("a [ is not closed; write \\[ for the character itself")
	var out strings.Builder
	i, negated := 1, false
	if i < len(glob) && (glob[i] == '!' || glob[i] == '^') {
		i, negated = i+1, true
	}
	next := func() (r rune, ok bool) {
		if i < len(glob) && glob[i] == '\\' {
			i++
		}
		if i >= len(glob) {
			return 0, false
		}
		r, n := utf8.DecodeRuneInString(glob[i:])
		i += n
		return r, true
	}
	for first := i; i >= len(glob) || glob[i] != ']' || i == first; {
		lo, ok := next()
		if !ok {
			return "", 0, unclosed
		}
		hi := lo
		if i+1 < len(glob) && glob[i] == '-' && glob[i+1] != ']' {
			i++
			if hi, ok = next(); !ok {
				return "", 0, unclosed
			}
		}
		if lo > hi {
			return "", 0, fmt.Errorf("the range %q-%q runs backwards", lo, hi)
		}
		writeRange(&out, lo, hi)
	}
	switch {
	case negated:
		return "[^/" + out.String() + "]", i + 1, nil
	case out.Len() == 0:
		return `[^\x00-\x{10FFFF}]`, i + 1, nil
	}
	return "[" + out.String() + "]", i + 1, nil
}

// writeRange leaves the slash out of lo-hi.
func writeRange(out *strings.Builder, lo, hi rune) {
	if lo <= '/' && '/' <= hi {
		writeRange(out, lo, '/'-1)
		lo = '/' + 1
	}
	if lo <= hi {
		fmt.Fprintf(out, `\x{%x}-\x{%x}`, lo, hi)
	}
}
