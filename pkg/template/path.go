package template

import (
	"strconv"
	"strings"

	"github.com/ryeos/rye/pkg/item"
)

// Select is the value at a dotted path: keys of mappings and indices of lists, negative ones from the end. The empty
// path is the document itself. A path that leads nowhere gives nil, as one to a null does.
func Select(document any, path string) any {
	if path == "" {
		return document
	}
	for key := range strings.SplitSeq(path, ".") {
		if document = child(document, key); document == nil {
			return nil
		}
	}
	return document
}

func child(parent any, key string) any {
	switch parent := parent.(type) {
	case map[string]any:
		return parent[key]
	case *item.Object:
		v, _ := parent.Get(key)
		return v
	case []any:
		i, err := strconv.Atoi(key)
		if err == nil && i < 0 {
			i += len(parent)
		}
		if err == nil && i >= 0 && i < len(parent) {
			return parent[i]
		}
	}
	return nil
}
