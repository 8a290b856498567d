package template

import (
	"strings"

	"github.com/ryeos/rye/pkg/item"
)

// maxDepth is how deep nested lists and mappings are followed. encoding/json refuses to read documents that are deeper,
// so only a value that holds itself gets there.
const maxDepth = 10_000

// Values is where the values of placeholders come from. A nil function turns its system off: the placeholders of that
// system stay as written.
type Values struct {
	// Env looks up an environment variable. A variable that is set to "" is set: it does not give way to a default.
	Env func(name string) (string, bool)
	// Param looks up a parameter: nil, bool, int64, float64, json.Number, string, []any, *item.Object, map[string]any.
	Param func(name string) (any, bool)
}

// lookup is the value of a placeholder. ok is false for literals and for names that stay as written.
func (v Values) lookup(s segment) (value any, ok bool) {
	switch {
	case s.kind == envVar && v.Env != nil:
		if value, set := v.Env(s.name); set {
			return value, true
		}
		return s.fallback, true
	case s.kind == param && v.Param != nil:
		return v.Param(s.name)
	}
	return nil, false
}

// Text fills every placeholder of a template with the text form of its value. An environment variable that is unset
// and has no default gives ""; an unknown {name} stays as written (spec/rye-core §5.6).
func (v Values) Text(text string) string {
	var out strings.Builder
	for s := range segments(text) {
		if value, ok := v.lookup(s); ok {
			out.WriteString(String(value))
		} else {
			out.WriteString(s.text)
		}
	}
	return out.String()
}

// Value is Text, except that a template which is one {name}, with white space around it or not, gives the parameter
// itself, with its type. Lists and mappings are not copied.
func (v Values) Value(text string) any {
	trimmed := strings.TrimSpace(text)
	if strings.HasPrefix(trimmed, "{") {
		if s, _ := placeholder(trimmed); s.text == trimmed {
			if value, ok := v.lookup(s); ok {
				return value
			}
		}
	}
	return v.Text(text)
}

// Tree is x with Value in the place of every string, in new lists and mappings. Keys are not templates.
func (v Values) Tree(x any) any { return v.tree(x, 0) }

func (v Values) tree(x any, depth int) any {
	if depth > maxDepth {
		return x
	}
	switch x := x.(type) {
	case string:
		return v.Value(x)
	case []any:
		list := make([]any, len(x))
		for i, e := range x {
			list[i] = v.tree(e, depth+1)
		}
		return list
	case *item.Object:
		object := item.NewObject()
		for k, e := range x.All() {
			object.Set(k, v.tree(e, depth+1))
		}
		return object
	case map[string]any:
		m := make(map[string]any, len(x))
		for k, e := range x {
			m[k] = v.tree(e, depth+1)
		}
		return m
	}
	return x
}

// ExpandEnv is Text without parameters: for static environment values, whose braces belong to whoever reads them.
func (v Values) ExpandEnv(text string) string { return Values{Env: v.Env}.Text(text) }
