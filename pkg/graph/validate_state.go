package graph

import (
	"slices"
	"strings"

	"github.com/ryeos/rye/pkg/item"
	"github.com/ryeos/rye/pkg/template"
)

// assigned lists the state keys that something sets, each with where; those that the walker sets itself have no place.
func (c *checker) assigned() map[string][]string {
	set := map[string][]string{"inputs": nil, "_last_error": nil, "_retries": nil}
	add := func(key string, path ...string) {
		if _, ok := set[key]; !ok {
			set[key] = path
		}
	}
	for key := range c.graph.State {
		add(key, "config", "state", key)
	}
	for _, n := range c.graph.Nodes {
		for _, a := range n.Assign {
			add(a.Key, "config", "nodes", n.Name, "assign", a.Key)
		}
		if n.Collect != "" {
			add(n.Collect, "config", "nodes", n.Name, "collect")
		}
		if n.Type == Foreach {
			set[n.As] = nil
		}
	}
	return set
}

// referenced lists the state keys that something reads, each with where. The key "" stands for all of them.
func (c *checker) referenced() map[string][]string {
	read := map[string][]string{}
	add := func(path string, where []string) {
		first, rest, _ := strings.Cut(path, ".")
		key, _, _ := strings.Cut(rest, ".")
		if first != "state" && path != "" {
			return
		}
		if _, ok := read[key]; !ok {
			read[key] = where
		}
	}
	for _, n := range c.graph.Nodes {
		at := []string{"config", "nodes", n.Name}
		for _, text := range n.texts() {
			for _, path := range template.Paths(text) {
				add(path, at)
				c.checkPath(path, at)
			}
		}
		for i, e := range n.Next {
			for _, path := range e.When.Paths() {
				add(path, append(slices.Clip(at), "next", index(i), "when"))
			}
		}
	}
	for i, h := range c.graph.Hooks {
		for _, path := range h.paths() {
			add(path, []string{"config", "hooks", index(i)})
		}
	}
	return read
}

// checkPath notes expressions that look like another language's: there are no filters, brackets or literals.
func (c *checker) checkPath(path string, where []string) {
	if strings.ContainsAny(path, " \t\n[](){}'\"+*/%|:#?") {
		c.note(where, "%s is no path: an expression is ${path} or ${path || path}, and a path is names and numbers with dots", item.Quote(path))
	}
}

// texts lists everything in a node that may hold expressions.
func (n *Node) texts() []string {
	texts := append(textsIn(n.Over), textsIn(n.Output)...)
	if n.Action != nil {
		texts = append(append(texts, n.Action.ItemID), textsIn(n.Action.Params)...)
	}
	for _, a := range n.Assign {
		texts = append(texts, textsIn(a.Value)...)
	}
	return texts
}

func (h *Hook) paths() []string {
	paths := slices.Clone(h.Condition.Paths())
	for _, call := range h.Calls {
		for _, text := range append(textsIn(call.Params), call.ItemID) {
			paths = append(paths, template.Paths(text)...)
		}
	}
	return paths
}

// textsIn lists the texts in a value.
func textsIn(v any) []string {
	var texts []string
	switch v := v.(type) {
	case string:
		return []string{v}
	case []any:
		for _, e := range v {
			texts = append(texts, textsIn(e)...)
		}
	case map[string]any:
		for _, e := range v {
			texts = append(texts, textsIn(e)...)
		}
	}
	return texts
}
