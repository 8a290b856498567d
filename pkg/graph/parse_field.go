package graph

import (
	"slices"
	"strings"

	"github.com/ryeos/rye/pkg/item"
)

// maxCount bounds max_steps and max_concurrency: no run takes more steps, and a slip of the keyboard asks for more.
const maxCount = 10_000_000

func (f field) text() string {
	s, ok := f.value.(string)
	if !ok && f.value != nil {
		f.fail("must be a text")
	}
	return s
}

// textOf is a text that must be one of the words; the first is the default.
func (f field) textOf(words ...string) string {
	if f.value == nil {
		return words[0]
	}
	s, _ := f.value.(string)
	if !slices.Contains(words, s) {
		f.fail("must be one of %s", strings.Join(words, ", "))
		return words[0]
	}
	return s
}

func (f field) flag() bool {
	b, ok := f.value.(bool)
	if !ok && f.value != nil {
		f.fail("must be true or false")
	}
	return b
}

// count is a positive number, 0 if there is none.
func (f field) count() int {
	n, ok := item.Float(f.value)
	if f.value != nil && (!ok || n != float64(int(n)) || n < 1 || n > maxCount) {
		f.fail("must be a whole number from 1 to %d", maxCount)
		return 0
	}
	return int(n)
}

func (f field) object() *item.Object {
	object, ok := f.value.(*item.Object)
	if !ok && f.value != nil {
		f.fail("must be a mapping")
	}
	return object
}

// list gives the elements as fields.
func (f field) list() []field {
	list, ok := f.value.([]any)
	if !ok && f.value != nil {
		f.fail("must be a list")
	}
	return f.elements(list)
}

func (f field) elements(list []any) []field {
	fields := make([]field, len(list))
	for i, v := range list {
		fields[i] = field{f.parser, append(slices.Clip(f.path), index(i)), v}
	}
	return fields
}

// texts is a list of texts; one text alone is a list too.
func (f field) texts() []string {
	if s, ok := f.value.(string); ok {
		return []string{s}
	}
	var texts []string
	for _, e := range f.list() {
		if s, ok := e.value.(string); ok && s != "" {
			texts = append(texts, s)
		} else {
			e.fail("must be a text")
		}
	}
	return texts
}

// template is a value with its expressions, in the form that runs work with.
func (f field) template() any {
	v, err := normal(f.value)
	if err != nil {
		f.fail("%v", err)
	}
	return v
}
