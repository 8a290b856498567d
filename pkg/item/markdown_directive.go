package item

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"strings"
)

// opaqueTags are the elements of a directive whose content may be any text (spec/rye-core §2.4).
var opaqueTags = []string{"template", "example", "raw"}

// readDirectiveXML reads what identifies a directive: the attributes of its root, its description and the children of
// <metadata> as text. The rest of the language belongs to the directive's own parser.
func readDirectiveXML(src []byte) (*Document, error) {
	r := &directiveReader{src: src, doc: newDocument(), cursor: newPositionCursor(src)}
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
	if !r.rooted {
		return nil, syntaxErrorAt(src, len(src), "Invalid XML: there is no <directive> element")
	}
	return r.doc, nil
}

type directiveReader struct {
	src    []byte
	dec    *xml.Decoder
	doc    *Document
	cursor *positionCursor

	path   []string // names of the open elements
	rooted bool     // the root element was seen
	text   strings.Builder
	start  Position // of the element whose text is collected
}

func (r *directiveReader) token(token xml.Token, offset int) error {
	switch token := token.(type) {
	case xml.StartElement:
		r.path = append(r.path, token.Name.Local)
		if len(r.path) == 1 {
			return r.root(token, offset)
		}
		if r.collects() {
			r.text.Reset()
			r.start = r.cursor.at(offset)
		}
	case xml.EndElement:
		if r.collects() {
			r.record(r.path[len(r.path)-1])
		}
		r.path = r.path[:len(r.path)-1]
	case xml.CharData:
		if len(r.path) == 0 && len(bytes.TrimSpace(token)) > 0 {
			return syntaxErrorAt(r.src, offset, "Invalid XML: text outside of <directive>")
		}
		r.text.Write(token)
	}
	return nil
}

func (r *directiveReader) root(element xml.StartElement, offset int) error {
	switch {
	case r.rooted:
		return syntaxErrorAt(r.src, offset, "Invalid XML: a second root element <%s>", plainText(element.Name.Local))
	case element.Name.Local != "directive":
		return syntaxErrorAt(r.src, offset, "Invalid XML: the root element is <%s>, not <directive>", plainText(element.Name.Local))
	}
	r.rooted = true
	for _, a := range element.Attr {
		switch name := a.Name.Local; name {
		case "name", "version", "extends":
			if _, again := r.doc.Values.Get(name); again {
				return syntaxErrorAt(r.src, offset, "Invalid XML: <directive> has the attribute %s twice", name)
			}
			r.doc.set(name, a.Value, r.cursor.at(offset))
		}
	}
	return nil
}

// collects reports whether the innermost element is one whose text is kept.
func (r *directiveReader) collects() bool {
	switch len(r.path) {
	case 2:
		return r.path[1] == "description"
	case 3:
		return r.path[1] == "metadata"
	}
	return false
}

// record keeps the first text of a name, except that the root's own description beats that of <metadata>.
func (r *directiveReader) record(name string) {
	_, again := r.doc.Values.Get(name)
	if !again || name == "description" && len(r.path) == 2 {
		r.doc.set(name, strings.TrimSpace(r.text.String()), r.start)
	}
}

func (r *directiveReader) invalid(err error) error {
	message := err.Error()
	var syntax *xml.SyntaxError
	if errors.As(err, &syntax) {
		message = syntax.Msg
	}
	return syntaxErrorAt(r.src, int(r.dec.InputOffset()), "Invalid XML: %s", plainText(message))
}

// maskOpaque blanks the content of the opaque elements and keeps every line and offset in place.
func maskOpaque(src []byte) []byte {
	m := opaqueMasker{src: src, masked: bytes.Clone(src), ends: map[string]int{}}
	for offset := 0; ; {
		i := bytes.IndexByte(src[offset:], '<')
		if i < 0 {
			return m.masked
		}
		offset = m.element(offset + i)
	}
}

type opaqueMasker struct {
	src, masked []byte
	ends        map[string]int // where the next end of each tag is, so that the same one is not looked for again and again
}

// element blanks an opaque element that opens at offset, and returns where the next one may open.
func (m *opaqueMasker) element(offset int) (next int) {
	rest := m.src[offset:]
	for _, skip := range [][2]string{{"<!--", "-->"}, {"<![CDATA[", "]]>"}} {
		if bytes.HasPrefix(rest, []byte(skip[0])) {
			if end := bytes.Index(rest, []byte(skip[1])); end >= 0 {
				return offset + end
			}
			return len(m.src)
		}
	}
	tag := opaqueTag(rest)
	if tag == "" {
		return offset + 1
	}
	end := m.end(tag, offset)
	if end == len(m.src) {
		return offset + 1
	}
	open := bytes.IndexByte(m.src[offset:end], '>')
	switch {
	case open < 0:
		return end
	case rest[open-1] == '/':
		return offset + open
	}
	for i := offset + open + 1; i < end; i++ {
		if m.masked[i] != '\n' {
			m.masked[i] = ' '
		}
	}
	return end + 1
}

// end is the offset of the next end of the tag, the length of the text if there is none.
func (m *opaqueMasker) end(tag string, offset int) int {
	end, known := m.ends[tag]
	if !known || end < offset {
		end = len(m.src)
		if i := bytes.Index(m.src[offset:], []byte("</"+tag+">")); i >= 0 {
			end = offset + i
		}
		m.ends[tag] = end
	}
	return end
}

// opaqueTag is the name of the opaque element that opens at the start of text, or "".
func opaqueTag(text []byte) string {
	for _, tag := range opaqueTags {
		if n := len(tag) + 1; len(text) > n && string(text[1:n]) == tag && strings.IndexByte(" \t\r\n>/", text[n]) >= 0 {
			return tag
		}
	}
	return ""
}
