package item

import (
	"bytes"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/tdewolff/parse/v2/js"
)

var jsEscapes = map[byte]byte{'n': '\n', 't': '\t', 'r': '\r', 'b': '\b', 'f': '\f', 'v': '\v'}

// unescape is the value of a string, or of a template without substitutions. Half a surrogate pair becomes U+FFFD, as
// encoding/json has it.
func (r *jsReader) unescape(t jsToken) (string, error) {
	raw := r.src[t.start+1 : t.end-1]
	template := t.kind == js.TemplateToken
	if template {
		raw = bytes.ReplaceAll(raw, []byte("\r\n"), []byte("\n"))
		raw = bytes.ReplaceAll(raw, []byte("\r"), []byte("\n"))
	}
	var out strings.Builder
	for len(raw) > 0 {
		i := bytes.IndexByte(raw, '\\')
		if i < 0 {
			out.Write(raw)
			break
		}
		out.Write(raw[:i])
		text, size := jsEscape(raw[i+1:], template)
		if size == 0 {
			return "", syntaxErrorAt(r.src, t.start, "this string has a bad escape at %s: write \\xHH, \\uHHHH or \\u{H…}",
				Quote(string(raw[i:min(len(raw), i+8)])))
		}
		out.WriteString(text)
		raw = raw[i+1+size:]
	}
	return out.String(), nil
}

// jsEscape reads what follows a backslash. size is how many bytes belong to the escape, 0 for a bad one.
func jsEscape(s []byte, template bool) (text string, size int) {
	if len(s) == 0 {
		return "", 0
	}
	if c, ok := jsEscapes[s[0]]; ok {
		return string(rune(c)), 1
	}
	switch c := s[0]; {
	case c == 'x':
		n, ok := hexNumber(s[1:], 2)
		return string(n), sizeIf(ok, 3)
	case c == 'u':
		n, size := unicodeEscape(s)
		if low, lowSize := lowSurrogate(s[size:]); size > 0 && utf16.IsSurrogate(n) && lowSize > 0 {
			if pair := utf16.DecodeRune(n, low); pair != utf8.RuneError {
				return string(pair), size + lowSize
			}
		}
		return string(n), size
	case c >= '0' && c <= '9':
		return octalEscape(s, template)
	case c == '\r' && len(s) > 1 && s[1] == '\n':
		return "", 2
	case c == '\n' || c == '\r':
		return "", 1
	}
	char, size := utf8.DecodeRune(s)
	if char == '\u2028' || char == '\u2029' {
		return "", size
	}
	return string(char), size
}

// octalEscape reads \0 and, outside templates, the old \1 to \377. 8 and 9 stand for themselves.
func octalEscape(s []byte, template bool) (text string, size int) {
	n := rune(0)
	for size < min(3, len(s)) && s[size] >= '0' && s[size] <= '7' && n*8 < 256 {
		n = n*8 + rune(s[size]-'0')
		size++
	}
	digitFollows := len(s) > 1 && s[1] >= '0' && s[1] <= '9'
	switch {
	case template && (s[0] != '0' || digitFollows):
		return "", 0
	case size == 0:
		return string(s[:1]), 1
	}
	return string(n), size
}

// unicodeEscape reads "uHHHH" and "u{H…}".
func unicodeEscape(s []byte) (r rune, size int) {
	if len(s) < 2 || s[1] != '{' {
		n, ok := hexNumber(s[1:], 4)
		return n, sizeIf(ok, 5)
	}
	end := bytes.IndexByte(s, '}')
	if end < 0 {
		return 0, 0
	}
	n, err := strconv.ParseUint(string(s[2:end]), 16, 64)
	if err != nil || n > utf8.MaxRune {
		return 0, 0
	}
	return rune(n), end + 1
}

// lowSurrogate reads the escape that may be the second half of a pair; only \uHHHH can be.
func lowSurrogate(s []byte) (r rune, size int) {
	if len(s) < 2 || s[0] != '\\' || s[1] != 'u' {
		return 0, 0
	}
	n, ok := hexNumber(s[2:], 4)
	return n, sizeIf(ok, 6)
}

func hexNumber(s []byte, digits int) (n rune, ok bool) {
	if len(s) < digits {
		return 0, false
	}
	v, err := strconv.ParseUint(string(s[:digits]), 16, 32)
	return rune(v), err == nil
}

func sizeIf(ok bool, size int) int {
	if !ok {
		return 0
	}
	return size
}
