package graph

import (
	"github.com/ryeos/rye/pkg/item"
	"github.com/ryeos/rye/pkg/template"
)

// Graph is what a state graph file says (spec/rye-agent §3.1). It may be wrong in ways that Validate finds.
type Graph struct {
	File        string
	ID          string // category/name
	Category    string
	Version     string
	Description string
	Permissions Capabilities
	EnvRequires []string
	Parameters  []item.Parameter // of config_schema

	Start          string
	MaxSteps       int // 0: not declared
	MaxConcurrency int // 0: not declared
	OnError        string
	State          map[string]any // initial
	Hooks          []Hook
	Nodes          []*Node // in the order of the file

	Digest string // of the file's config

	byName map[string]*Node
	issues []item.Issue // what Parse could not make sense of
	notes  []item.Issue
	tree   func() item.YAMLTree
}

// Node gives a node by its name, nil if there is none.
func (g *Graph) Node(name string) *Node { return g.byName[name] }

// NodeType is what a node is for. The type of a node that declares none is Do.
type NodeType string

// The types of nodes.
const (
	Do      NodeType = ""
	Gate    NodeType = "gate"
	Foreach NodeType = "foreach"
	Return  NodeType = "return"
)

// Node is one step of a graph. Fields that do not belong to its type are zero.
type Node struct {
	Name        string
	Type        NodeType
	Action      *Call
	Assign      []Assignment // in the order of the file: later ones see earlier ones
	Next        []Edge
	OnError     string
	EnvRequires []string
	CacheResult bool
	Idempotent  bool // executing the action again is safe
	Remote      string

	Over           any // foreach
	As             string
	Collect        string
	Parallel       bool
	MaxConcurrency int

	Output any // return
}

// Repeatable tells whether the node's action may be executed again when it may have happened already.
func (n *Node) Repeatable() bool { return n.Idempotent || n.CacheResult }

// Call is an action as it is written, with its expressions.
type Call struct {
	Primary string
	Kind    string // of an item_id that is no canonical reference
	ItemID  string
	Params  any
	Async   bool
}

// Assignment sets one key of the state.
type Assignment struct {
	Key   string
	Value any
}

// Edge leads to the next node if its condition holds.
type Edge struct {
	To   string
	When *template.Condition
}

// Link is a line of the drawing of a graph.
type Link struct {
	From, To string
	Kind     string // next, when, on_error
}

// Links lists every way from a node to another, in the order of the file.
func (g *Graph) Links() []Link {
	var links []Link
	for _, n := range g.Nodes {
		for _, e := range n.Next {
			kind := "next"
			if e.When != nil {
				kind = "when"
			}
			links = append(links, Link{n.Name, e.To, kind})
		}
		if n.OnError != "" {
			links = append(links, Link{n.Name, n.OnError, "on_error"})
		}
	}
	return links
}
