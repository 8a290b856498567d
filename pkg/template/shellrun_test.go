package template

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// shellRuns are the shells to ask, with the locales in which they read bytes differently.
var shellRuns = []struct{ program, locale string }{{"sh", "C"}, {"bash", "C"}, {"bash", "C.UTF-8"}}

// runShell gives script to a shell in an empty directory. It returns the output, and the names of the files that the
// script left there.
func runShell(t *testing.T, program, locale, script string) (stdout []byte, created []string) {
	t.Helper()
	path, err := exec.LookPath(program)
	if err != nil {
		t.Skipf("no %s on this machine to compare with", program)
	}
	file := filepath.Join(t.TempDir(), "script")
	if err := os.WriteFile(file, []byte(script), 0o600); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	var out bytes.Buffer
	cmd := exec.CommandContext(ctx, path, file)
	cmd.Dir, cmd.Env, cmd.Stdout = dir, []string{"LC_ALL=" + locale, "PATH=" + dir}, &out
	// The exit code says nothing: random scripts may be no scripts at all.
	_ = cmd.Run()
	if ctx.Err() != nil {
		t.Fatalf("%s did not end: %s", program, script)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		created = append(created, e.Name())
	}
	return out.Bytes(), created
}

// attack runs `>pwned` if any of the usual ways out of quotes is open.
const attack = "a$(>pwned)`>pwned`';>pwned;'\";>pwned;\"\n>pwned\n)>pwned;(}>pwned;{ \\';>pwned #"

