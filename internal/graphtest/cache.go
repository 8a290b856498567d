package graphtest

import (
	"sync"

	"github.com/ryeos/rye/pkg/graph"
	"github.com/ryeos/rye/pkg/item"
)

// Cache is a cache in memory.
type Cache struct {
	Version string // of everything outside the action

	mu      sync.Mutex
	results map[string]map[string]any
}

var _ graph.Cache = (*Cache)(nil)

// Snapshot is the item with the version.
func (c *Cache) Snapshot(ref item.Ref) (string, error) { return ref.String() + c.Version, nil }

// Get looks a result up.
func (c *Cache) Get(key string) (map[string]any, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	result, ok := c.results[key]
	return result, ok
}

// Put keeps a result.
func (c *Cache) Put(key, node string, result map[string]any) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.results == nil {
		c.results = map[string]map[string]any{}
	}
	c.results[key] = result
	return nil
}

// Len is how many results there are.
func (c *Cache) Len() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.results)
}
