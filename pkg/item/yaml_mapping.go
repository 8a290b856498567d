package item

import "gopkg.in/yaml.v3"

// mapping reads the pairs of a mapping in their order and, when positions is not nil, notes where each value starts.
// What `<<` merges in takes the place of that key and yields to keys that the mapping has itself.
func (r *yamlReader) mapping(n *yaml.Node, depth int, positions map[string]Position) (*Object, error) {
	if n.ShortTag() != "!!map" {
		return nil, r.unknownTag(n)
	}
	lines, err := r.keys(n)
	if err != nil {
		return nil, err
	}
	object := NewObject()
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		v, err := r.value(value, depth+1)
		if err != nil {
			return nil, err
		}
		set := func(name string, v any) {
			object.Set(name, v)
			if positions != nil {
				positions[name] = Position{Line: value.Line, Column: value.Column}
			}
		}
		if !isMerge(key) {
			set(keyText(key), v)
			continue
		}
		err = r.merge(value, v, func(name string, v any) {
			_, own := lines[name]
			if _, exists := object.Get(name); !own && !exists {
				set(name, v)
			}
		})
		if err != nil {
			return nil, err
		}
	}
	return object, nil
}

// keys finds the line of every key, and refuses duplicates and keys that are no text.
func (r *yamlReader) keys(n *yaml.Node) (map[string]int, error) {
	lines := map[string]int{}
	merges := 0
	for i := 0; i+1 < len(n.Content); i += 2 {
		key := n.Content[i]
		if isMerge(key) {
			if merges++; merges > 1 {
				return nil, r.fail(key, "a second '<<' in one mapping: merge a list, as in '<<: [*a, *b]'")
			}
			continue
		}
		if resolveAlias(key).Kind != yaml.ScalarNode {
			return nil, r.fail(key, "a key must be text, not a list or a mapping")
		}
		name := keyText(key)
		if line, again := lines[name]; again {
			return nil, r.fail(key, "duplicate key %s: line %d has it already", Quote(name), line)
		}
		lines[name] = key.Line
	}
	return lines, nil
}

// merge gives the pairs of a merged mapping, or of a list of them, to add.
func (r *yamlReader) merge(n *yaml.Node, v any, add func(name string, v any)) error {
	list, ok := v.([]any)
	if !ok {
		list = []any{v}
	}
	for _, v := range list {
		object, ok := v.(*Object)
		if !ok {
			return r.fail(n, "'<<' merges a mapping or a list of mappings, as in '<<: *defaults'")
		}
		for name, v := range object.All() {
			add(name, v)
		}
	}
	return nil
}

func isMerge(key *yaml.Node) bool { return key.Kind == yaml.ScalarNode && key.ShortTag() == "!!merge" }

// keyText is a key as it is written, without its quotes: `1` and `true` are names like any other.
func keyText(key *yaml.Node) string { return resolveAlias(key).Value }

func resolveAlias(n *yaml.Node) *yaml.Node {
	if n.Kind == yaml.AliasNode {
		return n.Alias
	}
	return n
}
