package graph

import (
	"strconv"
	"strings"

	"github.com/ryeos/rye/pkg/item"
	"github.com/ryeos/rye/pkg/template"
)

func index(i int) string { return strconv.Itoa(i) }

func (p *parser) node(name string, f field) *Node {
	f.object()
	n := &Node{
		Name: name, Type: NodeType(f.at("type").text()),
		OnError: f.at("on_error").text(), EnvRequires: f.at("env_requires").texts(),
		CacheResult: f.at("cache_result").flag(), Idempotent: f.at("idempotent").flag(),
		Remote: f.at("remote").text(), Collect: f.at("collect").text(),
		Parallel: f.at("parallel").flag(), MaxConcurrency: f.at("max_concurrency").count(),
		Over: f.at("over").template(), As: "item", Output: map[string]any{},
	}
	if cache := f.at("cache"); cache.value != nil && f.at("cache_result").value == nil {
		n.CacheResult = cache.flag()
	}
	if as := f.at("as"); as.value != nil {
		n.As = as.text()
	}
	if output := f.at("output"); output.value != nil {
		n.Output = output.template()
	}
	n.Action = p.call(f.at("action"))
	for key := range f.at("assign").object().All() {
		n.Assign = append(n.Assign, Assignment{key, f.at("assign").at(key).template()})
	}
	n.Next = p.edges(f.at("next"))
	if n.Type != Return {
		f.know("type", "action", "assign", "next", "on_error", "over", "as", "collect", "parallel", "max_concurrency",
			"env_requires", "cache_result", "cache", "idempotent", "remote", "output", "description")
	}
	f.checkNode(n)
	return n
}

// checkNode reports a node that cannot run.
func (f field) checkNode(n *Node) {
	switch n.Type {
	case Gate, Return:
	case Foreach:
		if n.Over == nil {
			f.wrong("foreach node '%s' missing 'over' expression", n.Name)
		}
		if n.Action == nil {
			f.wrong("foreach node '%s' missing 'action'", n.Name)
		} else if params, _ := n.Action.Params.(map[string]any); n.Action.Async || params["async"] == true {
			f.wrong("foreach node '%s': async actions are not supported – use `parallel: true` at node level", n.Name)
		}
		if len(n.Assign) > 0 {
			f.at("assign").note("foreach node '%s' ignores 'assign': use 'collect'", n.Name)
		}
	case Do:
		if n.Action == nil {
			f.wrong("node '%s' must define 'action' or use type return, foreach or gate", n.Name)
		}
	default:
		f.wrong("node '%s' has an unknown type %s", n.Name, item.Quote(string(n.Type)))
	}
}

// call reads an action. Older files write item_type (or kind) beside an id without a kind.
func (p *parser) call(f field) *Call {
	if f.object() == nil {
		return nil
	}
	kind := f.at("item_type")
	if kind.value == nil {
		kind = f.at("kind")
	}
	c := &Call{
		Primary: f.at("primary").textOf("execute", "fetch", "sign"), Kind: kind.text(),
		ItemID: f.at("item_id").text(), Params: f.at("params").template(), Async: f.at("async").flag(),
	}
	f.at("params").object()
	if c.ItemID == "" && c.Primary != "fetch" {
		f.fail("needs an item_id, as in tool:rye/bash")
	}
	if strings.Contains(c.ItemID, "${") || c.ItemID == "" {
		return c
	}
	if ref, err := c.ref(c.ItemID); err != nil {
		f.at("item_id").fail("is not the id of an item: %v", err)
	} else if ref.Kind == "" {
		f.at("item_id").fail("must be a canonical ref, as in tool:%s", ref.ID)
	}
	return c
}

// ref reads an item id, after its expressions were filled.
func (c *Call) ref(id string) (item.Ref, error) {
	ref, err := item.ParseRef(id)
	if err != nil || ref.Kind != "" || c.Kind == "" {
		return ref, err
	}
	kind, err := item.ParseKind(c.Kind)
	return ref.With(kind), err
}

// edges reads `next`: the name of a node, or a list of {to, when}.
func (p *parser) edges(f field) []Edge {
	switch next := f.value.(type) {
	case nil:
		return nil
	case string:
		return []Edge{{To: next}}
	case []any:
		var edges []Edge
		for _, e := range f.elements(next) {
			edges = append(edges, p.edge(e))
		}
		return edges
	}
	f.fail("must be the name of a node, or a list of {to, when}")
	return nil
}

func (p *parser) edge(f field) Edge {
	if to, ok := f.value.(string); ok {
		return Edge{To: to}
	}
	f.object()
	e := Edge{To: f.at("to").text()}
	if e.To == "" {
		f.fail("needs 'to', the name of a node")
	}
	e.When = f.at("when").condition()
	f.know("to", "when", "description")
	return e
}

func (f field) condition() *template.Condition {
	condition, problems := template.NewCondition(f.template())
	for _, problem := range problems {
		f.note("%s: %s", f.name(), problem)
	}
	return condition
}
