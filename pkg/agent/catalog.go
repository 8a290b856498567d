package agent

import (
	"maps"
	"slices"

	"github.com/ryeos/rye/pkg/item"
)

// Catalog is Definitions that a program has made itself. It is filled before flows run.
type Catalog struct {
	Agents  map[string]*Agent
	Prompts map[string]*Prompt
	Models  map[string]*Model
}

// Agent implements Definitions.
func (c *Catalog) Agent(name string) (*Agent, error) { return find("agent", c.Agents, name) }

// Prompt implements Definitions.
func (c *Catalog) Prompt(name string) (*Prompt, error) { return find("prompt", c.Prompts, name) }

// Model implements Definitions.
func (c *Catalog) Model(name string) (*Model, error) { return find("model", c.Models, name) }

func find[T any](what string, all map[string]*T, name string) (*T, error) {
	if v, ok := all[name]; ok {
		return v, nil
	}
	return nil, item.Errorf(item.TypeNotFound, "%s %q is not registered; there are %q", what, name, slices.Sorted(maps.Keys(all)))
}
