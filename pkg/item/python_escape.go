package item

import (
	"bytes"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// pythonBytes is the value of a bytes literal, until it is stored as a plain string.
type pythonBytes string

// strings reads the current string token and those right behind it, which Python joins, as a string or pythonBytes.
func (l *pythonLiterals) strings() (any, error) {
	var value []byte
	isBytes := false
	for first := true; l.tok.kind == pythonString; first = false {
		d := l.decoder()
		if !first && d.bytes != isBytes {
			return nil, syntaxErrorAt(l.src, l.tok.start, "a bytes literal cannot be joined with a string: add or remove the b prefix")
		}
		isBytes = d.bytes
		decoded, err := d.decode(value)
		if err != nil {
			return nil, err
		}
		value = decoded
		if err := l.advance(); err != nil {
			return nil, err
		}
	}
	switch {
	case l.tok.kind == pythonFormatted:
		return nil, errNotLiteral
	case isBytes:
		return pythonBytes(value), nil
	}
	return string(value), nil
}

// stringDecoder turns the text between the quotes of one string token into its value.
type stringDecoder struct {
	src        []byte
	at, end    int // what is left of the text
	raw, bytes bool
	json       bool
}

// decoder takes prefix and quotes off the current token.
func (l *pythonLiterals) decoder() stringDecoder {
	text := l.text()
	open := strings.IndexAny(text, `"'`)
	prefix, quoted := strings.ToLower(text[:open]), text[open:]
	width := 1
	if len(quoted) >= 6 && quoted[1] == quoted[0] && quoted[2] == quoted[0] {
		width = 3
	}
	return stringDecoder{
		src: l.src, at: l.tok.start + open + width, end: l.tok.end - width,
		raw: strings.Contains(prefix, "r"), bytes: strings.Contains(prefix, "b"), json: l.json,
	}
}

// decode appends the value to out.
func (d *stringDecoder) decode(out []byte) ([]byte, error) {
	if text := d.src[d.at:d.end]; d.bytes && !isASCII(text) {
		return nil, syntaxErrorAt(d.src, d.at, `a bytes literal holds ASCII characters only: write others as \xHH`)
	}
	for d.at < d.end {
		length := bytes.IndexByte(d.src[d.at:d.end], '\\')
		if length < 0 || d.raw {
			return append(out, d.src[d.at:d.end]...), nil
		}
		out = append(out, d.src[d.at:d.at+length]...)
		d.at += length + 1
		var err error
		if out, err = d.escape(out); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// pythonEscapes are the one-letter escapes and what they stand for.
const pythonEscapes = "\\\\''\"\"a\ab\bf\fn\nr\rt\tv\v"

// escape appends what the letter behind a backslash stands for. An escape that Python does not know stays as written.
func (d *stringDecoder) escape(out []byte) ([]byte, error) {
	c := d.src[d.at]
	d.at++
	for i := 0; i < len(pythonEscapes); i += 2 {
		if pythonEscapes[i] == c {
			return append(out, pythonEscapes[i+1]), nil
		}
	}
	switch {
	case c == '\n':
		return out, nil
	case c >= '0' && c <= '7':
		return d.append(out, d.octal()), nil
	case c == 'x':
		r, err := d.hex(2)
		return d.append(out, r), err
	case (c == 'u' || c == 'U') && !d.bytes:
		r, err := d.unicode(c)
		return d.append(out, r), err
	case c == 'N' && !d.bytes:
		return nil, errNotLiteral // it would take the table of all character names
	case c == '/' && d.json:
		return append(out, c), nil
	}
	return append(out, '\\', c), nil
}

// append adds the character, or the byte in a bytes literal.
func (d *stringDecoder) append(out []byte, r rune) []byte {
	if d.bytes {
		return append(out, byte(r))
	}
	return utf8.AppendRune(out, r)
}

// octal reads up to three digits, the first of which is behind the decoder.
func (d *stringDecoder) octal() rune {
	r := rune(d.src[d.at-1] - '0')
	for n := 1; n < 3 && d.at < d.end && d.src[d.at] >= '0' && d.src[d.at] <= '7'; n++ {
		r = r*8 + rune(d.src[d.at]-'0')
		d.at++
	}
	return r
}

// hex reads exactly digits hexadecimal digits.
func (d *stringDecoder) hex(digits int) (rune, error) {
	text := string(d.src[d.at:min(d.at+digits, d.end)])
	n, err := strconv.ParseUint(text, 16, 32)
	if err != nil || len(text) < digits {
		return 0, syntaxErrorAt(d.src, d.at-2, `the escape \%c needs %d hexadecimal digits; write \\ for a backslash`,
			d.src[d.at-1], digits)
	}
	if n > utf8.MaxRune {
		return 0, syntaxErrorAt(d.src, d.at-2, `the escape \%c%s is beyond the last character, \U0010ffff`, d.src[d.at-1], text)
	}
	d.at += digits
	return rune(n), nil
}

// unicode reads the digits of \u or \U. A pair of surrogates is the character it encodes, as it is once Python has
// written the value as JSON; a single one has no UTF-8 form, so that the string is not a literal here.
func (d *stringDecoder) unicode(c byte) (rune, error) {
	digits := 4
	if c == 'U' {
		digits = 8
	}
	r, err := d.hex(digits)
	if err != nil || !utf16.IsSurrogate(r) {
		return r, err
	}
	if !bytes.HasPrefix(d.src[d.at:d.end], []byte(`\u`)) {
		return 0, errNotLiteral
	}
	d.at += len(`\u`)
	low, err := d.hex(4)
	if err != nil {
		return 0, err
	}
	if r = utf16.DecodeRune(r, low); r == utf8.RuneError {
		return 0, errNotLiteral
	}
	return r, nil
}
