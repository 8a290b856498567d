package item

import (
	"bytes"
	"slices"
	"strings"
	"unicode/utf8"
)

var (
	byteOrderMark = []byte("\ufeff")

	// pythonCookie is the declaration of a source encoding in PEP 263. It counts on the first line, or on the second
	// below a line that pythonBlank matches.
	pythonCookie = pattern(`^[ \t\f]*#.*?coding[:=][ \t]*([-_.a-zA-Z0-9]+)`)
	pythonBlank  = pattern(`^[ \t\f]*(?:#.*)?$`)

	// pythonEncodings are the encodings whose ASCII half reads the same as UTF-8. A codec that is not listed may turn
	// even plain ASCII into something else.
	pythonEncodings = []string{
		"utf-8", "utf8", "utf-8-sig", "ascii", "us-ascii",
		"latin-1", "latin1", "iso-8859-1", "iso-8859-15", "cp1252", "windows-1252",
	}
)

// pythonText checks what CPython checks before it looks for tokens: the encoding and NUL bytes. The text it returns has
// no byte order mark and ends every line in "\n", so that line and column of an offset are those of the file.
func pythonText(src []byte) ([]byte, error) {
	text := bytes.TrimPrefix(src, byteOrderMark)
	if bytes.IndexByte(text, '\r') >= 0 {
		text = bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n"))
		text = bytes.ReplaceAll(text, []byte("\r"), []byte("\n"))
	}
	if err := checkPythonCookie(text); err != nil {
		return nil, err
	}
	return text, checkText(text)
}

// checkText refuses bytes that no source text holds.
func checkText(text []byte) error {
	if at := bytes.IndexByte(text, 0); at >= 0 {
		return syntaxErrorAt(text, at, "the file holds a NUL byte: remove it, or save the file as UTF-8")
	}
	if at := invalidUTF8(text); at >= 0 {
		return syntaxErrorAt(text, at, "the byte 0x%02x is not UTF-8: save the file as UTF-8", text[at])
	}
	return nil
}

// invalidUTF8 is the offset of the first byte that is not UTF-8, or -1.
func invalidUTF8(text []byte) int {
	if utf8.Valid(text) {
		return -1
	}
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRune(text[i:])
		if r == utf8.RuneError && size == 1 {
			return i
		}
		i += size
	}
	return -1
}

// checkPythonCookie refuses a declared encoding in which the bytes of the file would mean other characters.
func checkPythonCookie(text []byte) error {
	start := 0
	for range 2 {
		line, _, _ := bytes.Cut(text[start:], []byte("\n"))
		if m := pythonCookie().FindSubmatchIndex(line); m != nil {
			name := string(line[m[2]:m[3]])
			encoding := strings.ReplaceAll(strings.ToLower(name), "_", "-")
			if !slices.Contains(pythonEncodings, encoding) {
				return syntaxErrorAt(text, start+m[2], "the encoding %s is not supported: the file must be UTF-8", name)
			}
			if !strings.HasPrefix(encoding, "utf") && !isASCII(text) {
				return syntaxErrorAt(text, start+m[2],
					"the file declares the encoding %s and holds bytes beyond ASCII: it must be UTF-8, "+
						"save it as UTF-8 and write 'coding: utf-8'", name)
			}
			return nil
		}
		if !pythonBlank().Match(line) {
			return nil
		}
		start = min(len(text), start+len(line)+1)
	}
	return nil
}

func isASCII[T string | []byte](text T) bool {
	for i := range len(text) {
		if text[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}
