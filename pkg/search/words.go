package search

import (
	"iter"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxWord bounds a word, in bytes: longer ones, as in encoded data, are cut into pieces.
const maxWord = 64

// wordsOf walks the words of a text, in lower case, and where each starts: runs of letters, digits and the marks on them.
func wordsOf(text string) iter.Seq2[int, string] {
	return func(yield func(int, string) bool) {
		start := -1
		for i, r := range text {
			inside := isWordRune(r)
			if start >= 0 && (!inside || i-start > maxWord-utf8.UTFMax) {
				if !yield(start, strings.ToLower(text[start:i])) {
					return
				}
				start = -1
			}
			if inside && start < 0 {
				start = i
			}
		}
		if start >= 0 {
			yield(start, strings.ToLower(text[start:]))
		}
	}
}

func isWordRune(r rune) bool {
	if r < utf8.RuneSelf {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9'
	}
	return r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsMark(r))
}
