package item

import (
	"slices"
	"strings"
)

// Kind tells which of the five sorts of item a file is (spec/rye-core §1.1).
type Kind string

// The kinds of items. Dependency is not a kind that a reference can name: it labels the signature of a file that
// items load (a library module, an `__init__.py`, a lock file) and that can never be executed itself (design §7).
const (
	Tool       Kind = "tool"
	Directive  Kind = "directive"
	Agent      Kind = "agent"
	Knowledge  Kind = "knowledge"
	Config     Kind = "config"
	Dependency Kind = "dependency"
)

// toolExtensions is the declared order in which a tool id is looked up: the first existing file wins.
// The ones after .toml are for runtimes that users write themselves.
var toolExtensions = []string{
	".py", ".yaml", ".yml", ".json", ".js", ".ts", ".mjs", ".cjs", ".sh", ".toml",
	".rb", ".pl", ".awk", ".lua",
}

// Kinds lists every kind that a reference can name, in the order they are shown to people.
func Kinds() []Kind { return []Kind{Tool, Directive, Agent, Knowledge, Config} }

// KindNames are the kinds as people write them.
func KindNames() []string {
	var names []string
	for _, k := range Kinds() {
		names = append(names, string(k))
	}
	return names
}

// ParseKind accepts the name of a kind ("tool") or of its folder ("tools").
func ParseKind(s string) (Kind, error) {
	for _, k := range Kinds() {
		if s == string(k) || s == k.Dir() {
			return k, nil
		}
	}
	return "", Usagef("unknown kind %q: a kind is one of %s", s, strings.Join(KindNames(), ", "))
}

// Dir is the kind's folder below `.ai/`.
func (k Kind) Dir() string {
	switch k {
	case Tool:
		return "tools"
	case Directive:
		return "directives"
	case Agent:
		return "agents"
	case Knowledge:
		return "knowledge"
	case Config:
		return "config"
	}
	return ""
}

// Extensions lists the file extensions of the kind in lookup order.
func (k Kind) Extensions() []string {
	switch k {
	case Tool:
		return toolExtensions
	case Directive:
		return []string{".md"}
	case Agent:
		return []string{".yaml", ".yml"}
	case Knowledge:
		return []string{".md", ".yaml", ".yml"}
	case Config:
		return []string{".yaml", ".yml", ".toml"}
	}
	return nil
}

// HasExtension reports whether ext, with its dot, belongs to the kind.
func (k Kind) HasExtension(ext string) bool { return slices.Contains(k.Extensions(), ext) }

// Title is the kind as the first word of a sentence: "Tool not found".
func (k Kind) Title() string {
	if k == "" {
		return "Item"
	}
	return strings.ToUpper(string(k[:1])) + string(k[1:])
}

// WithArticle is the kind inside of a sentence: "a tool", "an agent".
func (k Kind) WithArticle() string {
	if k == Agent {
		return "an " + string(k)
	}
	return "a " + string(k)
}

// SplitPath cuts a slash path below `.ai/` into the kind of its folder and the rest:
// "tools/my/x.py" → (tool, "my/x.py"). ok is false when the first element is no kind's folder.
func SplitPath(path string) (kind Kind, rest string, ok bool) {
	dir, rest, found := strings.Cut(path, "/")
	if !found || rest == "" {
		return "", "", false
	}
	for _, k := range Kinds() {
		if k.Dir() == dir {
			return k, rest, true
		}
	}
	return "", "", false
}
