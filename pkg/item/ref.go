package item

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Bounds of an id, in bytes. They keep every path that rye builds below what file systems take.
const (
	maxIDLength      = 512
	maxSegmentLength = 200
)

// Ref names an item: `tool:rye/bash`. An empty Kind is a plain id, for which a tool and a directive are looked up
// (design §2 row 1).
type Ref struct {
	Kind Kind
	ID   string
}

func (r Ref) String() string {
	if r.Kind == "" {
		return r.ID
	}
	return string(r.Kind) + ":" + r.ID
}

// With is the same id as another kind.
func (r Ref) With(k Kind) Ref { return Ref{Kind: k, ID: r.ID} }

// ParseRef reads a canonical ref or a plain id. It refuses whatever could leave the kind's folder or hide in an output
// before anything looks at a disk.
func ParseRef(s string) (Ref, error) {
	kind, id, found := strings.Cut(s, ":")
	if !found {
		return Ref{ID: s}, ValidateID(s)
	}
	k, err := ParseKind(kind)
	if err != nil || string(k) != kind {
		return Ref{}, Usagef("unknown kind in %s: a reference starts with one of %s:", Quote(s), strings.Join(KindNames(), ":, "))
	}
	if id == "" {
		return Ref{}, Usagef("the reference %q needs an id after the colon, as in '%s:my/item'", s, kind)
	}
	return Ref{Kind: k, ID: id}, ValidateID(id)
}

// ValidateID tells why an id is not a clean relative slash path. Ids come from command lines, from agents and from
// executor_id fields of files, so nothing here may depend on a file system.
func ValidateID(id string) error {
	switch {
	case id == "":
		return Usagef("the item id is empty")
	case len(id) > maxIDLength:
		return Usagef("the item id is %d bytes long; at most %d are allowed", len(id), maxIDLength)
	case !utf8.ValidString(id):
		return Usagef("the item id %s is not valid UTF-8", Quote(id))
	case strings.HasPrefix(id, "/"):
		return Usagef("the item id %s is absolute: an id is relative to its kind's folder, as in 'my/tool'", Quote(id))
	case strings.ContainsAny(id, `\:`):
		return Usagef("the item id %s holds a backslash or a colon: use '/' between its parts", Quote(id))
	}
	for _, r := range id {
		if unicode.IsControl(r) || isInvisible(r) {
			return Usagef("the item id %s holds a control or invisible character", Quote(id))
		}
	}
	for seg := range strings.SplitSeq(id, "/") {
		switch {
		case seg == "":
			return Usagef("the item id %s has an empty part", Quote(id))
		case seg == "." || seg == "..":
			return Usagef("the item id %s holds %q: an id cannot leave its folder", Quote(id), seg)
		case len(seg) > maxSegmentLength:
			return Usagef("the item id has a part of %d bytes; at most %d are allowed", len(seg), maxSegmentLength)
		}
	}
	return nil
}

// isInvisible is true for characters that change how text around them is shown (bidi overrides, zero-width marks).
func isInvisible(r rune) bool { return unicode.Is(unicode.Cf, r) || r == '\u2028' || r == '\u2029' }

// Base is the last part of the id, the file's name without its extension.
func (r Ref) Base() string { return r.ID[strings.LastIndexByte(r.ID, '/')+1:] }

// Category is the id without its last part: the folder below the kind's folder, "" at the top.
func (r Ref) Category() string {
	i := strings.LastIndexByte(r.ID, '/')
	if i < 0 {
		return ""
	}
	return r.ID[:i]
}
