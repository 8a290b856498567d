package template

import (
	"bytes"
	"encoding/json"
	"fmt"
	"iter"
	"maps"
	"math"
	"slices"

	"github.com/ryeos/rye/pkg/item"
)

// String is the text form of a value: strings and numbers that were read from a document byte for byte, nil as "",
// and everything else as compact JSON (true, 8080, 1.5, [1,"a"]) in which <, > and & are not escaped. Objects keep the
// order of their keys, plain maps are sorted.
func String(x any) string {
	switch x := x.(type) {
	case nil:
		return ""
	case string:
		return x
	case json.Number:
		return string(x)
	case float64:
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return fmt.Sprint(x)
		}
	}
	var out bytes.Buffer
	writeJSON(&out, x, 0)
	return out.String()
}

// writeJSON walks containers itself: json.Marshal calls MarshalJSON of an Object, which escapes HTML.
func writeJSON(out *bytes.Buffer, x any, depth int) {
	if depth > maxDepth {
		out.WriteString("null")
		return
	}
	switch x := x.(type) {
	case []any:
		out.WriteByte('[')
		for i, e := range x {
			if i > 0 {
				out.WriteByte(',')
			}
			writeJSON(out, e, depth+1)
		}
		out.WriteByte(']')
	case *item.Object:
		writeMembers(out, x.All(), depth+1)
	case map[string]any:
		writeMembers(out, sorted(x), depth+1)
	default:
		writeScalar(out, x)
	}
}

func writeMembers(out *bytes.Buffer, members iter.Seq2[string, any], depth int) {
	separator := byte('{')
	for key, value := range members {
		out.WriteByte(separator)
		writeScalar(out, key)
		out.WriteByte(':')
		writeJSON(out, value, depth)
		separator = ','
	}
	if separator == '{' {
		out.WriteByte('{')
	}
	out.WriteByte('}')
}

func sorted(m map[string]any) iter.Seq2[string, any] {
	return func(yield func(string, any) bool) {
		for _, k := range slices.Sorted(maps.Keys(m)) {
			if !yield(k, m[k]) {
				return
			}
		}
	}
}

func writeScalar(out *bytes.Buffer, x any) {
	encoder := json.NewEncoder(out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(x); err != nil {
		// JSON has no word for an infinity or a malformed number; the text is better than losing the value.
		_ = encoder.Encode(fmt.Sprint(x))
	}
	out.Truncate(out.Len() - len("\n"))
}
