package engine

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"sync"

	"github.com/ryeos/rye/pkg/item"
	"github.com/ryeos/rye/pkg/template"
)

// assertion is one line of a test's `assert`: what must hold of the document that a run leaves (spec/rye-core §9.4).
type assertion struct {
	key       string // as it is written
	path      string
	op        string
	expected  any
	negated   bool // the comparison must not hold
	compared  bool // the key has an operator
	condition *template.Condition
}

// AssertionResult is what came of an assertion.
type AssertionResult struct {
	Expr     string `json:"expr"`
	Passed   bool   `json:"passed"`
	Actual   any    `json:"actual"` // a long one is cut
	Expected any    `json:"expected"`
	Op       string `json:"op"`
	Negated  bool   `json:"negated,omitempty"` // `expr: false`

	compared bool
}

// conditionOps are the operators of assertions, in the words of conditions.
var conditionOps = map[string]string{
	"==": "eq", "!=": "ne", ">=": "gte", "<=": "lte", ">": "gt", "<": "lt",
	"contains": "contains", "regex": "regex", "exists": "exists", "in": "in",
}

var comparisonKey = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?s)^(.+?)\s+(==|!=|>=|<=|>|<|contains|regex|exists|in)(?:\s+(.*))?$`)
})

// newAssertion reads a key and its value. A key without an operator is a path, and the value what must be there.
func newAssertion(key string, value any) (*assertion, error) {
	a := &assertion{key: key, path: strings.TrimSpace(key), op: "==", expected: value}
	if a.path == "" {
		return nil, errors.New("an assertion needs a path, as in 'exit_code: 0'")
	}
	if m := comparisonKey().FindStringSubmatch(a.path); m != nil {
		wanted, ok := value.(bool)
		if !ok {
			return nil, fmt.Errorf("%s compares by itself: its value must be true or false", item.Quote(key))
		}
		a.path, a.op, a.compared, a.negated = m[1], m[2], true, !wanted
		var err error
		if a.expected, err = operand(a.op, m[3]); err != nil {
			return nil, err
		}
	}
	var problems []string
	a.condition, problems = template.NewCondition(map[string]any{"path": a.path, "op": conditionOps[a.op], "value": a.expected})
	if len(problems) > 0 {
		return nil, errors.New(problems[0])
	}
	return a, nil
}

// operand reads what stands to the right of an operator: a word of JSON, a number, text in quotes, where lists can be meant
// a list or a mapping of YAML, and else the text itself. `exists` takes none, and ignores one.
func operand(op, text string) (any, error) {
	text = strings.TrimSpace(text)
	switch {
	case op == "exists":
		return nil, nil
	case text == "":
		return nil, fmt.Errorf("the operator %s needs a value on its right", op)
	case op == "in":
		list, ok := flow(text).([]any)
		if !ok {
			return nil, fmt.Errorf("'in' needs a list, as in 'status in [open, done]', not %s", item.Quote(text))
		}
		return list, nil
	case op == "regex":
		return unquoted(text), nil
	case (op == "==" || op == "!=") && strings.ContainsRune("[{", rune(text[0])):
		v := flow(text)
		if v == nil {
			return nil, fmt.Errorf("%s is no list and no mapping: write it in quotes if it is text", item.Quote(text))
		}
		return v, nil
	}
	return scalar(op, text), nil
}

func scalar(op, text string) any {
	switch text {
	case "true":
		return true
	case "false":
		return false
	case "null":
		if op == "contains" {
			return text // nothing is part of every text
		}
		return nil
	}
	if n, ok := item.Number(text); ok {
		return n
	}
	return unquoted(text)
}

func unquoted(text string) string {
	if n := len(text); n > 1 && (text[0] == '"' || text[0] == '\'') && text[n-1] == text[0] {
		return text[1 : n-1]
	}
	return text
}

// flow reads a list or a mapping of YAML; nil for anything else.
func flow(text string) any {
	doc, err := item.ReadDocument("operand.yaml", []byte("v: "+text))
	if err != nil || doc.Values.Len() != 1 {
		return nil
	}
	switch v, _ := doc.Values.Get("v"); v := v.(type) {
	case []any, *item.Object:
		return v
	}
	return nil
}

func (a *assertion) check(document any) AssertionResult {
	r := AssertionResult{
		Expr: a.key, Passed: a.condition.Holds(document) != a.negated, Actual: excerpt(template.Select(document, a.path)),
		Expected: a.expected, Op: a.op, Negated: a.negated, compared: a.compared,
	}
	if a.op == "exists" {
		r.Expected, r.Negated = !a.negated, false
	}
	return r
}

// String is the assertion and what was found instead, for people.
func (r AssertionResult) String() string {
	expr := r.Expr
	switch {
	case !r.compared:
		expr += ": " + shown(r.Expected)
	case r.Negated || r.Expected == false && r.Op == "exists":
		expr = "not " + expr
	}
	if r.Passed {
		return expr
	}
	if r.Actual == nil {
		return expr + " — got nothing"
	}
	return expr + " — got " + shown(r.Actual)
}

func shown(v any) string {
	if text, ok := v.(string); ok {
		return item.Quote(text)
	}
	if v == nil {
		return "null"
	}
	return cut(template.String(v), 200)
}
