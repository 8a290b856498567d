package item

import (
	"bytes"
	"slices"
	"strings"
)

const frontMatterMessage = "Found --- YAML frontmatter (unsupported). " +
	"Use a ```yaml fenced code block for metadata instead."

// ReadMarkdown reads the metadata fence of a Markdown item: ```yaml of a knowledge entry or ```xml of a directive,
// whichever comes first (spec/rye-core §2.3, §2.4). The Body is the text after the fence, or the whole text when there
// is no such fence.
func ReadMarkdown(data []byte) (*Document, error) {
	doc, found, err := readFence(data, "yaml", "xml")
	if err != nil || found {
		return doc, err
	}
	text, err := sourceText(data)
	if err != nil {
		return nil, err
	}
	if rest := skipComment(text); bytes.HasPrefix(rest, []byte("---")) {
		return nil, syntaxErrorAt(text, len(text)-len(rest), "%s", frontMatterMessage)
	}
	doc.Body = string(bytes.TrimSpace(text))
	return doc, nil
}

// skipComment takes the space and the one HTML comment (the signature line) off the start.
func skipComment(text []byte) []byte {
	rest := bytes.TrimLeft(text, " \t\r\n")
	if bytes.HasPrefix(rest, []byte("<!--")) {
		if _, after, closed := bytes.Cut(rest, []byte("-->")); closed {
			rest = after
		}
	}
	return bytes.TrimLeft(rest, " \t\r\n")
}

// readFence reads the first fence in one of the languages. The documents of the two are kept apart by the caller, who
// knows which kind of item it reads.
func readFence(data []byte, languages ...string) (doc *Document, found bool, err error) {
	src, err := sourceText(data)
	if err != nil {
		return nil, false, err
	}
	fence, found := findFence(src, languages...)
	if !found {
		return newDocument(), false, nil
	}
	if !fence.closed {
		return nil, true, syntaxErrorAt(src, fence.start, "the %s block that starts here is never closed: add a line of %s",
			fence.language, fence.mark)
	}
	read := readYAML
	if fence.language == "xml" {
		read = readDirectiveXML
	}
	// What stands before is blanked, not cut off, so that lines keep their numbers.
	doc, err = read(slices.Concat(blank(src[:fence.text]), src[fence.text:fence.end]))
	if syntax, ok := err.(*SyntaxError); ok {
		syntax.Snippet = snippet(src, syntax.Pos)
	}
	if err != nil {
		return nil, true, err
	}
	doc.Preamble = string(bytes.TrimSpace(skipComment(src[:fence.start])))
	doc.Body = string(bytes.TrimSpace(src[fence.after:]))
	return doc, true, nil
}

// blank replaces all but the line ends by nothing.
func blank(text []byte) []byte {
	return bytes.Repeat([]byte("\n"), bytes.Count(text, []byte("\n")))
}

// fence is a fenced code block: offsets of its opening line, of its text, of the text's end and of what follows.
type fence struct {
	language                string // first word after the opening mark
	mark                    string // the run of ` or ~ that opens and, at least as long, closes it
	start, text, end, after int
	closed                  bool
}

// findFence is the first fence in one of the languages that is not inside another one. Fences count only at the start
// of a line, so that an indented one can stand inside a YAML text.
func findFence(src []byte, languages ...string) (fence, bool) {
	var open fence
	for offset := 0; offset < len(src); {
		next := len(src)
		if i := bytes.IndexByte(src[offset:], '\n'); i >= 0 {
			next = offset + i + 1
		}
		mark, info := fenceMark(src[offset:next])
		switch {
		case mark == "":
		case open.mark == "":
			language, _, _ := strings.Cut(info, " ")
			open = fence{language: language, mark: mark, start: offset, text: next}
		case mark[0] == open.mark[0] && len(mark) >= len(open.mark) && info == "":
			open.end, open.after, open.closed = offset, next, true
			if slices.Contains(languages, open.language) {
				return open, true
			}
			open = fence{}
		}
		offset = next
	}
	return open, open.mark != "" && slices.Contains(languages, open.language)
}

// fenceMark splits a line that opens or closes a fence into its mark and the text behind it.
func fenceMark(line []byte) (mark, info string) {
	text := string(line)
	if !strings.HasPrefix(text, "```") && !strings.HasPrefix(text, "~~~") {
		return "", ""
	}
	info = strings.TrimLeft(text, text[:1])
	mark = text[:len(text)-len(info)]
	if mark[0] == '`' && strings.Contains(info, "`") {
		return "", "" // inline code, as in ```a```
	}
	return mark, strings.TrimSpace(info)
}
