package directive

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/ryeos/rye/pkg/item"
)

// reader walks the XML of a directive. What would change its meaning if it were overlooked is an error, of which the
// first is kept; the rest are issues, all of which signing reports.
type reader struct {
	src    []byte
	err    *item.SyntaxError
	issues []item.Issue
}

func (r *reader) fail(e *item.Element, format string, args ...any) {
	if r.err == nil {
		r.err = item.NewSyntaxError(r.src, e.Pos, format, args...)
	}
}

func (r *reader) report(e *item.Element, format string, args ...any) {
	r.issues = append(r.issues, item.Issue{Message: fmt.Sprintf(format, args...), Pos: e.Pos})
}

// once refuses a second element of a name: a reader who stops at the first one would not see it.
func (r *reader) once(parent *item.Element, names ...string) {
	seen := map[string]bool{}
	for _, e := range parent.Children {
		if seen[e.Name] && slices.Contains(names, e.Name) {
			r.fail(e, "a second <%s> in <%s>", e.Name, parent.Name)
		}
		seen[e.Name] = true
	}
}

// attributes reports those that have no meaning: most are misspelt.
func (r *reader) attributes(e *item.Element, names ...string) {
	for name := range e.Attributes.All() {
		if !slices.Contains(names, name) {
			r.report(e, "<%s> has no attribute %s%s", e.Name, item.Quote(name), suggestion(name, names))
		}
	}
}

// children reports those of other names.
func (r *reader) children(e *item.Element, names ...string) {
	for _, child := range e.Children {
		if !slices.Contains(names, child.Name) {
			r.report(child, "<%s> has no effect in <%s>%s", child.Name, e.Name, suggestion(child.Name, names))
		}
	}
}

// suggestion ends a message about a name that does not exist.
func suggestion(name string, names []string) string {
	if near := item.Suggest(name, names); near != "" {
		return fmt.Sprintf(": did you mean %q?", near)
	}
	return fmt.Sprintf(" (valid: %s)", strings.Join(names, ", "))
}

// flag is the value of an attribute that says true or false.
func (r *reader) flag(e *item.Element, name string, byDefault bool) bool {
	value, declared := e.Attributes.Get(name)
	if !declared {
		return byDefault
	}
	text, _ := value.(string)
	if !strings.EqualFold(text, "true") && !strings.EqualFold(text, "false") {
		r.report(e, "%s of <%s> must be true or false, not %s", name, e.Name, item.Quote(text))
	}
	return strings.EqualFold(text, "true")
}

// whole is the value of an attribute that is a whole number of at least zero; nil without the attribute.
func (r *reader) whole(e *item.Element, name string) *int64 {
	value, declared := e.Attributes.Get(name)
	if !declared {
		return nil
	}
	text, _ := value.(string)
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 0 {
		r.fail(e, "%s of <%s> must be a whole number, not %s", name, e.Name, item.Quote(text))
	}
	return &n
}
