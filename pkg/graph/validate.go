package graph

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/ryeos/rye/pkg/item"
)

// Report is what Validate finds. Errors keep a graph from running; warnings and notes do not.
type Report struct {
	Success   bool
	Errors    []item.Issue
	Warnings  []item.Issue
	Notes     []item.Issue // unknown keys and operators, and the like
	NodeCount int
}

// Fields is the report as callers of a graph see it, with messages alone.
func (r *Report) Fields() map[string]any {
	return map[string]any{
		"success": r.Success, "errors": messages(r.Errors), "warnings": messages(slices.Concat(r.Warnings, r.Notes)), "node_count": r.NodeCount,
	}
}

func messages(issues []item.Issue) []string {
	list := make([]string, len(issues))
	for i, issue := range issues {
		list[i] = issue.Message
	}
	return list
}

// Validate checks a graph without running anything (spec/rye-agent §3.12). Each mistake is reported once, in the order
// of the file.
func (g *Graph) Validate() *Report {
	c := &checker{graph: g, report: &Report{Errors: slices.Clone(g.issues), Notes: slices.Clone(g.notes), NodeCount: len(g.Nodes)}}
	c.top()
	for _, n := range g.Nodes {
		c.links(n)
	}
	c.reachable()
	c.stateKeys()
	r := c.report
	for _, list := range []*[]item.Issue{&r.Errors, &r.Warnings, &r.Notes} {
		*list = inOrder(*list)
	}
	r.Success = len(r.Errors) == 0
	return r
}

func inOrder(issues []item.Issue) []item.Issue {
	issues = slices.Clone(issues)
	slices.SortStableFunc(issues, func(a, b item.Issue) int {
		return cmp.Or(cmp.Compare(a.Pos.Line, b.Pos.Line), cmp.Compare(a.Pos.Column, b.Pos.Column))
	})
	return slices.Compact(issues)
}

type checker struct {
	graph  *Graph
	report *Report
}

// wrong adds an error about the value at a path of the file.
func (c *checker) wrong(path []string, format string, args ...any) {
	c.report.Errors = c.graph.report(c.report.Errors, path, format, args...)
}

func (c *checker) warn(path []string, format string, args ...any) {
	c.report.Warnings = c.graph.report(c.report.Warnings, path, format, args...)
}

func (c *checker) note(path []string, format string, args ...any) {
	c.report.Notes = c.graph.report(c.report.Notes, path, format, args...)
}

func (c *checker) top() {
	g := c.graph
	if len(g.Permissions) == 0 {
		c.wrong([]string{"permissions"}, "graph must declare 'permissions' – a list of capability tokens, as in rye.execute.tool.rye.bash")
	}
	switch {
	case g.Start == "":
		c.wrong([]string{"config"}, "no 'start' node defined")
	case g.Node(g.Start) == nil:
		c.wrong([]string{"config", "start"}, "start node '%s' not found in nodes", g.Start)
	}
	if !slices.ContainsFunc(g.Nodes, func(n *Node) bool { return n.Type == Return }) {
		c.note([]string{"config", "nodes"}, "the graph has no return node: it ends where no edge leads on, without output")
	}
}

// links checks that every name of a node is one.
func (c *checker) links(n *Node) {
	at := func(key string) []string { return []string{"config", "nodes", n.Name, key} }
	for i, e := range n.Next {
		switch {
		case e.To == "" || c.graph.Node(e.To) != nil:
		case len(n.Next) == 1 && e.When == nil:
			c.wrong(at("next"), "node '%s' references unknown node '%s'", n.Name, e.To)
		default:
			c.wrong(append(at("next"), index(i)), "node '%s' edge references unknown node '%s'", n.Name, e.To)
		}
	}
	if n.OnError != "" && c.graph.Node(n.OnError) == nil {
		c.wrong(at("on_error"), "node '%s' on_error references unknown node '%s'", n.Name, n.OnError)
	}
}

// reachable warns of nodes that no way from the start leads to.
func (c *checker) reachable() {
	if c.graph.Node(c.graph.Start) == nil {
		return
	}
	ways := map[string][]string{}
	for _, l := range c.graph.Links() {
		ways[l.From] = append(ways[l.From], l.To)
	}
	seen := map[string]bool{c.graph.Start: true}
	for open := []string{c.graph.Start}; len(open) > 0; {
		node := open[len(open)-1]
		open = open[:len(open)-1]
		for _, to := range ways[node] {
			if !seen[to] {
				seen[to] = true
				open = append(open, to)
			}
		}
	}
	var unreachable []string
	for _, n := range c.graph.Nodes {
		if !seen[n.Name] {
			unreachable = append(unreachable, n.Name)
		}
	}
	if unreachable != nil {
		c.warn([]string{"config", "nodes", unreachable[0]}, "unreachable nodes: %s", strings.Join(unreachable, ", "))
	}
}

// stateKeys warns of keys that are read and never set, or set and never read.
func (c *checker) stateKeys() {
	set, read, all := c.assigned(), c.referenced(), false
	_, all = read[""]
	for _, key := range slices.Sorted(maps.Keys(read)) {
		if _, ok := set[key]; !ok && key != "" {
			c.warn(read[key], "state key '%s' is referenced but never assigned", key)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(set)) {
		if _, ok := read[key]; !ok && !all && set[key] != nil {
			c.warn(set[key], "state key '%s' is assigned but never referenced", key)
		}
	}
}
