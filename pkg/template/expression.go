package template

import (
	"iter"
	"strings"
	"unicode"
)

// expression is a piece of a Scope's template: literal text, `${body}`, or `{input:body}` with what follows the name.
type expression struct {
	text     string
	kind     expressionKind
	body     string
	modifier string
}

type expressionKind byte

const (
	literalText     expressionKind = iota
	pathExpression                 // ${…}
	inputExpression                // {input:…}
)

// expressions cuts a template into pieces whose texts add up to it.
func expressions(text string) iter.Seq[expression] {
	return func(yield func(expression) bool) {
		start, at := 0, 0
		// Without the bound, each of many unclosed `${` would search the whole rest for its brace.
		lastBrace := strings.LastIndexByte(text, '}')
		for at < lastBrace {
			next := strings.IndexAny(text[at:lastBrace], "${")
			if next < 0 {
				break
			}
			at += next
			p, ok := firstExpression(text[at:])
			if !ok {
				at++
				continue
			}
			if start < at && !yield(expression{text: text[start:at]}) || !yield(p) {
				return
			}
			at += len(p.text)
			start = at
		}
		if start < len(text) {
			yield(expression{text: text[start:]})
		}
	}
}

// firstExpression reads the expression at the start of text, if there is one.
func firstExpression(text string) (p expression, ok bool) {
	if body, found := strings.CutPrefix(text, "${"); found {
		body, _, closed := strings.Cut(body, "}")
		return expression{text: text[:min(len(text), len(body)+len("${}"))], kind: pathExpression, body: body}, closed
	}
	body, found := strings.CutPrefix(text, "{input:")
	if !found {
		return expression{}, false
	}
	body, _, closed := strings.Cut(body, "}")
	name := strings.TrimLeftFunc(body, isWordRune)
	name, modifier := body[:len(body)-len(name)], name
	switch {
	case !closed || name == "":
		return expression{}, false
	case modifier != "" && modifier != "?" && modifier[0] != ':' && modifier[0] != '|':
		return expression{}, false
	}
	return expression{text: text[:len(body)+len("{input:}")], kind: inputExpression, body: name, modifier: modifier}, true
}

// operands are the paths of `path || path`. Only an expression that is empty as a whole means the whole document: an
// empty side of `||` is a slip, and leads nowhere.
func operands(expression string) []string {
	if strings.TrimSpace(expression) == "" {
		return []string{""}
	}
	var paths []string
	for path := range strings.SplitSeq(expression, "||") {
		if path = strings.TrimSpace(path); path != "" {
			paths = append(paths, path)
		}
	}
	return paths
}

func isWordRune(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }
