package redact

import (
	"html"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// view is a text as it reads after encodings were undone. start and end tell where in the original text each byte
// stands; they are nil for the original itself.
type view struct {
	text       string
	start, end []int32
}

func (v view) original(at int) (start, end int) {
	if v.start == nil {
		return at, at + 1
	}
	return int(v.start[at]), int(v.end[at])
}

// decoders undo one encoding each, wherever in the text it may have been used, and tell whether there was anything to
// undo that has as many bytes as the shortest secret. Decoding the text, instead of encoding the secrets, finds the
// encodings that leave a choice: which characters are escaped, how, and what stands before the secret in the same run of
// base64.
var decoders = []func(v view, shortest int) (view, bool){percent, escapes, entities, base64, hexadecimal}

// builder puts a view together from parts of another.
type builder struct {
	from       view
	text       strings.Builder
	start, end []int32
}

// put adds bytes that the part [start, end) of the other view stands for.
func (b *builder) put(text string, start, end int) {
	b.text.WriteString(text)
	for range len(text) {
		b.place(start, end)
	}
}

// place says for one more byte what part of the other view it stands for.
func (b *builder) place(start, end int) {
	first, _ := b.from.original(start)
	_, last := b.from.original(end - 1)
	b.start, b.end = append(b.start, int32(first)), append(b.end, int32(last))
}

// keep adds the part [start, end) of the other view as it is.
func (b *builder) keep(start, end int) {
	b.text.WriteString(b.from.text[start:end])
	if b.from.start != nil {
		b.start, b.end = append(b.start, b.from.start[start:end]...), append(b.end, b.from.end[start:end]...)
		return
	}
	for at := start; at < end; at++ {
		b.start, b.end = append(b.start, int32(at)), append(b.end, int32(at+1))
	}
}

func (b *builder) view() view { return view{b.text.String(), b.start, b.end} }

// replaced undoes an encoding that begins with a mark: decode gives what the start of its text stands for and how many
// bytes that takes, or 0 if it is nothing encoded.
func replaced(v view, mark byte, decode func(string) (string, int)) (view, bool) {
	b, kept := builder{from: v}, 0
	for at := 0; at < len(v.text); {
		next := strings.IndexByte(v.text[at:], mark)
		if next < 0 {
			break
		}
		at += next
		text, n := decode(v.text[at:])
		if n == 0 {
			at++
			continue
		}
		b.keep(kept, at)
		b.put(text, at, at+n)
		at += n
		kept = at
	}
	if kept == 0 {
		return v, false
	}
	b.keep(kept, len(v.text))
	return b.view(), true
}

// percent undoes %41 as URLs have it.
func percent(v view, _ int) (view, bool) {
	return replaced(v, '%', func(s string) (string, int) { return number(s, 1, 2, 16) })
}

// number reads a byte that is written with a fixed number of digits after a prefix.
func number(s string, prefix, digits, base int) (string, int) {
	if len(s) < prefix+digits {
		return "", 0
	}
	n, err := strconv.ParseUint(s[prefix:prefix+digits], base, 8)
	if err != nil {
		return "", 0
	}
	return string([]byte{byte(n)}), prefix + digits
}

// escapes undoes what JSON, programming languages and shells write with a backslash.
func escapes(v view, _ int) (view, bool) { return replaced(v, '\\', escape) }

func escape(s string) (string, int) {
	if len(s) < 2 {
		return "", 0
	}
	if at := strings.IndexByte("abfnrtv", s[1]); at >= 0 {
		return "\a\b\f\n\r\t\v"[at : at+1], 2
	}
	switch c := s[1]; {
	case c == 'u':
		return unicodeEscape(s)
	case c == 'U':
		const length = len(`\U00000000`)
		if len(s) < length {
			return "", 0
		}
		n, err := strconv.ParseUint(s[2:length], 16, 31)
		if err != nil {
			return "", 0
		}
		return string(rune(n)), length
	case c == 'x':
		return number(s, 2, 2, 16)
	case c >= '0' && c <= '7':
		return number(s, 1, 3, 8)
	}
	return s[1:2], 2 // \/ and \" and, in shells, any other character
}

// unicodeEscape reads \u0041, and two of them that make up one character.
func unicodeEscape(s string) (string, int) {
	const length = len(`\u0000`)
	unit := func(s string) (rune, bool) {
		if len(s) < length || s[:2] != `\u` {
			return 0, false
		}
		n, err := strconv.ParseUint(s[2:length], 16, 16)
		return rune(n), err == nil
	}
	high, ok := unit(s)
	if !ok {
		return "", 0
	}
	if utf16.IsSurrogate(high) {
		if low, ok := unit(s[length:]); ok {
			if c := utf16.DecodeRune(high, low); c != utf8.RuneError {
				return string(c), 2 * length
			}
		}
	}
	return string(high), length
}

// entities undoes &amp; and &#65; as HTML and XML have it.
func entities(v view, _ int) (view, bool) {
	return replaced(v, '&', func(s string) (string, int) {
		const most = 12
		n := strings.IndexByte(s[:min(len(s), most)], ';') + 1
		if n == 0 {
			return "", 0
		}
		text := html.UnescapeString(s[:n])
		if text == s[:n] {
			return "", 0
		}
		return text, n
	})
}

// base64 undoes both alphabets, with and without padding and line breaks, at every alignment: the secret may stand
// anywhere in what was encoded, and letters of the text may touch the encoded part.
func base64(v view, shortest int) (view, bool) { return runs(v, sextet, 6, 4, (8*shortest+5)/6) }

// hexadecimal undoes pairs of digits.
func hexadecimal(v view, shortest int) (view, bool) { return runs(v, nibble, 4, 2, 2*shortest) }

func sextet(c byte) int {
	switch {
	case c >= 'A' && c <= 'Z':
		return int(c - 'A')
	case c >= 'a' && c <= 'z':
		return int(c-'a') + 26
	case c >= '0' && c <= '9':
		return int(c-'0') + 52
	case c == '+' || c == '-':
		return 62
	case c == '/' || c == '_':
		return 63
	}
	return -1
}

func nibble(c byte) int {
	switch {
	case c >= '0' && c <= '9':
		return int(c - '0')
	case c >= 'a' && c <= 'f':
		return int(c-'a') + 10
	case c >= 'A' && c <= 'F':
		return int(c-'A') + 10
	}
	return -1
}

// runs decodes each run of at least shortest digits of so many bits, starting at each of its first digits in turn, with
// a NUL after each, which is in no secret. Line breaks do not end a run.
func runs(v view, digit func(byte) int, bits, alignments, shortest int) (view, bool) {
	b := builder{from: v}
	var places []int
	decode := func() {
		if len(places) >= shortest {
			for skip := range alignments {
				b.run(places[skip:], digit, bits)
			}
		}
		places = places[:0]
	}
	for at := range len(v.text) {
		switch c := v.text[at]; {
		case digit(c) >= 0:
			places = append(places, at)
		case c != '\n' && c != '\r':
			decode()
		}
	}
	decode()
	return b.view(), len(b.start) > 0
}

// run decodes the digits at the places.
func (b *builder) run(places []int, digit func(byte) int, bits int) {
	value, have, first := 0, 0, 0
	for i, at := range places {
		if have == 0 {
			first = i
		}
		value, have = value<<bits|digit(b.from.text[at]), have+bits
		if have < 8 {
			continue
		}
		have -= 8
		b.text.WriteByte(byte(value >> have))
		b.place(places[first], at+1)
		value &= 1<<have - 1
		first = i // what is left of this digit begins the next byte
	}
	b.put("\x00", places[0], places[0]+1)
}
