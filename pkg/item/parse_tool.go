package item

import (
	"fmt"
	"io/fs"
	"strings"
	"unicode"
)

// envConfig reads `env_config` (spec/rye-core §4).
func (f field) envConfig() *EnvConfig {
	if f.object() == nil {
		return nil
	}
	return &EnvConfig{
		Interpreter: f.child("interpreter").interpreter(),
		Env:         f.child("env").variables(),
		Pass:        f.child("pass").variableNames(),
		Secrets:     f.child("secrets").variableNames(),
	}
}

func (f field) variableNames() []string {
	names := f.texts()
	for _, name := range names {
		f.checkVariable(name)
	}
	return names
}

// variables reads environment variables to set: name → literal or template.
func (f field) variables() *Object {
	for name, v := range f.object().All() {
		f.checkVariable(name)
		switch v.(type) {
		case string, bool, int64, float64:
		default:
			f.child(name).fail("must be a string, a number or a boolean")
		}
	}
	return f.object()
}

// checkVariable refuses names that would not come out of a process's environment as they went in.
func (f field) checkVariable(name string) {
	if name == "" || strings.ContainsRune(name, '=') || strings.ContainsFunc(name, unicode.IsControl) {
		f.fail("holds %s, which cannot be the name of an environment variable", Quote(name))
	}
}

func (f field) interpreter() *Interpreter {
	if f.object() == nil {
		return nil
	}
	i := &Interpreter{
		Var:         f.child("var").text(),
		Binary:      f.child("binary").text(),
		Candidates:  f.child("candidates").texts(),
		SearchPaths: f.child("search_paths").texts(),
		SearchRoots: f.child("search_roots").texts(),
		ResolveCmd:  f.child("resolve_cmd").texts(),
		Fallback:    f.child("fallback").text(),
	}
	if kind := f.child("type"); kind.declared() {
		i.Type = kind.textOf("local_binary", "system_binary", "command")
	}
	return i
}

// configSpecs reads `config_resolve`, one map or a list of them (spec/rye-core §5.3).
func (f field) configSpecs() (specs []ConfigSpec, byPath bool) {
	list, byPath := f.value.([]any)
	if !byPath {
		if f.object() == nil {
			return nil, false
		}
		list = []any{f.value}
	}
	for i, v := range list {
		spec := field{f.reader, f.path, v, f.pos}
		if byPath {
			spec.path += fmt.Sprintf("[%d]", i)
		}
		if _, ok := v.(*Object); !ok {
			f.fail("must be a map with a path, or a list of such maps")
			return nil, byPath
		}
		specs = append(specs, ConfigSpec{
			Path: spec.child("path").configPath(),
			Mode: spec.child("mode").textOf("deep_merge", "first_match"),
		})
	}
	return specs, byPath
}

// configPath must stay below `.ai/config/`: it comes from a file, and is joined with directories that hold keys.
func (f field) configPath() string {
	s := f.text()
	if !fs.ValidPath(s) || s == "." || strings.ContainsAny(s, `\:`) || strings.ContainsFunc(s, unicode.IsControl) {
		f.fail("must be a clean path below .ai/config, as in \"agent/agent.yaml\", not %s", Quote(s))
	}
	return s
}

// anchor reads `anchor` (spec/rye-core §5.1).
func (f field) anchor() *Anchor {
	if f.object() == nil {
		return nil
	}
	a := &Anchor{
		Enabled:     f.child("enabled").flag(false),
		Mode:        f.child("mode").textOf("auto", "always", "never"),
		MarkersAny:  f.child("markers_any").texts(),
		Root:        f.child("root").textOf("tool_dir", "tool_parent", "project_path"),
		Lib:         f.child("lib").text(),
		Cwd:         f.child("cwd").text(),
		ActiveEnv:   f.child("active_env").variables(),
		InactiveEnv: f.child("inactive_env").variables(),
	}
	paths := f.child("env_paths")
	for name := range paths.object().All() {
		paths.checkVariable(name)
		v := paths.child(name)
		v.object()
		a.EnvPaths = append(a.EnvPaths, EnvPath{
			Name: name, Prepend: v.child("prepend").texts(), Append: v.child("append").texts(),
		})
	}
	return a
}

// verifyDeps reads `verify_deps` (spec/rye-core §5.2).
func (f field) verifyDeps() *VerifyDeps {
	if f.object() == nil {
		return nil
	}
	v := &VerifyDeps{
		Enabled:     f.child("enabled").flag(false),
		Scope:       f.child("scope").textOf("anchor", "tool_dir", "tool_siblings", "tool_file"),
		Recursive:   f.child("recursive").flag(true),
		Extensions:  f.child("extensions").texts(),
		ExcludeDirs: []string{"__pycache__", ".venv", "node_modules", ".git"},
	}
	if exclude := f.child("exclude_dirs"); exclude.declared() {
		v.ExcludeDirs = exclude.texts()
	}
	return v
}

// names reads `inputs` and `outputs`: names, maps with a name, or a map whose keys are the names.
func (f field) names() []string {
	var names []string
	switch v := f.value.(type) {
	case nil:
		return nil
	case *Object:
		for name := range v.All() {
			names = append(names, name)
		}
		return names
	case []any:
		for _, e := range v {
			if object, ok := e.(*Object); ok {
				e, _ = object.Get("name")
			}
			name, ok := e.(string)
			if !ok || name == "" {
				f.fail("must be a list of names, a list of maps with a name, or a map by name")
				return nil
			}
			names = append(names, name)
		}
		return names
	}
	f.fail("must be a list of names, a list of maps with a name, or a map by name")
	return nil
}

// versionRanges reads `child_constraints`: item id → {min_version, max_version}.
func (f field) versionRanges() map[string]VersionRange {
	object := f.object()
	if object == nil {
		return nil
	}
	ranges := make(map[string]VersionRange, object.Len())
	for id := range object.All() {
		if err := ValidateID(id); err != nil {
			f.fail("has a key that is not an item id: %v", err)
		}
		v := f.child(id)
		v.object()
		ranges[id] = VersionRange{Min: v.child("min_version").text(), Max: v.child("max_version").text()}
	}
	return ranges
}
