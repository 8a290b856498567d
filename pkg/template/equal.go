package template

import (
	"cmp"
	"encoding/json"
	"strconv"
	"strings"

	"github.com/ryeos/rye/pkg/item"
)

// Equal compares two values as JSON does: numbers by what they are worth, however they are written, and nothing else
// across types. Whole numbers beyond 64 bits are compared as floating-point numbers.
func Equal(a, b any) bool { return equal(a, b, 0) }

func equal(a, b any, depth int) bool {
	if depth > maxDepth {
		return false
	}
	switch a := a.(type) {
	case nil:
		return b == nil
	case bool:
		b, ok := b.(bool)
		return ok && a == b
	case string:
		b, ok := b.(string)
		return ok && a == b
	case []any:
		b, ok := b.([]any)
		if !ok || len(a) != len(b) {
			return false
		}
		for i := range a {
			if !equal(a[i], b[i], depth+1) {
				return false
			}
		}
		return true
	case map[string]any, *item.Object:
		return equalMappings(a, b, depth+1)
	}
	n, ok := compareNumbers(a, b)
	return ok && n == 0
}

func equalMappings(a, b any, depth int) bool {
	m, ok := mapping(b)
	first, _ := mapping(a)
	if !ok || len(first) != len(m) {
		return false
	}
	for k, v := range first {
		if other, ok := m[k]; !ok || !equal(v, other, depth) {
			return false
		}
	}
	return true
}

func mapping(x any) (map[string]any, bool) {
	switch x := x.(type) {
	case map[string]any:
		return x, true
	case *item.Object:
		m := make(map[string]any, x.Len())
		for k, v := range x.All() {
			m[k] = v
		}
		return m, true
	}
	return nil, false
}

// order compares two numbers or two texts; ok is false for anything else.
func order(a, b any) (n int, ok bool) {
	if text, isText := a.(string); isText {
		other, ok := b.(string)
		return strings.Compare(text, other), ok
	}
	return compareNumbers(a, b)
}

func compareNumbers(a, b any) (n int, ok bool) {
	if i, whole := integer(a); whole {
		if j, whole := integer(b); whole {
			return cmp.Compare(i, j), true
		}
	}
	x, xOK := item.Float(a)
	y, yOK := item.Float(b)
	return cmp.Compare(x, y), xOK && yOK
}

func integer(x any) (int64, bool) {
	switch x := x.(type) {
	case int:
		return int64(x), true
	case int64:
		return x, true
	case json.Number:
		i, err := strconv.ParseInt(string(x), 10, 64)
		return i, err == nil
	}
	return 0, false
}
