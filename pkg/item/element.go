package item

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"iter"
	"strings"
)

// Element is one XML element of a directive, with all that stands in it. Comments are left out, and so is the content of
// opaque elements, which only Source has.
type Element struct {
	Name       string
	Attributes *Object // name → string
	Children   []*Element
	Text       string // of the element and of those in it, without space around it
	OwnText    string // likewise, without that of the children
	Source     string // as it is written, with its tags
	Pos        Position

	start, end int // of its text in the text of the whole document
	offset     int // of its source
}

// All walks the children of a name. The nil *Element has none.
func (e *Element) All(name string) iter.Seq[*Element] {
	return func(yield func(*Element) bool) {
		if e == nil {
			return
		}
		for _, child := range e.Children {
			if child.Name == name && !yield(child) {
				return
			}
		}
	}
}

// Flag reports whether an attribute says true, in capitals or not.
func (e *Element) Flag(name string) bool { return strings.EqualFold(e.Attributes.String(name), "true") }

// Content is what is written between the element's tags.
func (e *Element) Content() string {
	_, content, _ := strings.Cut(e.Source, ">")
	if end := strings.LastIndexByte(content, '<'); end >= 0 {
		return content[:end]
	}
	return ""
}

// Bounds of a document, far above what a directive needs, so that whoever reads one can compare all with all.
const (
	maxElements   = 10_000
	maxAttributes = 50
)

// readElements reads a document of one element that is named root.
func readElements(src []byte, root string) (*Element, error) {
	if len(src) > maxTree {
		return nil, syntaxErrorAt(src, maxTree, "the XML is longer than %d bytes", maxTree)
	}
	r := &elementReader{src: src, source: string(src), cursor: newPositionCursor(src), name: root}
	r.dec = xml.NewDecoder(bytes.NewReader(maskOpaque(src)))
	for {
		offset := int(r.dec.InputOffset())
		token, err := r.dec.Token()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, r.invalid(err)
		}
		if err := r.token(token, offset); err != nil {
			return nil, err
		}
	}
	if r.root == nil {
		return nil, syntaxErrorAt(src, len(src), "Invalid XML: there is no <%s> element", root)
	}
	r.root.takeText(r.text.String())
	return r.root, nil
}

// elementReader builds the tree. Text is gathered once for the whole document, of which every element has a part.
type elementReader struct {
	src    []byte
	source string
	name   string // that the root must have
	dec    *xml.Decoder
	cursor *positionCursor

	root  *Element
	open  []*Element
	count int
	text  strings.Builder
}

func (r *elementReader) token(token xml.Token, offset int) error {
	switch token := token.(type) {
	case xml.StartElement:
		return r.begin(token, offset)
	case xml.EndElement:
		e := r.open[len(r.open)-1]
		e.end, e.Source = r.text.Len(), r.source[e.offset:r.dec.InputOffset()]
		r.open = r.open[:len(r.open)-1]
	case xml.CharData:
		if len(r.open) == 0 && len(bytes.TrimSpace(token)) > 0 {
			return syntaxErrorAt(r.src, offset, "Invalid XML: text outside of <%s>", r.name)
		}
		r.text.Write(token)
	case xml.Directive:
		return syntaxErrorAt(r.src, offset, "Invalid XML: declarations such as <!DOCTYPE> and <!ENTITY> are not allowed")
	}
	return nil
}

func (r *elementReader) begin(token xml.StartElement, offset int) error {
	name := fullName(token.Name)
	switch r.count++; {
	case len(r.open) == maxDepth:
		return tooDeep(r.src, offset)
	case r.count > maxElements:
		return syntaxErrorAt(r.src, offset, "Invalid XML: more than %d elements", maxElements)
	case len(r.open) > 0:
	case r.root != nil:
		return syntaxErrorAt(r.src, offset, "Invalid XML: a second root element <%s>", plainText(name))
	case name != r.name:
		return syntaxErrorAt(r.src, offset, "Invalid XML: the root element is <%s>, not <%s>", plainText(name), r.name)
	}
	e := &Element{Name: name, Pos: r.cursor.at(offset), offset: offset, start: r.text.Len()}
	if err := r.attributes(e, token.Attr); err != nil {
		return err
	}
	if len(r.open) > 0 {
		parent := r.open[len(r.open)-1]
		parent.Children = append(parent.Children, e)
	} else {
		r.root = e
	}
	r.open = append(r.open, e)
	return nil
}

func (r *elementReader) attributes(e *Element, list []xml.Attr) error {
	if len(list) > maxAttributes {
		return syntaxErrorAt(r.src, e.offset, "Invalid XML: <%s> has more than %d attributes", plainText(e.Name), maxAttributes)
	}
	if len(list) > 0 {
		e.Attributes = NewObject()
	}
	for _, a := range list {
		name := fullName(a.Name)
		if _, again := e.Attributes.Get(name); again {
			return syntaxErrorAt(r.src, e.offset, "Invalid XML: <%s> has the attribute %s twice", plainText(e.Name), plainText(name))
		}
		e.Attributes.Set(name, a.Value)
	}
	return nil
}

// fullName keeps a name space, so that <x:permissions> is not taken for <permissions>.
func fullName(name xml.Name) string {
	if name.Space == "" {
		return name.Local
	}
	return name.Space + ":" + name.Local
}

func (r *elementReader) invalid(err error) error {
	message := err.Error()
	var syntax *xml.SyntaxError
	if errors.As(err, &syntax) {
		message = syntax.Msg
	}
	return syntaxErrorAt(r.src, int(r.dec.InputOffset()), "Invalid XML: %s", plainText(message))
}

func (e *Element) takeText(all string) {
	e.Text = strings.TrimSpace(all[e.start:e.end])
	var own strings.Builder
	from := e.start
	for _, child := range e.Children {
		own.WriteString(all[from:child.start])
		from = child.end
		child.takeText(all)
	}
	own.WriteString(all[from:e.end])
	e.OwnText = strings.TrimSpace(own.String())
}
