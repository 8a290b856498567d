package item

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"
)

// Issue is one reason why an item cannot be signed.
type Issue struct {
	Message string
	Pos     Position // 1:1 when the field is missing
}

var (
	semverPattern    = pattern(`^\d+\.\d+\.\d+$`)
	snakeCasePattern = pattern(`^[a-z][a-z0-9_]*$`)
)

// terminalTypes are the types of tools that nothing runs: only they may end a chain with a null executor_id.
var terminalTypes = []string{
	"primitive", "extractor", "parser", "processor", "executor", "config", "config-schema", "mcp_server", "library",
}

// IsItem reports whether a file is an item of the kind. Files in the tool folder that name neither a type nor
// an executor are dependencies.
func IsItem(kind Kind, m *Metadata) bool {
	return kind != Tool || m.ExecutorDeclared || m.ToolType != ""
}

// Validate lists everything that keeps the item from being signed, by the table of spec/rye-core §7.5. file is the
// item's path or name; its stem is the name that the item must have.
func Validate(ref Ref, file string, m *Metadata) []Issue {
	v := &validator{ref: ref, stem: strings.TrimSuffix(path.Base(file), path.Ext(file)), m: m}
	v.fields.doc = cmp.Or(m.Document, newDocument())
	switch ref.Kind {
	case Tool: // its name is the file's name: a program's own `name` is a variable
		v.required("tool_type", m.ToolType)
		v.version()
		v.required("description", m.Description)
		v.category(true)
		v.executor()
		v.schema()
	case Directive:
		v.name(true)
		v.snakeCase()
		v.version()
		v.required("description", m.Description)
		v.category(true)
		v.text("author")
	case Agent:
		v.name(false)
		v.snakeStem()
		v.version()
		v.required("description", m.Description)
		v.category(true)
	case Knowledge:
		v.name(true)
		v.text("title")
		v.version()
		v.text("entry_type")
		v.category(false)
	case Config:
		v.name(false)
		v.version()
		v.category(true)
	}
	return v.issues
}

type validator struct {
	ref    Ref
	stem   string
	m      *Metadata
	fields fieldReader
	issues []Issue
}

// report adds an issue at the place where the field has its value.
func (v *validator) report(name, format string, args ...any) {
	pos := v.fields.find(name).pos
	if pos == (Position{}) {
		pos = Position{Line: 1, Column: 1}
	}
	v.issues = append(v.issues, Issue{Message: plainText(fmt.Sprintf(format, args...)), Pos: pos})
}

func (v *validator) required(name, value string) {
	if value == "" {
		v.report(name, "Missing required field: %s", name)
	}
}

// text is the value of a required field that Metadata does not hold, "" if it has none.
func (v *validator) text(name string) string {
	f := v.fields.find(name)
	s, ok := f.value.(string)
	if f.declared() && !ok {
		v.report(name, "Field '%s' must be a string, got %s", name, typeName(f.value))
		return ""
	}
	v.required(name, s)
	return s
}

func (v *validator) name(required bool) {
	if !required && !v.fields.find("name").declared() {
		return
	}
	if name := v.text("name"); name != "" && name != v.stem {
		v.report("name", "Field 'name' value '%s' must match filename '%s'", name, v.stem)
	}
}

func (v *validator) snakeCase() {
	name := v.fields.find("name").value
	if s, ok := name.(string); ok && s != "" && !snakeCasePattern().MatchString(s) {
		v.report("name", "Field 'name' must be snake_case, got '%s'", s)
	}
}

// snakeStem is snakeCase for a kind whose name is the file's.
func (v *validator) snakeStem() {
	if !snakeCasePattern().MatchString(v.stem) {
		v.report("name", "The file's name must be snake_case, got '%s'", v.stem)
	}
}

func (v *validator) version() {
	v.required("version", v.m.Version)
	if version := v.m.Version; version != "" && !semverPattern().MatchString(version) {
		v.report("version", "Field 'version' must be semver format (X.Y.Z), got '%s'", version)
	}
}

// category must be the folder that the file is in. In the kind's own folder that is "", which need not be written.
func (v *validator) category(required bool) {
	want := v.ref.Category()
	switch f := v.fields.find("category"); {
	case f.declared() && v.m.Category != want:
		v.report("category", "Field 'category' value '%s' must match path category '%s'", v.m.Category, want)
	case !f.declared() && required && want != "":
		v.report("category", "Missing required field: category")
	}
}

func (v *validator) executor() {
	switch {
	case !v.m.ExecutorDeclared:
		v.report("executor_id", "Missing required field: executor_id")
	case v.m.ExecutorID == "" && v.m.ToolType != "" && !slices.Contains(terminalTypes, v.m.ToolType):
		v.report("executor_id", "Field 'executor_id' is null, but a tool of type '%s' needs a runtime, "+
			"as in 'rye/core/runtimes/python/script'", v.m.ToolType)
	}
}

// typeName is the JSON name of a value's type.
func typeName(v any) string {
	switch v.(type) {
	case nil:
		return "null"
	case bool:
		return "boolean"
	case string:
		return "string"
	case int64:
		return "integer"
	case float64:
		return "number"
	case []any:
		return "array"
	}
	return "object"
}
