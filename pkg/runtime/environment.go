package runtime

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ryeos/rye/pkg/item"
	"github.com/ryeos/rye/pkg/template"
)

// Environment is the set of variables a child gets, each with the name of who set it last.
type Environment struct {
	vars   map[string]string
	origin map[string]string
	setBy  map[string][]string // who set a variable → the names it set, in order
	caller map[string]string   // the calling process's, for templates of a chain under a minimal environment
}

// Origins of variables that no chain element set.
const (
	OriginProcess    = "process"
	OriginDotEnv     = ".env"
	OriginRye        = "rye"
	OriginParameters = "parameters" // config.params_env
	OriginCaller     = "the caller" // the parameter env
)

func (e *Environment) set(name, value, origin string) {
	e.vars[name], e.origin[name] = value, origin
	e.setBy[origin] = append(e.setBy[origin], name)
}

func (e *Environment) unset(name string) {
	delete(e.vars, name)
	delete(e.origin, name)
}

func (e *Environment) value(name string) string { return e.vars[name] }

// lookup is what ${NAME} in a chain's template means: the child's own variable, or one of the caller's that the chain
// names and so declares.
func (e *Environment) lookup(name string) (string, bool) {
	if v, ok := e.vars[name]; ok {
		return v, true
	}
	v, ok := e.caller[name]
	return v, ok
}

// List is the environment as processes take it, sorted.
func (e *Environment) List() []string {
	list := make([]string, 0, len(e.vars))
	for name, value := range e.vars {
		list = append(list, name+"="+value)
	}
	slices.Sort(list)
	return list
}

// Origin tells who set a variable: process, .env, rye, or the id of a chain element.
func (e *Environment) Origin(name string) string { return e.origin[name] }

// SetBy lists the variables that an origin set, also those that a later one replaced, sorted.
func (e *Environment) SetBy(origin string) []string {
	return slices.Compact(slices.Sorted(slices.Values(e.setBy[origin])))
}

// Value is the value that the child gets.
func (e *Environment) Value(name string) (string, bool) { v, ok := e.vars[name]; return v, ok }

