package mcp

import (
	"strings"
	"testing"
)

// TestActivity: what is shown of an output is its last whole line, however it comes.
func TestActivity(t *testing.T) {
	long := strings.Repeat("x", longestLine+1)
	for name, tt := range map[string]struct {
		writes []string
		want   string
	}{
		"nothing":            {nil, ""},
		"open":               {[]string{"half"}, ""},
		"whole":              {[]string{"a line\n"}, "a line"},
		"in pieces":          {[]string{"a ", "li", "ne\nnext"}, "a line"},
		"last of many":       {[]string{"one\ntwo\nthree\nfo"}, "three"},
		"pieces, then lines": {[]string{"o", "ne\ntwo\n"}, "two"},
		"progress bar":       {[]string{"10%\r20%\r"}, "20%"},
		"DOS":                {[]string{"one\r\n"}, "one"},
		"empty lines":        {[]string{"one\n\n  \n"}, "one"},
		"too long":           {[]string{long, "\n"}, ""},
		"too long, then not": {[]string{long, "\nshort\n"}, "short"},
		"escapes":            {[]string{"\x1b[31mred\x1b[0m\u202e\n"}, "red"},
		"secret":             {[]string{"password is ", "hunter22\n"}, "password is …"},
		"cut":                {[]string{strings.Repeat("ä", shownLine+1) + "\n"}, strings.Repeat("ä", shownLine) + "…"},
	} {
		a := &Activity{}
		a.Redact(func(text string) string { return strings.ReplaceAll(text, "hunter22", "…") })
		for _, text := range tt.writes {
			if n, err := a.Write([]byte(text)); n != len(text) || err != nil {
				t.Errorf("%s: %d, %v", name, n, err)
			}
		}
		if got := a.take(); got != tt.want {
			t.Errorf("%s: got %q, want %q", name, got, tt.want)
		}
		if again := a.take(); again != "" {
			t.Errorf("%s: %q is told again", name, again)
		}
	}
}
