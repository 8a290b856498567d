package item

import (
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// Lossless reports whether a decoder keeps every character of a JSON text. It would replace bytes that are not UTF-8 and
// lone halves of surrogate pairs without a word.
func Lossless(text []byte) bool { return utf8.Valid(text) && loneSurrogate(text) < 0 }

// loneSurrogate is the offset of the first escape \uD800 to \uDFFF that has no other half, or -1.
func loneSurrogate(text []byte) int {
	for i := 0; i < len(text); i++ {
		if text[i] != '\\' {
			continue
		}
		first := surrogate(text[i:])
		switch {
		case first == 0: // another escape, or another character
			i++
		case utf16.DecodeRune(first, surrogate(text[min(i+6, len(text)):])) == utf8.RuneError:
			return i
		default:
			i += 11
		}
	}
	return -1
}

// surrogate is the half of a pair that a text's first escape stands for, or 0.
func surrogate(text []byte) rune {
	if len(text) < 6 || text[0] != '\\' || text[1] != 'u' {
		return 0
	}
	n, err := strconv.ParseUint(string(text[2:6]), 16, 16)
	if err != nil || !utf16.IsSurrogate(rune(n)) {
		return 0
	}
	return rune(n)
}
