package item

import (
	"bytes"
	"strings"
)

// opaqueTags are the elements of a directive whose content may be any text (spec/rye-core §2.4).
var opaqueTags = []string{"template", "example", "raw"}

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
