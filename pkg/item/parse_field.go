package item

import (
	"slices"
	"strings"
)

// fieldReader finds the recognised names of a Document. It keeps the first error, so that a caller reads all fields and
// looks at err once.
type fieldReader struct {
	src []byte
	doc *Document
	err error
}

// field is one declared value. The zero value is a field that was not declared: it reads as every type's default.
type field struct {
	reader *fieldReader
	path   string // as the author wrote it: `ENV_CONFIG.interpreter.type`
	value  any
	pos    Position // of the top-level name
}

func (r *fieldReader) fail(pos Position, format string, args ...any) {
	if r.err == nil {
		r.err = NewSyntaxError(r.src, pos, format, args...)
	}
}

// find looks a name up at the top level and then in the `data` mapping. In each, the spellings are tried in the order
// `__name__`, `name`, `NAME` (spec/rye-core §2.2).
func (r *fieldReader) find(name string) field {
	spellings := []string{"__" + name + "__", name, strings.ToUpper(name)}
	for _, s := range spellings {
		if v, ok := r.doc.Values.Get(s); ok {
			return field{r, s, v, r.doc.Positions[s]}
		}
		if pos, ok := r.doc.Skipped[s]; ok && !isProgramName(s) {
			r.fail(pos, "%s must be a literal: rye reads it without running the file", s)
		}
	}
	data := r.doc.Values.Object("data")
	for _, s := range spellings {
		if v, ok := data.Get(s); ok {
			return field{r, "data." + s, v, r.doc.Positions["data"]}
		}
	}
	return field{reader: r, path: name}
}

// isProgramName is true for words that programs use for variables of their own: `config = load()` declares nothing.
func isProgramName(name string) bool {
	switch name {
	case "version", "category", "description", "config", "inputs", "outputs", "data":
		return true
	}
	return false
}

func (f field) declared() bool { return f.value != nil }

func (f field) fail(format string, args ...any) {
	f.reader.fail(f.pos, "%s "+format, append([]any{f.path}, args...)...)
}

// child is the field's own field; f is a mapping that was checked before.
func (f field) child(key string) field {
	object, _ := f.value.(*Object)
	v, _ := object.Get(key)
	return field{f.reader, f.path + "." + key, v, f.pos}
}

func (f field) text() string {
	s, ok := f.value.(string)
	if !ok && f.declared() {
		f.fail("must be a string")
	}
	return s
}

// textOf is text that must be one of the given words; the first one is the default.
func (f field) textOf(words ...string) string {
	if !f.declared() {
		return words[0]
	}
	s := f.text()
	if !slices.Contains(words, s) {
		f.fail("must be one of %s", strings.Join(words, ", "))
	}
	return s
}

func (f field) flag(byDefault bool) bool {
	if !f.declared() {
		return byDefault
	}
	b, ok := f.value.(bool)
	if !ok {
		f.fail("must be true or false")
	}
	return b
}

func (f field) texts() []string {
	if !f.declared() {
		return nil
	}
	list, ok := f.value.([]any)
	texts := make([]string, 0, len(list))
	for _, v := range list {
		s, isText := v.(string)
		ok = ok && isText
		texts = append(texts, s)
	}
	if !ok {
		f.fail("must be a list of strings")
	}
	return texts
}

func (f field) object() *Object {
	object, ok := f.value.(*Object)
	if !ok && f.declared() {
		f.fail("must be a map")
	}
	return object
}
