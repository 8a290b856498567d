package graph

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/ryeos/rye/pkg/item"
)

// Parse reads a state graph. The error is a *item.SyntaxError for a file that is no YAML mapping, or that has a value of
// the wrong type where every tool has the same; everything else that is wrong is left to Validate, which lists it all.
func Parse(file string, src []byte) (*Graph, error) {
	meta, err := item.ParseMetadata(item.Tool, file, src)
	if err != nil {
		return nil, err
	}
	slashed := strings.ReplaceAll(file, `\`, "/")
	p := &parser{graph: &Graph{
		File: file, tree: sync.OnceValue(func() item.YAMLTree { return item.NewYAMLTree(src) }), byName: map[string]*Node{},
		ID:       path.Join(meta.Category, strings.TrimSuffix(path.Base(slashed), path.Ext(slashed))),
		Category: meta.Category, Version: meta.Version, Description: meta.Description, Parameters: meta.Parameters(),
	}}
	top := p.top(meta.Document.Values)
	p.graph.Permissions = top.at("permissions").texts()
	p.graph.EnvRequires = top.at("env_requires").texts()
	p.config(top.at("config"))
	digest, err := digestOf(meta.Config)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	p.graph.Digest = digest
	return p.graph, nil
}

// digestOf is the SHA-256 of a value's JSON in hexadecimal.
func digestOf(v any) (string, error) {
	encoded, err := item.AppendJSON(nil, v)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(encoded)
	return hex.EncodeToString(sum[:]), nil
}

type parser struct{ graph *Graph }

func (p *parser) top(values *item.Object) field { return field{parser: p, value: values} }

func (p *parser) config(config field) {
	g := p.graph
	g.Start = config.at("start").text()
	g.MaxSteps = config.at("max_steps").count()
	g.MaxConcurrency = config.at("max_concurrency").count()
	g.OnError = config.at("on_error").textOf("fail", "continue")
	state, err := normal(config.at("state").value)
	g.State, _ = state.(map[string]any)
	if err != nil || g.State == nil && state != nil {
		config.at("state").fail("must be a mapping of names to values")
	}
	for _, hook := range config.at("hooks").list() {
		g.Hooks = append(g.Hooks, p.hook(hook, len(g.Hooks)))
	}
	nodes := config.at("nodes")
	for name := range nodes.object().All() {
		node := p.node(name, nodes.at(name))
		g.Nodes = append(g.Nodes, node)
		g.byName[name] = node
	}
	config.know("start", "nodes", "max_steps", "max_concurrency", "on_error", "state", "hooks")
}

// field is one value of the file, with the way to it. The zero value is one that was not written.
type field struct {
	parser *parser
	path   []string
	value  any
}

// at is a field of a mapping.
func (f field) at(key string) field {
	object, _ := f.value.(*item.Object)
	v, _ := object.Get(key)
	return field{f.parser, append(slices.Clip(f.path), key), v}
}

// name is the way to the field as people write it.
func (f field) name() string { return strings.Join(f.path, ".") }

func (f field) fail(format string, args ...any) {
	f.wrong("%s "+format, append([]any{f.name()}, args...)...)
}

// wrong is fail with a message that names the place itself.
func (f field) wrong(format string, args ...any) {
	g := f.parser.graph
	g.issues = g.report(g.issues, f.path, format, args...)
}

// note says what is probably a slip, and changes nothing.
func (f field) note(format string, args ...any) {
	g := f.parser.graph
	g.notes = g.report(g.notes, f.path, format, args...)
}

// maxIssues is how many of a kind are reported: whoever has mended those can ask again.
const maxIssues = 100

// report adds what is to be said about the value at a path of the file.
func (g *Graph) report(issues []item.Issue, path []string, format string, args ...any) []item.Issue {
	if len(issues) == maxIssues {
		return issues
	}
	issue := item.Issue{Message: fmt.Sprintf(format, args...)}
	if g.tree != nil {
		issue.Pos = g.tree().Position(path...)
	}
	return append(issues, issue)
}

// know notes every key that is none of the given ones.
func (f field) know(keys ...string) {
	object, _ := f.value.(*item.Object)
	for key := range object.All() {
		if !slices.Contains(keys, key) {
			hint := ""
			if meant := item.Suggest(key, keys); meant != "" {
				hint = fmt.Sprintf(" (did you mean '%s'?)", meant)
			}
			f.at(key).note("%s has an unknown key %s%s", f.name(), item.Quote(key), hint)
		}
	}
}