// Names lists the variables, sorted.
func (e *Environment) Names() []string {
	names := make([]string, 0, len(e.vars))
	for name := range e.vars {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// ParentThread is the variable that names the thread a tool runs in: what it launches becomes a child of that thread
// (spec/rye-core §4.6).
const ParentThread = "RYE_PARENT_THREAD_ID"

// minimalNames pass to a child that an agent started (design §2 row 21); SSH_AUTH_SOCK deliberately not.
var minimalNames = []string{"HOME", "PATH", "USER", "LOGNAME", "SHELL", "TERM", "LANG", "TZ", "TMPDIR", "PWD"}

// PassesMinimal reports whether a variable of the caller reaches a child that an agent started.
func PassesMinimal(name string) bool {
	return slices.Contains(minimalNames, name) || strings.HasPrefix(name, "LC_")
}

// MinimalEnv is the part of an environment that reaches a child that an agent started, and every MCP server.
func MinimalEnv(env []string) []string {
	var kept []string
	for _, entry := range env {
		name, value, _ := strings.Cut(entry, "=")
		if isPathList(name) {
			entry = name + "=" + absoluteOnly(value)
		}
		if PassesMinimal(name) {
			kept = append(kept, entry)
		}
	}
	return kept
}

// environment layers the variables: process, .env, then the chain from the primitive to the tool, so that the tool wins
// (design §2 row 5).
func (b *builder) environment() error {
	b.env = baseEnvironment(b.in)
	if err := b.dotEnv(); err != nil {
		return err
	}
	if b.in.Binary != "" {
		b.env.set("RYE_BIN", b.in.Binary, OriginRye)
	}
	if b.in.Thread != "" {
		b.env.set(ParentThread, b.in.Thread, OriginRye)
	}
	for i := len(b.in.Chain.Elements) - 1; i >= 0; i-- {
		e := b.in.Chain.Elements[i]
		if e.Meta.EnvConfig == nil {
			continue
		}
		if err := b.interpreter(e); err != nil {
			return err
		}
		b.static(e.ID, e.Meta.EnvConfig.Env)
	}
	if err := b.callerEnvironment(); err != nil {
		return err
	}
	b.anchorPaths()
	return b.context.err
}

func baseEnvironment(in Input) *Environment {
	env := &Environment{
		vars: map[string]string{}, origin: map[string]string{}, setBy: map[string][]string{}, caller: map[string]string{},
	}
	var pass []string
	for _, e := range in.Chain.Elements {
		if e.Meta.EnvConfig != nil {
			pass = append(pass, e.Meta.EnvConfig.Pass...)
		}
	}
	for _, entry := range in.Env {
		name, value, ok := strings.Cut(entry, "=")
		if !ok || name == "" {
			continue
		}
		if isPathList(name) {
			value = absoluteOnly(value)
		}
		env.caller[name] = value
		if !in.Minimal || slices.Contains(pass, name) || PassesMinimal(name) {
			env.set(name, value, OriginProcess)
		}
	}
	return env
}

// isPathList names search paths in which an empty or relative entry means the current folder, from which nothing
// may be loaded.
func isPathList(name string) bool {
	switch name {
	case "PATH", "PYTHONPATH", "NODE_PATH", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "PERL5LIB", "RUBYLIB":
		return true
	}
	return false
}

func absoluteOnly(list string) string {
	entries := filepath.SplitList(list)
	kept := slices.DeleteFunc(entries, func(dir string) bool { return !filepath.IsAbs(dir) })
	return strings.Join(kept, string(os.PathListSeparator))
}

func (b *builder) dotEnv() error {
	vars, blocked, err := DotEnv(b.in.Project)
	if err != nil {
		return err
	}
	for _, v := range vars {
		b.env.set(v.Name, v.Value, OriginDotEnv)
	}
	if len(blocked) > 0 {
		b.warnings = append(b.warnings, "not taken from .env, because a project file cannot set it: "+strings.Join(blocked, ", "))
	}
	return nil
}

// static sets an element's variables in their order; later ones see earlier ones.
func (b *builder) static(owner string, vars *item.Object) {
	for name, v := range vars.All() {
		text := template.String(v)
		if s, ok := v.(string); ok {
			text = template.Values{Env: b.env.lookup, Param: b.context.lookup}.Text(s)
		}
		b.env.set(name, text, owner)
	}
}

// callerEnvironment takes the engine key `env`, for variables that cannot change what is executed.
func (b *builder) callerEnvironment() error {
	vars, ok := b.steering["env"]
	if !ok {
		return nil
	}
	m, ok := vars.(map[string]any)
	if !ok {
		return item.Usagef("the parameter env must be an object of strings")
	}
	for name, v := range m {
		if Blocked(name) || strings.ContainsAny(name, "=\x00") || name == "" {
			return item.Errorf(item.TypePermission, "the variable %s cannot be set by a caller", item.Quote(name))
		}
		b.env.set(name, template.String(v), OriginCaller)
	}
	return nil
}

// anchorPaths applies env_paths of an active anchor, and what the anchor sets while it is inactive.
func (b *builder) anchorPaths() {
	spec := b.in.Anchor.Spec
	if spec == nil {
		return
	}
	owner := b.in.Chain.First(func(m *item.Metadata) bool { return m.Anchor != nil }).ID
	if !b.in.Anchor.Active {
		b.static(owner, spec.InactiveEnv)
		return
	}
	b.static(owner, spec.ActiveEnv)
	for _, paths := range spec.EnvPaths {
		entries := slices.DeleteFunc(filepath.SplitList(b.env.value(paths.Name)), func(s string) bool { return s == "" })
		for _, text := range slices.Backward(paths.Prepend) {
			if dir := b.context.text(text); dir != "" && !slices.Contains(entries, dir) {
				entries = slices.Insert(entries, 0, dir)
			}
		}
		for _, text := range paths.Append {
			if dir := b.context.text(text); dir != "" && !slices.Contains(entries, dir) {
				entries = append(entries, dir)
			}
		}
		b.env.set(paths.Name, strings.Join(entries, string(os.PathListSeparator)), owner)
	}
}
