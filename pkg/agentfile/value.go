package agentfile

import (
	"encoding/json"
	"math"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/ryeos/rye/pkg/item"
)

var (
	snakePattern    = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[a-z][a-z0-9_]*$`) })
	variablePattern = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`) })
)

// text is "" for what was not written.
func (f field) text() string {
	switch v := f.value.(type) {
	case nil:
		return ""
	case string:
		return v
	case bool, int64, float64:
		f.fail("must be a text: write it in quotes")
	default:
		f.fail("must be a text")
	}
	return ""
}

// required is a text that must say something.
func (f field) required(example string) string {
	if !f.declared() {
		f.fail("is missing: %s", example)
		return ""
	}
	if text, ok := f.value.(string); ok && strings.TrimSpace(text) == "" {
		f.fail("is empty: %s", example)
	}
	return f.text()
}

// word is one of the given ones; the first is the default.
func (f field) word(words ...string) string {
	text := f.text()
	if slices.Contains(words, text) {
		return text
	}
	if _, isText := f.value.(string); isText {
		hint := "write one of " + strings.Join(words, ", ")
		if near := item.Suggest(snakeCase(text), words); near != "" {
			hint = "did you mean " + near + "?"
		}
		f.fail("cannot be %s: %s", item.Quote(text), hint)
	}
	return words[0]
}

func (f field) flag(byDefault bool) bool {
	b, ok := f.value.(bool)
	switch {
	case ok:
		return b
	case f.declared():
		f.fail("must be true or false")
	}
	return byDefault
}

// maxNumber bounds everything that is counted; a larger number is a slip of the keyboard.
const maxNumber = 1_000_000_000

// count is a whole number of at least 1; 0 if it was not written.
func (f field) count() int {
	if !f.declared() {
		return 0
	}
	n, ok := item.Float(f.value)
	if !ok || n != math.Trunc(n) || n < 1 || n > maxNumber {
		f.fail("must be a whole number from 1 to %d, or left out for no bound", maxNumber)
		return 0
	}
	return int(n)
}

// micros is an amount in millionths.
func (f field) micros(least float64) int64 {
	if !f.declared() {
		return 0
	}
	n, ok := item.Float(f.value)
	if !ok || n < least || n > maxNumber {
		f.fail("must be a number from %v to %d", least, maxNumber)
		return 0
	}
	return int64(math.Round(n * 1e6))
}

// variable is the name of an environment variable.
func (f field) variable() string {
	name := f.text()
	if _, isText := f.value.(string); isText {
		f.checkVariable(name)
	}
	return name
}

func (f field) variableNames() []string {
	var names []string
	for _, e := range f.list() {
		name := e.required("name a variable")
		if name != "" {
			e.checkVariable(name)
		}
		names = append(names, name)
	}
	return names
}

func (f field) checkVariable(name string) {
	if !variablePattern().MatchString(name) {
		f.fail("is no name of a variable: %s; write letters, digits and _, as in API_URL", item.Quote(name))
	}
}

// json is a mapping as it goes to a provider.
func (f field) json() json.RawMessage {
	if !f.declared() {
		return nil
	}
	object, ok := f.value.(*item.Object)
	if !ok {
		f.fail("must be a mapping of keys to values")
		return nil
	}
	encoded, err := json.Marshal(object)
	if err != nil {
		f.fail("has no JSON form: %v", err)
		return nil
	}
	return encoded
}

// schema is a JSON Schema of an object.
func (f field) schema() json.RawMessage {
	encoded := f.json()
	if encoded == nil {
		return nil
	}
	var s jsonschema.Schema
	err := json.Unmarshal(encoded, &s)
	if err == nil {
		_, err = s.Resolve(nil)
	}
	switch object, _ := f.value.(*item.Object); {
	case err != nil:
		f.fail("is not a JSON Schema: %v", err)
	case object.String("type") != "object":
		f.fail("must describe an object: write type: object and the arguments under properties")
	}
	return encoded
}
