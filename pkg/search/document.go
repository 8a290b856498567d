package search

import (
	"fmt"
	"path"
	"strings"
	"unicode/utf8"

	"github.com/ryeos/rye/pkg/item"
)

// HeadSize is how much of a file is searched, in bytes. What comes after it is not, so that a few enormous files cannot
// make every search slow.
const HeadSize = 256 << 10

// Document is the text of one item, by field.
type Document struct {
	Name        string // the id
	Title       string
	Description string
	Category    string
	Tags        []string
	Body        string
}

// Read takes a file's start apart. A file that does not parse, as one that was cut off may not, is all body. ok is false
// for what is no item: a library file among the tools.
func Read(ref item.Ref, file string, head []byte) (doc Document, ok bool) {
	doc = Document{Name: ref.ID, Category: ref.Category()}
	head = head[:wholeRunes(head)]
	meta, err := item.ParseMetadata(ref.Kind, file, head)
	if err != nil {
		doc.Body = string(head)
		return doc, true
	}
	if !item.IsItem(ref.Kind, meta) {
		return doc, false
	}
	doc.Title, doc.Description = meta.Document.Values.String("title"), meta.Description
	if meta.Category != "" {
		doc.Category = meta.Category
	}
	doc.Tags = tagsOf(meta.Document.Values)
	switch {
	case ref.Kind == item.Tool: // its code would drown what it says about itself
		doc.Body = toolText(meta)
	case path.Ext(file) == ".md":
		doc.Body = meta.Document.Body
	default:
		doc.Body = string(head)
	}
	return doc, true
}

// wholeRunes is the length of head without a character that the end cuts in two.
func wholeRunes(head []byte) int {
	for n := len(head); n > 0 && n > len(head)-utf8.UTFMax; n-- {
		if utf8.RuneStart(head[n-1]) {
			if utf8.FullRune(head[n-1:]) {
				return len(head)
			}
			return n - 1
		}
	}
	return len(head)
}

// tagsOf reads `tags`: a list, or one text with commas.
func tagsOf(values *item.Object) []string {
	v, _ := values.Get("tags")
	switch v := v.(type) {
	case string:
		return strings.FieldsFunc(v, func(r rune) bool { return r == ',' || r == ' ' })
	case []any:
		var tags []string
		for _, tag := range v {
			tags = append(tags, fmt.Sprint(item.Plain(tag)))
		}
		return tags
	}
	return nil
}

// toolText is a tool's docstring and what it says about its parameters.
func toolText(meta *item.Metadata) string {
	text := meta.Document.Docstring
	for _, p := range meta.Parameters() {
		text += "\n" + p.Name + " " + p.Description
	}
	return text
}
