package template

import (
	"iter"
	"strings"
)

// segment is a piece of a template: literal text, or one placeholder as it was written.
type segment struct {
	text     string
	offset   int // of text in the template, in bytes
	kind     segmentKind
	name     string // of a placeholder
	fallback string // what follows `:-` in an environment placeholder
}

type segmentKind byte

const (
	literal segmentKind = iota
	envVar              // ${NAME} or ${NAME:-fallback}
	param               // {name}
)

// segments cuts a template into literals and placeholders whose texts add up to it. Both systems are found in one
// walk, so that nothing that is put in for one of them is ever read as the other (design §2 row 11).
// `${` goes first: the `{x}` of a shell's `${x}` is no parameter.
func segments(text string) iter.Seq[segment] {
	return func(yield func(segment) bool) {
		start, at := 0, 0
		// Without the bound, each of many unclosed `${A:-` would search the whole rest for its brace.
		lastBrace := strings.LastIndexByte(text, '}')
		for at < lastBrace {
			s, width := placeholder(text[at:])
			if s.kind == literal {
				at += width
				continue
			}
			if start < at && !yield(segment{text: text[start:at], offset: start}) {
				return
			}
			s.offset = at
			if !yield(s) {
				return
			}
			at += width
			start = at
		}
		if start < len(text) {
			yield(segment{text: text[start:], offset: start})
		}
	}
}

// placeholder reads the placeholder at the start of text. If there is none the kind is literal, and the first width
// bytes begin no placeholder.
func placeholder(text string) (s segment, width int) {
	if strings.HasPrefix(text, "${") {
		if s, ok := envPlaceholder(text); ok {
			return s, len(s.text)
		}
		return segment{}, len("${")
	}
	if text[0] != '{' {
		next := strings.IndexAny(text[1:], "{$")
		if next < 0 {
			return segment{}, len(text)
		}
		return segment{}, 1 + next
	}
	end := strings.IndexAny(text[1:], "{}")
	if end > 0 && text[1+end] == '}' {
		return segment{kind: param, text: text[:end+2], name: text[1 : end+1]}, end + 2
	}
	return segment{}, 1
}

// envPlaceholder reads ${NAME} or ${NAME:-fallback}; the fallback ends at the first brace (spec/rye-core §4.3).
func envPlaceholder(text string) (s segment, ok bool) {
	end := len("${")
	for end < len(text) && isEnvName(text[end], end == len("${")) {
		end++
	}
	s = segment{kind: envVar, name: text[len("${"):end]}
	rest := text[end:]
	if s.name == "" || rest == "" {
		return segment{}, false
	}
	if after, found := strings.CutPrefix(rest, ":-"); found {
		brace := strings.IndexByte(after, '}')
		if brace < 0 {
			return segment{}, false
		}
		s.fallback = after[:brace]
		end += len(":-") + brace
	} else if rest[0] != '}' {
		return segment{}, false
	}
	s.text = text[:end+1]
	return s, true
}

func isEnvName(c byte, first bool) bool {
	return 'A' <= c && c <= 'Z' || c == '_' || !first && '0' <= c && c <= '9'
}

// Names lists what a template writes as {name}, each once, in the order of their first use. Text of other languages
// that happens to stand in braces (`{print $1}`) is listed too: only a lookup tells parameters from it.
func Names(text string) []string {
	var names []string
	seen := map[string]bool{}
	for s := range segments(text) {
		if s.kind == param && !seen[s.name] {
			seen[s.name] = true
			names = append(names, s.name)
		}
	}
	return names
}
