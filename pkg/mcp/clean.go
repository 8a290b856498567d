package mcp

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/ryeos/rye/pkg/item"
)

// maxDescription bounds, in bytes, what a server may say about one of its tools or parameters to a reader.
const maxDescription = 8 << 10

// Clean is a text of a server for people and models to read: without control characters and the sequences of terminals that
// they begin, without marks that are invisible or turn the direction of writing, and not endless.
func Clean(text string) string {
	text = item.CleanText(text)
	if len(text) > maxDescription {
		text = strings.ToValidUTF8(text[:maxDescription], "") + "…"
	}
	var out strings.Builder
	for rest := text; rest != ""; {
		if n := sequence(rest); n > 0 {
			rest = rest[n:]
			continue
		}
		for _, r := range rest {
			if !hidden(r) {
				out.WriteRune(r)
			}
			rest = rest[len(string(r)):]
			break
		}
	}
	return out.String()
}

// Hides reports whether a text holds something that a reader does not see.
func Hides(text string) bool { return strings.IndexFunc(item.CleanText(text), hidden) >= 0 }

func hidden(r rune) bool {
	switch {
	case r == '\n' || r == '\t':
		return false
	case unicode.IsControl(r), unicode.Is(unicode.Cf, r), unicode.Is(unicode.Co, r), r == '\u2028', r == '\u2029':
		return true
	case r >= 0xFE00 && r <= 0xFE0F, r >= 0xE0100 && r <= 0xE01EF: // variation selectors carry whole texts
		return true
	}
	return false
}

// sequence is the length of a terminal's escape sequence at the start of text, 0 if there is none.
func sequence(text string) int {
	if len(text) < 2 || text[0] != '\x1b' {
		return 0
	}
	switch text[1] {
	case '[': // CSI: parameters, then a final byte
		for i := 2; i < len(text); i++ {
			if text[i] >= '@' && text[i] <= '~' {
				return i + 1
			}
			if text[i] < ' ' || text[i] > '?' {
				return 2
			}
		}
		return len(text)
	case ']', 'P', '_', '^', 'X': // a string: up to BEL or ESC \
		for i := 2; i < len(text); i++ {
			if text[i] == '\a' {
				return i + 1
			}
			if text[i] == '\x1b' && i+1 < len(text) && text[i+1] == '\\' {
				return i + 2
			}
		}
	}
	if text[1] >= utf8.RuneSelf { // no sequence: the escape alone
		return 1
	}
	return 2
}

// cleanTree is Clean for every text in a value of JSON's kinds that is written for readers: descriptions and titles. Names
// and values that a call must repeat stay as they are.
func cleanTree(value any) any {
	switch v := value.(type) {
	case map[string]any:
		cleaned := make(map[string]any, len(v))
		for key, e := range v {
			text, isText := e.(string)
			if isText && (key == "description" || key == "title" || key == "$comment") {
				cleaned[key] = Clean(text)
			} else {
				cleaned[key] = cleanTree(e)
			}
		}
		return cleaned
	case []any:
		cleaned := make([]any, len(v))
		for i, e := range v {
			cleaned[i] = cleanTree(e)
		}
		return cleaned
	}
	return value
}
