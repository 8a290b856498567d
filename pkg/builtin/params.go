package builtin

import (
	"bytes"
	"encoding/json"
	"maps"
	"math"
	"slices"
	"strings"
)

// fields maps the name of each parameter to the variable that takes it: *string, *int or *[]json.RawMessage.
type fields map[string]any

// decode reads a JSON object into the variables and says which of them were given. null counts as not given. Names are
// exact, unlike encoding/json's, and unknown ones are refused: a misspelled option that is ignored looks like a bug here.
func (f fields) decode(params json.RawMessage, required ...string) (given map[string]bool, err error) {
	var raw map[string]json.RawMessage
	if len(bytes.TrimSpace(params)) > 0 {
		if err := json.Unmarshal(params, &raw); err != nil {
			return nil, failuref("Parameters must be a JSON object: %v", err)
		}
	}
	given = map[string]bool{}
	for _, name := range slices.Sorted(maps.Keys(raw)) {
		target, known := f[name]
		if !known {
			shown, _ := clip(printable(name), 100)
			return nil, failuref("Unknown parameter '%s'. Valid parameters: %s", shown, f.names())
		}
		if string(raw[name]) == "null" {
			continue
		}
		if want, ok := assign(target, raw[name]); !ok {
			return nil, failuref("Parameter '%s' must be %s, not %s", name, want, typeOf(raw[name]))
		}
		given[name] = true
	}
	for _, name := range required {
		if !given[name] {
			return nil, failuref("Missing required parameter: %s", name)
		}
	}
	return given, nil
}

func (f fields) names() string { return strings.Join(slices.Sorted(maps.Keys(f)), ", ") }

// assign reports the type it wanted when raw has another one.
func assign(target any, raw json.RawMessage) (want string, ok bool) {
	switch target := target.(type) {
	case *string:
		return "a string", json.Unmarshal(raw, target) == nil
	case *int:
		// JSON Schema calls 2.0 and 2e3 integers too.
		var n float64
		if json.Unmarshal(raw, &n) != nil || n != math.Trunc(n) || math.Abs(n) > math.MaxInt32 {
			return "an integer", false
		}
		*target = int(n)
		return "", true
	case *[]json.RawMessage:
		return "a list", json.Unmarshal(raw, target) == nil
	}
	return "of a supported type", false
}

func typeOf(raw json.RawMessage) string {
	switch raw[0] {
	case '"':
		return "a string"
	case '{':
		return "an object"
	case '[':
		return "a list"
	case 't', 'f':
		return "a boolean"
	}
	return "the number " + string(raw[:min(len(raw), 30)])
}
