package builtin

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestGlobMatch(t *testing.T) {
	tests := []struct{ pattern, yes, no string }{
		{"*", "a .a a.go a\nb", "a/b"},
		{"*.go", ".go a.go", "a.gox a/b.go ago"},
		{"?", "a é", "ab /"},
		{"a?c", "abc a.c", "ac a/c"},
		{"**", "a a/b a/b/c", ""},
		{"**/a", "a b/a c/b/a", "ba b/ba a/b"},
		{"a/**", "a/b a/b/c", "a b/a"},
		{"a/**/b", "a/b a/x/b a/x/y/b", "ab a/xb"},
		{"**/a/**/b", "a/b x/a/y/b", "a/x"},
		{"a**b", "ab axb", "a/b"},
		{"***", "a", "a/b"},
		{"{a,b}", "a b", "c ab a,b"},
		{"{a,b/**/c}.go", "a.go b/c.go b/x/c.go", "b.go"},
		{"{,x}a", "a xa", "x"},
		{"{a,{b,c}d}", "a bd cd", "b"},
		{"{**/,}x", "x a/x", "ax"},
		{"[abc]", "a b c", "d /"},
		{"[a-c]x", "ax cx", "dx"},
		{"[!a-c]", "d é", "a /"},
		{"[^a]", "b", "a"},
		{"[]a]", "] a", "b"},
		{"[a-]", "a -", "b"},
		{"[+-9]", "+ 5 .", "/"},
		{"[/]", "", "/ a"},
		{`[\]]`, "]", `\ a`},
		{`\*\{`, "*{", "a{"},
		{"a,b}", "a,b}", "a"},
		{"a.b", "a.b", "axb"},
		{"(a|b)+$", "(a|b)+$", "a"},
	}
	for _, test := range tests {
		re, err := compileGlob(test.pattern)
		if err != nil {
			t.Errorf("%s: %v", test.pattern, err)
			continue
		}
		for _, path := range strings.Split(test.yes, " ") {
			if test.yes != "" && !re.MatchString(path) {
				t.Errorf("%s does not match %q", test.pattern, path)
			}
		}
		for _, path := range strings.Split(test.no, " ") {
			if test.no != "" && re.MatchString(path) {
				t.Errorf("%s matches %q", test.pattern, path)
			}
		}
	}
}

func TestGlobErrors(t *testing.T) {
	for pattern, want := range map[string]string{
		"[":     `a [ is not closed; write \[ for the character itself`,
		"[]":    `a [ is not closed; write \[ for the character itself`,
		"[!":    `a [ is not closed; write \[ for the character itself`,
		`[a\`:   `a [ is not closed; write \[ for the character itself`,
		"[a-":   `a [ is not closed; write \[ for the character itself`,
		"[z-a]": "the range 'z'-'a' runs backwards",
		"{a":    `a { is not closed; write \{ for the character itself`,
		`a\`:    `it ends in a \ without a character after it`,
		"a\xff": "it is not UTF-8",

		strings.Repeat("a", 5000): "it is longer than 1024 bytes",
	} {
		_, err := compileGlob(pattern)
		if err == nil || err.Error() != "Invalid glob pattern: "+want {
			t.Errorf("%.20q: %v", pattern, err)
		}
	}
}

// FuzzGlobMatch: no pattern panics, a pattern without special characters matches itself and nothing longer, escaping makes
// any text such a pattern, and stars and classes do not cross folders.
func FuzzGlobMatch(f *testing.F) {
	for _, seed := range []string{"a.go", "**/*.{go,md}", "[!a-z]?", "{a,{b,[c-d]}}", `\[x\]`, "a/**/b", "[[:alpha:]]", "{{{", "\x00\xff"} {
		f.Add(seed, "src/a.go")
	}
	f.Fuzz(func(t *testing.T, pattern, path string) {
		if re, err := compileGlob(pattern); err == nil {
			matched := re.MatchString(path)
			if !strings.ContainsAny(pattern, `*?[{\`) && matched != (pattern == path) {
				t.Errorf("literal %q on %q: %t", pattern, path, matched)
			}
			if matched && !strings.Contains(pattern, "**") && strings.Count(path, "/") > strings.Count(pattern, "/") {
				t.Errorf("%q crosses folders in %q", pattern, path)
			}
		}
		if !utf8.ValidString(path) || len(path) > maxGlob/2 {
			return
		}
		escaped := strings.NewReplacer(`*`, `\*`, `?`, `\?`, `[`, `\[`, `{`, `\{`, `\`, `\\`).Replace(path)
		re, err := compileGlob(escaped)
		if err != nil || !re.MatchString(path) || re.MatchString(path+"x") {
			t.Errorf("%q does not match itself as %q: %v", path, escaped, err)
		}
	})
}

// FuzzRead: whatever a file and its index hold, an answer comes and shows every line under an id of its own.
func FuzzRead(f *testing.F) {
	f.Add("one\ntwo\r\n", `{"file_path":"f","lines":[{"id":"a","line_num":1}]}`)
	f.Add("", "null")
	f.Add("a\n\xffb", "{")
	f.Fuzz(func(t *testing.T, content, index string) {
		p := newProject(t, map[string]string{"f": content, indexPath("f"): index})
		if strings.ContainsRune(content, 0) {
			p.fails("file-system/read", params{"path": "f"})
			return
		}
		if len(content) > 1000 {
			return
		}
		seen := map[string]bool{}
		for _, id := range p.allIDs("f") {
			if seen[id] {
				t.Errorf("two lines have the id %s", id)
			}
			seen[id] = true
		}
		data := joinLines(splitLines([]byte(content)))
		equal(t, "joined lines", string(data), content)
	})
}
