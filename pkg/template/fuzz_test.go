package template

import (
	"regexp"
	"strings"
	"testing"
)

// placeholderPattern is spec/rye-core §5.6 in one expression; the empty second group is a `${` that belongs to
// somebody else.
var placeholderPattern = regexp.MustCompile(`\$\{([A-Z_][A-Z0-9_]*)(:-[^}]*)?\}|\$\{|\{([^{}]+)\}`)

// referenceText is Text by way of the regular expression, with lookups that know V and v only.
func referenceText(text, value string) string {
	return placeholderPattern.ReplaceAllStringFunc(text, func(match string) string {
		groups := placeholderPattern.FindStringSubmatch(match)
		switch {
		case groups[1] == "V" || groups[3] == "v":
			return value
		case groups[1] != "":
			return strings.TrimPrefix(groups[2], ":-")
		}
		return match
	})
}

// FuzzText: the result is the template with values in the place of its placeholders and nothing else changed, so
// that values appear byte for byte; a template without placeholders is its own result.
func FuzzText(f *testing.F) {
	for _, text := range []string{
		"", "{v}", "${V}", "${V:-x}", "${U:-{v}}", "${v}", "{{v}}", "$${V}", "awk '{print $1}' {v}", `{"a": "{v}"}`, "${A:-${V}", "{v", "${V",
		"{v\x00}\xff{v}", "${1}{a,b}{v}${V}",
	} {
		f.Add(text, hostile)
		f.Add(text, "")
	}
	f.Fuzz(func(t *testing.T, text, value string) {
		values := withValue(value, "{v}")
		values.Param = func(name string) (any, bool) { return value, name == "v" }
		if got, want := values.Text(text), referenceText(text, value); got != want {
			t.Fatalf("Text(%q) with %q = %q, want %q", text, value, got, want)
		}
		if !placeholderPattern.MatchString(text) && values.Text(text) != text {
			t.Fatalf("Text(%q) without placeholders = %q", text, values.Text(text))
		}
		var joined strings.Builder
		for s := range segments(text) {
			if s.text == "" || s.offset != joined.Len() {
				t.Fatalf("a piece %q of %q stands at %d, not at %d", s.text, text, s.offset, joined.Len())
			}
			joined.WriteString(s.text)
		}
		if joined.String() != text {
			t.Fatalf("the pieces of %q are %q", text, joined.String())
		}
		if got, isText := values.Value(text).(string); !isText || got != values.Text(text) && strings.TrimSpace(text) != "{v}" {
			t.Fatalf("Value(%q) = %q", text, got)
		}
	})
}

// FuzzShell: a value is refused because of its place and never because of what it holds (but for NUL), and where it is
// accepted another reader of shell syntax sees all of it as quoted data and the same script around it. The scripts
// are never run; TestShellNeverRunsValues does that with harmless ones.
func FuzzShell(f *testing.F) {
	for _, script := range []string{
		`printf %s {v} "{v}" '{v}'`, `x=$(printf %s "{v}" ')'); echo "$(echo "{v}")"`, "echo $((1+(2))) ${x:-a} {v}", "((1)) {v}", "# it's\n{v}",
		`echo $'a' "${x#\"}" {v}`, "cat <<E\n{v}", "a=({v}) ${V}", "`x` {v}", `\{v}`, `\\{v}`, `$"a{v}"`, "$\\\n(echo {v})", "case {v} in {v}) ;; esac",
		"echo \"$({v}\n# \"\n)\"{v}", "$$({v})", "${x:-'}'}{v}",
	} {
		f.Add(script, attack)
		f.Add(script, "\xff'\n")
	}
	const marker = "\x02mark\x03"
	f.Fuzz(func(t *testing.T, script, value string) {
		if strings.Contains(script, "\x02") || strings.Contains(script, "command") || strings.Contains(value, "\x00") {
			return
		}
		got, err := withValue(value, "").Shell(script)
		marked, markedErr := withValue(marker, "").Shell(script)
		if (err == nil) != (markedErr == nil) {
			t.Fatalf("Shell(%q) depends on the value %q: %v, %v", script, value, err, markedErr)
		}
		if err != nil {
			return
		}
		places := 0
		for s := range segments(script) {
			if s.kind == param && s.name == "v" || s.kind == envVar && s.name == "V" {
				places++
			}
		}
		shape := renderShell(marked)
		if n := strings.Count(shape, renderQuoted(marker)); n != places {
			t.Fatalf("Shell(%q) = %q shows %d of %d values as data", script, marked, n, places)
		}
		if want := strings.ReplaceAll(shape, renderQuoted(marker), renderQuoted(value)); renderShell(got) != want {
			t.Fatalf("Shell(%q) = %q, which reads otherwise than %q", script, got, marked)
		}
	})
}
