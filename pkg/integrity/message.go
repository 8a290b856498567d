package integrity

import (
	"encoding/binary"
	"io/fs"
	"slices"
	"strings"

	"github.com/ryeos/rye/pkg/item"
)

// domain separates the signatures of items from everything else that a key may sign.
const domain = "rye-item-v2"

// identity is what a signature binds besides the content: a kind and a slash path with its extension. The path is below
// the kind's folder; that of a dependency is below the directory that holds `.ai`.
type identity struct {
	kind item.Kind
	path string
}

func (id identity) validate() error {
	if id.kind != item.Dependency && !slices.Contains(item.Kinds(), id.kind) {
		return item.Errorf(item.TypeInternal, "a signature cannot bind the unknown kind %q", string(id.kind))
	}
	if !fs.ValidPath(id.path) || id.path == "." {
		return item.Errorf(item.TypeInternal, "a signature cannot bind %s: it is not a clean relative slash path",
			item.Quote(id.path))
	}
	return nil
}

// message is what a version 2 signature covers (design §7): each field as its length in 8 bytes, big-endian, and its
// bytes, so that no two different lists of fields have the same encoding.
func (id identity) message(line Line) []byte {
	fields := [...]string{domain, string(id.kind), id.path, line.timestamp(), string(line.Digest[:]), line.Signer}
	size := 0
	for _, field := range fields {
		size += 8 + len(field)
	}
	message := make([]byte, 0, size)
	for _, field := range fields {
		message = binary.BigEndian.AppendUint64(message, uint64(len(field)))
		message = append(message, field...)
	}
	return message
}

// alternatives are the other identities that the same file could have been signed with.
func (id identity) alternatives() []identity {
	var others []identity
	if id.kind == item.Dependency {
		if kind, path, ok := item.SplitPath(strings.TrimPrefix(id.path, ".ai/")); ok {
			others = append(others, identity{kind, path})
		}
		return others
	}
	for _, kind := range item.Kinds() {
		if kind != id.kind {
			others = append(others, identity{kind, id.path})
		}
	}
	return append(others, identity{item.Dependency, ".ai/" + id.kind.Dir() + "/" + id.path})
}
