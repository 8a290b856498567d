package builtin

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// printable shows a file's name so that it can neither steer a terminal nor pass for two lines: control characters,
// direction overrides and invalid bytes are escaped.
func printable(name string) string {
	var out strings.Builder
	for i := 0; i < len(name); {
		r, size := utf8.DecodeRuneInString(name[i:])
		switch {
		case r == utf8.RuneError && size == 1:
			fmt.Fprintf(&out, `\x%02x`, name[i])
		case unicode.IsGraphic(r):
			out.WriteRune(r)
		default:
			out.WriteString(strings.Trim(strconv.QuoteRuneToASCII(r), "'"))
		}
		i += size
	}
	return out.String()
}

// clip cuts s after n characters and says whether it did.
func clip(s string, n int) (string, bool) {
	if len(s) <= n {
		return s, false
	}
	for i := range s {
		if n == 0 {
			return s[:i], true
		}
		n--
	}
	return s, false
}

// clipLines cuts text at the end of a line so that it and the note about it stay within the output's limit.
func clipLines(text string) string {
	const noteRoom = 100
	if _, long := clip(text, maxOutput); !long {
		return text
	}
	short, _ := clip(text, maxOutput-noteRoom)
	if end := strings.LastIndexByte(short, '\n'); end >= 0 {
		short = short[:end]
	}
	return fmt.Sprintf("%s\n... [output truncated, %d bytes total]", short, len(text))
}

// namesOf joins names for the output, one a line.
func namesOf(names []string) string {
	shown := make([]string, len(names))
	for i, name := range names {
		shown[i] = printable(name)
	}
	return strings.Join(shown, "\n")
}
