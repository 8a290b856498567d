package draw

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// visible is text from outside with everything written out that could not be seen, or could steer a terminal: control
// characters, invalid bytes, direction overrides, line ends.
func visible(s string) string {
	var b strings.Builder
	for len(s) > 0 {
		r, size := utf8.DecodeRuneInString(s)
		if r == utf8.RuneError && size == 1 || !strconv.IsGraphic(r) {
			quoted := strconv.QuoteToGraphic(s[:size])
			b.WriteString(quoted[1 : len(quoted)-1])
		} else {
			b.WriteString(s[:size])
		}
		s = s[size:]
	}
	return b.String()
}

// columns is how many columns of a terminal a rune takes.
func columns(r rune) int {
	switch {
	case unicode.In(r, unicode.Mn, unicode.Me):
		return 0
	case r >= 0x1100 && (r <= 0x115f || r >= 0x2e80 && r <= 0xa4cf || r >= 0xac00 && r <= 0xd7a3 || r >= 0xf900 && r <= 0xfaff ||
		r >= 0xfe30 && r <= 0xfe6f || r >= 0xff00 && r <= 0xff60 || r >= 0xffe0 && r <= 0xffe6 || r >= 0x1f300 && r <= 0x1faff || r >= 0x20000):
		return 2
	}
	return 1
}

func width(s string) int {
	n := 0
	for _, r := range s {
		n += columns(r)
	}
	return n
}

// maxMarks is how many marks without a width of their own follow each other in what is shown: no script has more.
const maxMarks = 8

// cut splits visible text after as many columns as fit.
func cut(s string, limit int) (head, rest string) {
	n, marks := 0, 0
	for i, r := range s {
		c := columns(r)
		if marks++; c > 0 {
			marks = 0
		}
		if n += c; n > limit || marks > maxMarks {
			return s[:i], s[i:]
		}
	}
	return s, ""
}

// shorten takes the middle out of visible text that is too wide: names tend to differ at their ends.
func shorten(s string, limit int) string {
	head, rest := cut(s, limit)
	if rest == "" {
		return s
	}
	tail := limit / 3
	head, _ = cut(head, limit-1-tail)
	from := len(s)
	for from > 0 {
		r, size := utf8.DecodeLastRuneInString(s[:from])
		if tail -= max(columns(r), 1); tail < 0 {
			break
		}
		from -= size
	}
	return head + "…" + s[from:]
}

// wrap breaks visible text into lines, after spaces where there are some. The last of the lines says that there is more.
func wrap(s string, limit, lines int) []string {
	var wrapped []string
	for {
		head, rest := cut(s, limit)
		if rest == "" {
			return append(wrapped, s)
		}
		if len(wrapped) == lines-1 {
			head, _ = cut(head, limit-1)
			return append(wrapped, head+"…")
		}
		if i := strings.LastIndexByte(head, ' '); i > len(head)/2 {
			head, rest = head[:i], s[i+1:]
		}
		wrapped = append(wrapped, head)
		s = rest
	}
}
