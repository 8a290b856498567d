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
		if _, n = yamlChild(n, key); n == nil {
			break
		}
		pos = Position{Line: n.Line, Column: n.Column}
	}
	return pos
}

// Key is where the last key of a path is written; of an index, and of what does not exist, it is Position.
func (t YAMLTree) Key(path ...string) Position {
	if t.root == nil || len(path) == 0 {
		return t.Position()
	}
	n, last := t.root, len(path)-1
	for _, key := range path[:last] {
		if _, n = yamlChild(n, key); n == nil {
			return t.Position(path...)
		}
	}
	if name, _ := yamlChild(n, path[last]); name != nil {
		return Position{Line: name.Line, Column: name.Column}
	}
	return t.Position(path...)
}

// yamlChild is the value of a key, with the key, or of an index; nil if there is none.
func yamlChild(n *yaml.Node, key string) (name, value *yaml.Node) {
	n = resolveAlias(n)
	switch n.Kind {
	case yaml.MappingNode:
		for i := 0; i+1 < len(n.Content); i += 2 {
			if n.Content[i].Kind != yaml.MappingNode && keyText(n.Content[i]) == key {
				return n.Content[i], n.Content[i+1]
			}
		}
	case yaml.SequenceNode:
		if i, err := strconv.Atoi(key); err == nil && i >= 0 && i < len(n.Content) {
			return nil, n.Content[i]
		}
	}
	return nil, nil
}
