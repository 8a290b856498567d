package agent

import (
	"maps"
	"slices"

	"github.com/ryeos/rye/pkg/item"
)

// Catalog is Definitions that a program has made itself, each by its name; one that does not say it has that of its place. It
// is filled before flows run.
type Catalog struct {
	Agents  map[string]*Agent
	Prompts map[string]*Prompt
	Models  map[string]*Model
}

// Agent implements Definitions.
func (c *Catalog) Agent(name string) (*Agent, error) {
	return find("agent", c.Agents, name, func(a *Agent) *string { return &a.Name })
}

// Prompt implements Definitions.
func (c *Catalog) Prompt(name string) (*Prompt, error) {
	return find("prompt", c.Prompts, name, func(p *Prompt) *string { return &p.Name })
}

// Model implements Definitions.
func (c *Catalog) Model(name string) (*Model, error) {
	return find("model", c.Models, name, func(m *Model) *string { return &m.Name })
}

func find[T any](what string, all map[string]*T, name string, own func(*T) *string) (*T, error) {
	v, ok := all[name]
	switch {
	case ok && *own(v) == "":
		named := *v
		*own(&named) = name
		return &named, nil
	case ok:
		return v, nil
	}
	return nil, item.Errorf(item.TypeNotFound, "%s %q is not registered; there are %q", what, name, slices.Sorted(maps.Keys(all)))
}