// shellValues are what placeholders get: what breaks quoting most often, every byte but NUL, and random mixtures.
func shellValues() []string {
	var every []byte
	for b := 1; b < 256; b++ {
		every = append(every, byte(b))
	}
	values := []string{
		"", "a", "-n", "--", "-rf /", " ", "\t x ", "\n", "\n\n", "a\n", "\r\n", "'", "''", "'\\''", `"`, `"'"'`, `\`, `\\`, `\n`, `a\`,
		"$", "$$", "$HOME", "${HOME}", "$(echo x)", "`echo x`", "$((1+1))", "!", "!!", "*", "?", "[a-z]", "~", "~root", "#", "a # b",
		"{v}", "{command}", "{a,b}", "{1..3}", ";", "&", "|", "<", ">", "(", ")", "<<E", "%s%n", "=", "x=y", "é", "日本\u2028", "\x01", "\x7f",
		"\x81'\x82\\", "\xff\xfe'", "\xe6\x97", "\x1b[31m", attack, string(every),
	}
	random := rand.New(rand.NewPCG(1, 2))
	alphabet := []byte("ab '\"\\$`(){}#\n;&|<>*~!-\x01\x7f\x80\xc3\xff")
	for range 20 {
		value := make([]byte, random.IntN(24))
		for i := range value {
			value[i] = alphabet[random.IntN(len(alphabet))]
		}
		values = append(values, string(value))
	}
	return values
}

// TestShellValuesArrive is the property that quoting exists for (field.md threat 15): whatever the value and wherever
// it stands, the shell hands it on byte for byte.
func TestShellValuesArrive(t *testing.T) {
	// @ in want is the value.
	tests := []struct{ script, want string }{
		{`printf %s {v}`, "@"},
		{`printf %s "{v}"`, "@"},
		{`printf %s '{v}'`, "@"},
		{`printf %s pre{v}post`, "pre@post"},
		{`printf %s "pre{v}post"{v}'{v}'`, "pre@post@@"},
		{`printf %s "{v}{v}"`, "@@"},
		{`printf %s "\"{v}\"" "$"'{v}'`, `"@"$@`},
		{`printf %s '"{v}"' \\{v}`, `"@"\@`},
		{`printf %s ${V}"${V}"'${V}'`, "@@@"},
		{`printf %s "${UNSET:-$(>pwned)}"`, "$(>pwned)"},
		{`x={v}; printf %s "$x"`, "@"},
		{`x=$(printf %s "{v}"; printf .); printf %s "${x%.}"`, "@"},
		{`printf %s "<$(printf %s "{v}"'{v}'{v}.)>"`, "<@@@.>"},
		{`printf %s "$( (printf %s {v}; printf .) )"`, "@."},
		{`( printf %s {v} ) # it's`, "@"},
		{`: "$$$((1+1))" ${#x} "${x:-}"; printf %s {v} # x`, "@"},
		{`case {v} in "{v}") printf %s {v};; *) printf no;; esac`, "@"},
		{`for i in {v} '{v}'; do printf %s "$i"; done`, "@@"},
		{"f() { printf %s \"$1\"; }; f \\\n  {v}", "@"},
		{`[ {v} = "{v}" ] && : >/dev/null; printf %s {v}`, "@"},
		{"printf %s `printf x`{v}", "x@"},
		{`printf %s "$( printf %s "${x:-a}{v}"; printf . )"`, "a@."},
	}
	values := shellValues()
	var script strings.Builder
	var wants []string
	for _, test := range tests {
		for _, value := range values {
			text, err := withValue(value, "").Shell(test.script)
			if err != nil {
				t.Fatalf("Shell(%q): %v", test.script, err)
			}
			fmt.Fprintf(&script, "unset x\n%s\nprintf '\\000'\n", text)
			wants = append(wants, strings.ReplaceAll(test.want, "@", value))
		}
	}
	for _, run := range shellRuns {
		t.Run(run.program+"/"+run.locale, func(t *testing.T) {
			out, created := runShell(t, run.program, run.locale, script.String())
			got := strings.Split(string(out), "\x00")
			for i, want := range wants {
				if i >= len(got) || got[i] != want {
					t.Fatalf("%s with %q arrived as %q, want %q", tests[i/len(values)].script, values[i%len(values)], got[min(i, len(got)-1)], want)
				}
			}
			if created != nil {
				t.Errorf("a value was run as code: %q", created)
			}
		})
	}
}

// TestShellBashValuesArrive has the syntax that only bash knows.
func TestShellBashValuesArrive(t *testing.T) {
	for _, c := range []string{
		`[[ {v} == "{v}" ]] && printf %s {v}`,
		`IFS=$'\n'; printf %s {v}`,
		`((1)); for ((i=0; i<1; i++)); do printf %s {v}; done`,
		`a=(x {v}); printf %s "${a[1]}"`,
		`declare -A m; m[k]={v}; printf %s "${m[k]}"`,
	} {
		text, err := withValue(attack, "").Shell(c)
		if err != nil {
			t.Fatalf("Shell(%q): %v", c, err)
		}
		if out, created := runShell(t, "bash", "C", text); string(out) != attack || created != nil {
			t.Errorf("%s gave %q and the files %q", c, out, created)
		}
	}
}

// shellPieces make up random scripts; none of them creates a file or runs more than a builtin.
var shellPieces = []string{
	"{v}", "{v}", "{v}", "'", `"`, "`", "$(", "$((", "((", "(", ")", "))", "${x:-", "${x#", "}", "{", "$", "$'", "$[", "[", "]", `\`, "\\\n", "\n", " ",
	"#", "# ", " #", "<", "<<E\n", "E\n", ";", "echo ", ": ", "case ", "case a in a) ", " esac", ";; ", "x=", "a[", "$x", "&& ", "| ", "1", "a",
}

// TestShellNeverRunsValues puts a value that tries every way out into random scripts. A script that Shell accepts may
// be nonsense, but it must not run the value.
func TestShellNeverRunsValues(t *testing.T) {
	const attempts, enough = 5000, 100
	random := rand.New(rand.NewPCG(3, 4))
	accepted := 0
	for range attempts {
		script := "echo "
		for range 2 + random.IntN(9) {
			script += shellPieces[random.IntN(len(shellPieces))]
		}
		text, err := withValue(attack, "").Shell(script)
		if err != nil || !strings.Contains(text, "pwned") {
			continue
		}
		if accepted++; accepted > enough {
			return
		}
		for _, run := range shellRuns[:2] {
			if _, created := runShell(t, run.program, run.locale, text); created != nil {
				t.Errorf("%s runs the value in %q, filled as %q: %q", run.program, script, text, created)
			}
		}
	}
	t.Errorf("only %d of %d random scripts were accepted: too few to tell anything", accepted, attempts)
}
