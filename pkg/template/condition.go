package template

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/ryeos/rye/pkg/item"
)

// Condition is a test on a document, as the edges of state graphs and hooks have it (spec/rye-agent §3.5): `any`, `all`,
// `not`, or a comparison of the value at a path. The nil Condition always holds.
type Condition struct {
	holds func(document any) bool
	paths []string
	text  func() string
	list  bool // of more than one
}

// Holds tests a document.
func (c *Condition) Holds(document any) bool { return c == nil || c.holds(document) }

// Paths lists the paths that the condition looks at.
func (c *Condition) Paths() []string {
	if c == nil {
		return nil
	}
	return c.paths
}

// NewCondition reads a condition. What cannot be understood never holds; problems says to people what that is.
func NewCondition(x any) (c *Condition, problems []string) {
	switch x := x.(type) {
	case nil:
		return nil, nil
	case map[string]any:
		if len(x) == 0 {
			return nil, nil
		}
		return mappedCondition(func(key string) (any, bool) { v, ok := x[key]; return v, ok })
	case *item.Object:
		if x.Len() == 0 {
			return nil, nil
		}
		return mappedCondition(x.Get)
	}
	return never(), []string{"a condition must be a mapping, as in {path: state.n, op: gt, value: 3}"}
}

// never is a condition that cannot be understood, and the paths that it names all the same.
func never(paths ...string) *Condition {
	return &Condition{holds: func(any) bool { return false }, paths: paths, text: func() string { return "never" }}
}

// mappedCondition reads the keys of one condition; `any` goes before `all`, `all` before `not`, and `not` before `path`.
func mappedCondition(get func(key string) (any, bool)) (*Condition, []string) {
	if list, ok := get("any"); ok {
		return combination(list, "any", "or", func(parts []*Condition, document any) bool {
			return slices.ContainsFunc(parts, func(c *Condition) bool { return c.Holds(document) })
		})
	}
	if list, ok := get("all"); ok {
		return combination(list, "all", "and", func(parts []*Condition, document any) bool {
			return !slices.ContainsFunc(parts, func(c *Condition) bool { return !c.Holds(document) })
		})
	}
	if x, ok := get("not"); ok {
		part, problems := NewCondition(x)
		if len(problems) > 0 {
			return never(part.Paths()...), problems // the opposite of a mistake is no better
		}
		return &Condition{
			holds: func(document any) bool { return !part.Holds(document) }, paths: part.Paths(),
			text: func() string { return "not (" + part.String() + ")" },
		}, nil
	}
	return comparison(get)
}

func combination(x any, name, word string, holds func(parts []*Condition, document any) bool) (*Condition, []string) {
	list, ok := x.([]any)
	if !ok {
		return never(), []string{fmt.Sprintf("'%s' must be a list of conditions", name)}
	}
	var parts []*Condition
	var paths, problems []string
	for _, e := range list {
		part, wrong := NewCondition(e)
		parts = append(parts, part)
		paths = append(paths, part.Paths()...)
		problems = append(problems, wrong...)
	}
	empty := map[string]string{"or": "never", "and": "always"}[word]
	return &Condition{
		holds: func(document any) bool { return holds(parts, document) }, paths: paths,
		text: func() string { return joinedText(parts, word, empty) }, list: len(parts) > 1,
	}, problems
}

// operators compare the value at the path with that of the condition. `neq` is another name of `ne`.
var operators = map[string]func(actual, expected any) bool{
	"eq":       Equal,
	"ne":       func(actual, expected any) bool { return !Equal(actual, expected) },
	"neq":      func(actual, expected any) bool { return !Equal(actual, expected) },
	"gt":       func(actual, expected any) bool { n, ok := order(actual, expected); return ok && n > 0 },
	"gte":      func(actual, expected any) bool { n, ok := order(actual, expected); return ok && n >= 0 },
	"lt":       func(actual, expected any) bool { n, ok := order(actual, expected); return ok && n < 0 },
	"lte":      func(actual, expected any) bool { n, ok := order(actual, expected); return ok && n <= 0 },
	"in":       func(actual, expected any) bool { list, ok := expected.([]any); return ok && member(list, actual) },
	"contains": contains,
	"exists":   func(actual, _ any) bool { return actual != nil },
}

// comparison reads {path, op, value}; `operator` is another name of `op`.
func comparison(get func(key string) (any, bool)) (*Condition, []string) {
	path, isText := field(get, "path").(string)
	if !isText {
		return never(), []string{"a condition needs 'path', 'any', 'all' or 'not'"}
	}
	name := field(get, "op")
	if name == nil {
		name = field(get, "operator")
	}
	if name == nil {
		name = "eq"
	}
	expected := field(get, "value")
	c := &Condition{paths: []string{path}, text: func() string { return comparisonText(path, String(name), expected) }}
	operator, known := operators[String(name)]
	if name == "regex" {
		pattern, err := regexp.Compile(String(expected))
		if err != nil {
			return never(path), []string{fmt.Sprintf("the pattern %s is not supported: %v", item.Quote(String(expected)), err)}
		}
		operator, known = func(actual, _ any) bool { return actual != nil && pattern.MatchString(String(actual)) }, true
	}
	if !known {
		return never(path), []string{fmt.Sprintf("unknown operator %s: the condition never holds", item.Quote(String(name)))}
	}
	c.holds = func(document any) bool { return operator(Select(document, path), expected) }
	return c, nil
}

func field(get func(key string) (any, bool), key string) any {
	v, _ := get(key)
	return v
}

// contains looks for an element of a list, a key of a mapping, or a part of a text.
func contains(actual, expected any) bool {
	switch actual := actual.(type) {
	case nil:
		return false
	case []any:
		return member(actual, expected)
	case map[string]any, *item.Object:
		key, ok := expected.(string)
		return ok && child(actual, key) != nil
	}
	return strings.Contains(String(actual), String(expected))
}

func member(list []any, x any) bool {
	return slices.ContainsFunc(list, func(e any) bool { return Equal(e, x) })
}
