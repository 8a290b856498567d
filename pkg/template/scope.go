package template

import (
	"fmt"
	"strings"

	"github.com/ryeos/rye/pkg/item"
)

// Scope fills the templates of state graphs and hooks (spec/rye-agent §3.4): `${path || path}` selects from the values,
// the first that is not null, and `{input:name}` from the mapping `inputs` in them. Both are found in one pass, so that
// values are never scanned.
type Scope struct {
	Values map[string]any
	// Null, if there is one, is told of each `${…}` that gives null.
	Null func(expression string)
}

// MaxFilled bounds, in bytes, the text that one call makes: a value is cheap to have once and can be asked for in many
// places.
const MaxFilled = 64 << 20

// ErrTooLong is what Fill and Text say about templates that become longer.
var ErrTooLong = fmt.Errorf("the text becomes longer than %d MiB", MaxFilled>>20)

// Fill is x with its strings filled, in new lists and mappings. Keys are not templates. A string which is one `${…}` and
// nothing else becomes the value itself, with its type; lists and mappings are not copied. In any other string stands the
// text form of each value; null has none.
func (s Scope) Fill(x any) (any, error) {
	f := &filler{Scope: s, left: MaxFilled}
	filled := f.fill(x, 0)
	return filled, f.err()
}

// Text is Fill for a string that is to stay one.
func (s Scope) Text(text string) (string, error) {
	f := &filler{Scope: s, left: MaxFilled}
	filled := f.text(text)
	return filled, f.err()
}

type filler struct {
	Scope
	left int // bytes that may still be made
}

func (f *filler) err() error {
	if f.left < 0 {
		return ErrTooLong
	}
	return nil
}

func (f *filler) fill(x any, depth int) any {
	if depth > maxDepth {
		return x
	}
	switch x := x.(type) {
	case string:
		if p, ok := firstExpression(x); ok && p.kind == pathExpression && len(p.text) == len(x) {
			return f.eval(p.body)
		}
		return f.text(x)
	case []any:
		list := make([]any, len(x))
		for i, e := range x {
			list[i] = f.fill(e, depth+1)
		}
		return list
	case map[string]any:
		m := make(map[string]any, len(x))
		for k, e := range x {
			m[k] = f.fill(e, depth+1)
		}
		return m
	case *item.Object:
		return x.Transform(func(e any) any { return f.fill(e, depth+1) })
	}
	return x
}

func (f *filler) text(text string) string {
	var out strings.Builder
	for p := range expressions(text) {
		piece := p.text
		switch p.kind {
		case pathExpression:
			piece = String(f.eval(p.body))
		case inputExpression:
			piece = f.input(p)
		}
		if f.left -= len(piece); f.left < 0 {
			return ""
		}
		out.WriteString(piece)
	}
	return out.String()
}

func (s Scope) eval(expression string) any {
	for _, path := range operands(expression) {
		if value := Select(s.Values, path); value != nil {
			return value
		}
	}
	if s.Null != nil {
		s.Null(expression)
	}
	return nil
}

// input is `{input:name}`, which stays as it is written when there is no such input, `{input:name?}`, which then gives
// nothing, or `{input:name:default}` and `{input:name|default}`.
func (s Scope) input(p expression) string {
	inputs, _ := s.Values["inputs"].(map[string]any)
	if value, ok := inputs[p.body]; ok {
		return String(value)
	}
	if p.modifier == "" {
		return p.text
	}
	return p.modifier[1:] // without the ?, : or |
}

// Paths lists the paths that a text selects from, those of `{input:name}` as `inputs.name`.
func Paths(text string) []string {
	var paths []string
	for p := range expressions(text) {
		switch p.kind {
		case pathExpression:
			paths = append(paths, operands(p.body)...)
		case inputExpression:
			paths = append(paths, "inputs."+p.body)
		}
	}
	return paths
}
