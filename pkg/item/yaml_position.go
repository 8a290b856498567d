package item

import (
	"strconv"

	"gopkg.in/yaml.v3"
)

// YAMLTree knows where every value of a YAML file stands. A Document has the positions of its top-level names alone: those
// of deeper values are only asked for when something is wrong with one.
type YAMLTree struct{ root *yaml.Node }

// NewYAMLTree reads a file; one that is no YAML has no values.
func NewYAMLTree(src []byte) YAMLTree {
	src, err := treeText(src)
	if err != nil {
		return YAMLTree{}
	}
	root, err := parseYAML(src)
	if err != nil {
		return YAMLTree{}
	}
	return YAMLTree{root}
}

// Position is where the value at a path of keys and list indices starts, or the nearest value around it that exists.
func (t YAMLTree) Position(path ...string) Position {
	pos := Position{Line: 1, Column: 1}
	n := t.root
	if n == nil {
		return pos
	}
	for _, key := range path {
		if n = yamlChild(n, key); n == nil {
			break
		}
		pos = Position{Line: n.Line, Column: n.Column}
	}
	return pos
}

// yamlChild is the value of a key or an index, nil if there is none.
func yamlChild(n *yaml.Node, key string) *yaml.Node {
	n = resolveAlias(n)
	switch n.Kind {
	case yaml.MappingNode:
		for i := 0; i+1 < len(n.Content); i += 2 {
			if n.Content[i].Kind != yaml.MappingNode && keyText(n.Content[i]) == key {
				return n.Content[i+1]
			}
		}
	case yaml.SequenceNode:
		if i, err := strconv.Atoi(key); err == nil && i >= 0 && i < len(n.Content) {
			return n.Content[i]
		}
	}
	return nil
}
