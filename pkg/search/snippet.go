package search

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// snippetSize is the length of a snippet, in bytes, and snippetLead what of it stands before the match.
const (
	snippetSize = 200
	snippetLead = 40
)

// Snippet is the part of a text in which the most terms of the query stand, on one line and without anything that could
// steer a terminal. Without a match it is the text's beginning.
func (q *Query) Snippet(text string) string {
	start := q.densest(text)
	if start <= snippetLead {
		start = 0
	} else {
		start -= snippetLead
		if i := strings.IndexFunc(text[start:start+snippetLead], unicode.IsSpace); i >= 0 {
			start += i
		}
		for !utf8.RuneStart(text[start]) {
			start++
		}
	}
	end := min(start+snippetSize, len(text))
	for end < len(text) && !utf8.RuneStart(text[end]) {
		end--
	}
	line := oneLine(text[start:end])
	if start > 0 && line != "" {
		line = "… " + line
	}
	if end < len(text) && oneLine(text[end:min(end+snippetSize, len(text))]) != "" {
		line += " …"
	}
	return line
}

// Preview is the beginning of a text, as Snippet shows it.
func Preview(text string) string { return (&Query{}).Snippet(text) }

// densest is where the span starts in which the most different terms stand.
func (q *Query) densest(text string) int {
	type hit struct{ at, leaf int }
	var window []hit // of the last snippetSize-snippetLead bytes
	count := make([]int, len(q.leaves))
	best, most, different := 0, 0, 0
	wanted := q.wanted()
	for at, word := range wordsOf(text) {
		for i, l := range q.leaves {
			if !wanted[i] || !l.names(word) {
				continue
			}
			window = append(window, hit{at, i})
			if count[i]++; count[i] == 1 {
				different++
			}
		}
		for len(window) > 0 && window[0].at+snippetSize-snippetLead < at+len(word) {
			if count[window[0].leaf]--; count[window[0].leaf] == 0 {
				different--
			}
			window = window[1:]
		}
		if different > most {
			best, most = window[0].at, different
		}
	}
	return best
}

// names reports whether the word is one of the leaf's.
func (l *leaf) names(word string) bool {
	for _, p := range l.words {
		if p.weigh(word) > 0 {
			return true
		}
	}
	return false
}

// oneLine makes every run of spaces, line ends and characters that cannot be seen one space.
func oneLine(text string) string {
	return strings.Join(strings.FieldsFunc(text, func(r rune) bool {
		return unicode.IsSpace(r) || !unicode.IsGraphic(r) || r == utf8.RuneError
	}), " ")
}
