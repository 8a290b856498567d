package draw

import (
	"slices"
	"testing"
)

func TestVisible(t *testing.T) {
	for text, want := range map[string]string{
		"plain":                                "plain",
		"ünï 名前 🙂":                             "ünï 名前 🙂",
		`a "b" \ 'c'`:                          `a "b" \ 'c'`,
		"a\nb\t\x1b[1m\x7f":                    `a\nb\t\x1b[1m\x7f`,
		"\xff\xe2\x80":                         `\xff\xe2\x80`,
		"\u202e\u2066\u200b\u2028\ufeff\u0085": `\u202e\u2066\u200b\u2028\ufeff\u0085`,
		"\ufffe\U000e0001":                     `\ufffe\U000e0001`,
		"\ufffd":                               "\ufffd",
	} {
		if got := visible(text); got != want {
			t.Errorf("%q: %s, not %s", text, got, want)
		}
	}
}

func TestShorten(t *testing.T) {
	for _, test := range []struct {
		text  string
		limit int
		want  string
	}{
		{"short", 5, "short"},
		{"a_long_name_1", 10, "a_long…e_1"},
		{"名前名前名前", 7, "名前…前"},
		{"e\u0301e\u0301e\u0301", 3, "e\u0301e\u0301e\u0301"},
	} {
		if got := shorten(test.text, test.limit); got != test.want || width(got) > test.limit {
			t.Errorf("%s in %d: %s, not %s", test.text, test.limit, got, test.want)
		}
	}
}

func TestWrap(t *testing.T) {
	for _, test := range []struct {
		text  string
		lines int
		want  []string
	}{
		{"", 3, []string{""}},
		{"one two", 3, []string{"one two"}},
		{"one two three four", 3, []string{"one two", "three four"}},
		{"abcdefghijklmnop", 3, []string{"abcdefghij", "klmnop"}},
		{"a bcdefghijklmnop", 3, []string{"a bcdefghi", "jklmnop"}},
		{"one two three four five six", 2, []string{"one two", "three fou…"}},
		{"名前名前名前", 3, []string{"名前名前名", "前"}},
	} {
		if got := wrap(test.text, 10, test.lines); !slices.Equal(got, test.want) {
			t.Errorf("%s: %q, not %q", test.text, got, test.want)
		}
	}
}
