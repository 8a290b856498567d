package directive

import (
	"slices"
	"strings"

	"github.com/ryeos/rye/pkg/item"
)

// Context is the knowledge that a thread starts with, as ids, in order (spec/rye-agent §1.6).
type Context struct {
	System   []string `json:"system,omitempty"`
	Before   []string `json:"before,omitempty"`
	After    []string `json:"after,omitempty"`
	Suppress []string `json:"suppress,omitempty"` // ids of knowledge, or of hooks, to leave out
}

// positions are the lists of knowledge, by the names of their elements.
func (c *Context) positions() map[string]*[]string {
	return map[string]*[]string{"system": &c.System, "before": &c.Before, "after": &c.After}
}

func (r *reader) context(e *item.Element) Context {
	r.children(e, "system", "before", "after", "suppress")
	var c Context
	lists := c.positions()
	for _, child := range e.Children {
		id := strings.TrimPrefix(child.Text, "knowledge:")
		list, isKnowledge := lists[child.Name]
		switch err := item.ValidateID(id); {
		case isKnowledge && err != nil:
			r.fail(child, "<%s> must hold the id of a knowledge entry: %v", child.Name, err)
		case isKnowledge:
			*list = append(*list, id)
		case child.Name == "suppress":
			c.Suppress = append(c.Suppress, id)
		}
	}
	return c
}

// add appends what another context has and this one lacks.
func (c *Context) add(other Context) {
	lists := c.positions()
	for position, ids := range other.positions() {
		appendNew(lists[position], *ids)
	}
	appendNew(&c.Suppress, other.Suppress)
}

func appendNew(list *[]string, ids []string) {
	for _, id := range ids {
		if !slices.Contains(*list, id) {
			*list = append(*list, id)
		}
	}
}

// suppress takes out what is not to be loaded.
func (c *Context) suppress() {
	for _, list := range c.positions() {
		*list = slices.DeleteFunc(*list, func(id string) bool { return slices.Contains(c.Suppress, id) })
	}
}
