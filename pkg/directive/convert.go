package directive

import (
	"encoding/json"
	"io"
	"math"
	"strings"

	"github.com/ryeos/rye/pkg/item"
	"github.com/ryeos/rye/pkg/template"
)

// types are those that an input or an output can declare.
var types = []string{"string", "integer", "number", "boolean", "array", "object"}

// convert gives a value the declared type; ok is false if it has another one. null is a value of every type, and a type
// that rye does not know takes every value.
func convert(value any, kind string) (converted any, ok bool) {
	if value == nil {
		return nil, true
	}
	switch kind {
	case "string":
		return toText(value)
	case "integer":
		return toInteger(value)
	case "number":
		return toNumber(value)
	case "boolean":
		return toBoolean(value)
	case "array":
		value = decoded(value)
		_, ok = value.([]any)
		return value, ok
	case "object":
		switch value := decoded(value).(type) {
		case map[string]any, *item.Object:
			return value, true
		}
		return nil, false
	}
	return value, true
}

func toText(value any) (any, bool) {
	switch value.(type) {
	case string:
		return value, true
	case []any, map[string]any, *item.Object:
		return nil, false
	}
	return template.String(value), true
}

func toNumber(value any) (any, bool) {
	if text, ok := value.(string); ok {
		return item.Number(strings.TrimSpace(text))
	}
	_, ok := item.Float(value)
	return value, ok
}

// toInteger takes 3, "3" and 3.0. The digits of integers of any size are kept.
func toInteger(value any) (any, bool) {
	number, ok := toNumber(value)
	if !ok {
		return nil, false
	}
	text := template.String(number)
	if !strings.ContainsAny(text, ".eE") {
		return json.Number(text), true
	}
	f, ok := item.Float(number)
	if !ok || f != math.Trunc(f) || math.Abs(f) > 1<<53 {
		return nil, false
	}
	return int64(f), true
}

func toBoolean(value any) (any, bool) {
	text, ok := value.(string)
	if !ok {
		_, ok = value.(bool)
		return value, ok
	}
	isTrue := strings.EqualFold(text, "true")
	return isTrue, isTrue || strings.EqualFold(text, "false")
}

// decoded is what a text holds as JSON; anything else stays as it is.
func decoded(value any) any {
	text, ok := value.(string)
	if !ok || !item.Lossless([]byte(text)) {
		return value
	}
	dec := json.NewDecoder(strings.NewReader(text))
	dec.UseNumber()
	var v any
	if dec.Decode(&v) != nil {
		return value
	}
	if _, err := dec.Token(); err != io.EOF {
		return value
	}
	return v
}

func withArticle(kind string) string {
	if strings.ContainsRune("aeiou", rune(kind[0])) {
		return "an " + kind
	}
	return "a " + kind
}

// describe shows a value in a message.
func describe(value any) string {
	switch value := value.(type) {
	case string:
		return item.Quote(value)
	case []any:
		return "an array"
	case map[string]any, *item.Object:
		return "an object"
	}
	return template.String(value)
}
