package agentfile

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/ryeos/rye/pkg/item"
)

// reader gathers what is wrong with a file while it is read.
type reader struct {
	file *File
	tree func() item.YAMLTree

	prompts, models     map[string]bool // names that the file defines
	deaf                map[string]bool // prompts that say nothing about include_chat
	includes, fallbacks []link
	later               []func() // checks that need to know everything
}

// maxIssues is how many are reported: whoever has mended those can ask again.
const maxIssues = 100

// field is one value of the file, with the way to it. A nil value is one that was not written.
type field struct {
	reader *reader
	path   []string // as it is written
	value  any
}

func (f field) declared() bool { return f.value != nil }

var plainKey = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[\w-]+$`) })

// name is the way to the field as people write it.
func (f field) name() string {
	var name strings.Builder
	for i, key := range f.path {
		if i > 0 {
			name.WriteByte('.')
		}
		if !plainKey().MatchString(key) {
			key = item.Quote(key)
		}
		name.WriteString(key)
	}
	return name.String()
}

func (f field) issue(pos item.Position, format string, args []any) item.Issue {
	message := fmt.Sprintf(format, args...)
	if len(f.path) > 0 {
		message = f.name() + " " + message
	}
	return item.Issue{Message: message, Pos: pos}
}

// fail reports what keeps the file from being signed.
func (f field) fail(format string, args ...any) { f.failAt(f.pos(), format, args...) }

func (f field) failAt(pos item.Position, format string, args ...any) {
	if file := f.reader.file; len(file.issues) < maxIssues {
		file.issues = append(file.issues, f.issue(pos, format, args))
	}
}

// doubt reports what is probably a slip.
func (f field) doubt(format string, args ...any) {
	if file := f.reader.file; len(file.doubts) < maxIssues {
		file.doubts = append(file.doubts, f.issue(f.pos(), format, args))
	}
}

func (f field) pos() item.Position { return f.reader.tree().Position(f.path...) }

func (f field) child(key string, value any) field {
	return field{f.reader, append(slices.Clip(f.path), key), value}
}

// fields are the values of a mapping whose keys are the author's.
func (f field) fields() []field {
	object, ok := f.value.(*item.Object)
	if f.declared() && !ok {
		f.fail("must be a mapping of names, as in NAME: {…}")
	}
	var list []field
	for key, value := range object.All() {
		list = append(list, f.child(key, value))
	}
	return list
}

// key is the last part of the way to the field.
func (f field) key() string { return f.path[len(f.path)-1] }

// list gives the elements of a list.
func (f field) list() []field {
	list, ok := f.value.([]any)
	if f.declared() && !ok {
		f.fail("must be a list, as in [a, b]")
	}
	fields := make([]field, len(list))
	for i, value := range list {
		fields[i] = f.child(strconv.Itoa(i), value)
	}
	return fields
}

// mapping is a field whose keys have meanings. Each is asked for by at; the others are reported by end.
type mapping struct {
	field
	object *item.Object
	asked  []string
	known  map[string]bool // in the spellings that the file has
}

func (f field) mapping() *mapping {
	object, ok := f.value.(*item.Object)
	if f.declared() && !ok {
		f.fail("must be a mapping of keys to values")
	}
	return &mapping{field: f, object: object, known: map[string]bool{}}
}

// at is a value by its key, or by another key that means the same. The spelling of the Standard Agents specification,
// sideA for side_a, is read as well.
func (m *mapping) at(key string, others ...string) field {
	m.asked = append(m.asked, key)
	found, written := m.child(key, nil), ""
	for _, name := range append([]string{key}, others...) {
		for _, spelling := range slices.Compact([]string{name, camelCase(name)}) {
			value, ok := m.object.Get(spelling)
			if !ok {
				continue
			}
			m.known[spelling] = true
			again := m.child(spelling, value)
			if written != "" {
				again.failAt(m.reader.tree().Key(again.path...), "is the same as %s: write one of them", written)
				continue
			}
			found, written = again, spelling
		}
	}
	return found
}

// end reports the keys that nobody asked for: most are misspelt.
func (m *mapping) end() {
	for key, value := range m.object.All() {
		if m.known[key] {
			continue
		}
		unknown := m.child(key, value)
		hint := "the keys here are " + strings.Join(m.asked, ", ")
		if near := item.Suggest(snakeCase(key), m.asked); near != "" {
			hint = "did you mean " + near + "?"
		}
		unknown.failAt(m.reader.tree().Key(unknown.path...), "is no key that means anything: %s", hint)
	}
}

func camelCase(name string) string {
	parts := strings.Split(name, "_")
	for i, part := range parts[1:] {
		parts[i+1] = strings.ToUpper(part[:1]) + part[1:]
	}
	return strings.Join(parts, "")
}

func snakeCase(name string) string {
	var out strings.Builder
	for _, r := range name {
		if r >= 'A' && r <= 'Z' {
			out.WriteByte('_')
			r += 'a' - 'A'
		}
		out.WriteRune(r)
	}
	return out.String()
}
