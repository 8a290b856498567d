package template

import (
	"errors"
	"strings"
	"testing"

	"github.com/ryeos/rye/pkg/item"
)

// withValue has the parameter v, the environment variable V, and a command.
func withValue(value, command string) Values {
	return Values{
		Env: func(name string) (string, bool) { return value, name == "V" },
		Param: func(name string) (any, bool) {
			switch name {
			case "v":
				return value, true
			case "command":
				return command, true
			}
			return nil, false
		},
	}
}

func TestShellQuotes(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"", ""},
		{"cat {v}", `cat 'a'\''b'`},
		{`cat "x{v}y"`, `cat "x"'a'\''b'"y"`},
		{`cat 'x{v}y'`, `cat 'x''a'\''b''y'`},
		{"cat ${V} ${UNSET:-$(d)} ${UNSET}", `cat 'a'\''b' '$(d)' ''`},
		{"echo $HOME ${x} ${x:-y} {other} | awk '{print $1}'", "echo $HOME ${x} ${x:-y} {other} | awk '{print $1}'"},
		{`echo "$(cat "{v}")"`, `echo "$(cat ""'a'\''b'"")"`},
		{`echo \\{v}`, `echo \\'a'\''b'`},
		{`echo '\{v}'`, `echo '\''a'\''b'''`},
		{`echo "$"{v} $x{v}`, `echo "$"'a'\''b' $x'a'\''b'`},
		{`echo "US${V}$"`, `echo "US"'a'\''b'"$"`},
		{"echo # {other}\necho {v}", "echo # {other}\necho 'a'\\''b'"},
		{"echo a#{v} $#{v} ${#x}{v}", `echo a#'a'\''b' $#'a'\''b' ${#x}'a'\''b'`},
		{"{command}", "echo '$HOME' # {v} ${V}"},
		{"`{command}` ${x:-{command}} \\{command}",
			"`echo '$HOME' # {v} ${V}` ${x:-echo '$HOME' # {v} ${V}} \\echo '$HOME' # {v} ${V}"},
		{"{command}\ncat {v}", "echo '$HOME' # {v} ${V}\ncat 'a'\\''b'"},
		{"echo $((1+2)) $(( (1) + $(f) + ${n} )){v}", `echo $((1+2)) $(( (1) + $(f) + ${n} ))'a'\''b'`},
		{"for ((i=0;i<3;i++)); do echo {v}; done", `for ((i=0;i<3;i++)); do echo 'a'\''b'; done`},
		{"IFS=$'\\n'; echo {v}", `IFS=$'\n'; echo 'a'\''b'`},
		{`echo $$'a\' {v} $$$(f)`, `echo $$'a\' 'a'\''b' $$$(f)`},
		{"x=(a {v}); echo ${x[0]} [{v}] x]{v}", `x=(a 'a'\''b'); echo ${x[0]} ['a'\''b'] x]'a'\''b'`},
		{"([ {v} = a ])", `([ 'a'\''b' = a ])`},
		{`echo "${x#"y"}"`, `echo "${x#"y"}"`},
		{`echo ${x:-'}'"}"\}} {v}`, `echo ${x:-'}'"}"\}} 'a'\''b'`},
		{"echo `date \\`{other}` {v}", "echo `date \\`{other}` 'a'\\''b'"},
		{"case x in x) echo {v};; esac", `case x in x) echo 'a'\''b';; esac`},
		{"$\\\n(echo {v})", "$\\\n(echo 'a'\\''b')"},
		{"run \\\n  --flag {v}", "run \\\n  --flag 'a'\\''b'"},
	} {
		got, err := withValue("a'b", "echo '$HOME' # {v} ${V}").Shell(c.in)
		if err != nil || got != c.want {
			t.Errorf("Shell(%q) = %q, %v\n want %q", c.in, got, err, c.want)
		}
	}
}

func TestShellRefuses(t *testing.T) {
	for _, c := range []struct{ in, reason string }{
		{"echo `cat {v}`", "inside `…`"},
		{"echo \"`cat {v}`\"", "inside `…`"},
		{"echo ${x:-{v}}", "inside ${…}"},
		{`echo "${x:-{v}}"`, "inside ${…}"},
		{`echo ${x:-"{v}"}`, "inside ${…}"},
		{`echo ${x:-$(cat {v})}`, "inside ${…}"},
		{"echo $(({v}+1))", "inside $((…))"},
		{"echo $(((2)*{v}))", "inside $((…))"},
		{"(( {v} ))", "inside $((…))"},
		{"echo \"$(({v}))\"", "inside $((…))"},
		{`echo $'{v}'`, "inside $'…'"},
		{`echo $'a\'b'; echo {v}`, "not every shell ends"},
		{"cat <<E\n{v}\nE", "here-document"},
		{"cat <<'E'\nx\nE\necho {v}", "here-document"},
		{"cat <\\\n<E\n{v}\nE", "here-document"},
		{"echo # {v}", "in a comment"},
		{"#{v}", "in a comment"},
		{"echo;# it's\n# {v}", "in a comment"},
		{`echo \{v}`, "right after a backslash"},
		{`echo "\{v}"`, "right after a backslash"},
		{`echo \\\{v}`, "right after a backslash"},
		{`echo \${V}`, "right after a backslash"},
		{`echo ${V}$${V}`, "right after a $"},
		{"echo $[{v}]", "after $[…]"},
		{"echo \"$(case a in a) echo {v};; esac)\"", "after a case"},
		{"echo \"$(ca\\\nse a in a) echo {v};; esac)\"", "after a case"},
		{"echo \"$(: # c\ncase a in a) echo {v};; esac)\"", "after a case"},
		{strings.Repeat("( ", maxOpen+1) + "{v}", "too many open"},
		{"a[{v}]=1", "subscript"},
		{`a["{v}"]=1`, "subscript"},
		{"a=([{v}]=1)", "subscript"},
		{`echo "${x:-'}" {v}`, "quotation mark inside"},
		{`echo "${x:-"}" {v}`, "quotation mark inside"},
		{"echo ${x:-{} {v}", "{ inside ${…}"},
		{"echo ${ cmd; } {v}", "after ${ with a command"},
		{"echo $((echo a); b) {v}", "after (( without ))"},
		{"echo $((\"1\")) {v}", "quotation mark or # inside"},
		{"((1<<2)); {v}", "here-document"},
		{"(a)#' \n{v}", "after (# or )#"},
		{"{command}{v}", "in a comment"},
	} {
		_, err := withValue("x", "echo #").Shell(c.in)
		var e *item.Error
		if !errors.As(err, &e) || e.Type != item.TypeChain || !strings.Contains(e.Message, c.reason) {
			t.Errorf("Shell(%q): %v, want a refusal %q", c.in, err, c.reason)
		}
	}
}

func TestShellErrorTellsWhatToDo(t *testing.T) {
	_, err := withValue("x", "").Shell("echo ok\necho `cat {v}`")
	if err == nil || !strings.Contains(err.Error(), `"{v}" at line 2, column 11`) {
		t.Errorf("the error does not name the placeholder and its place: %v", err)
	}
	hints := strings.Join(item.HintsOf(err), "\n")
	if !strings.Contains(hints, `VALUE="{v}"`) || !strings.Contains(hints, "stdin") {
		t.Errorf("hints: %s", hints)
	}
	if got, err := withValue("x", "").Shell("VALUE=\"{v}\"\necho `cat \"$VALUE\"`"); err != nil {
		t.Errorf("the hint does not work: %q, %v", got, err)
	}
}

func TestShellNUL(t *testing.T) {
	for _, text := range []string{"echo {v}", "echo ${V}", "{command}"} {
		if _, err := withValue("a\x00b", "a\x00b").Shell(text); item.TypeOf(err) != item.TypeUsage {
			t.Errorf("Shell(%q) with a NUL byte: %v", text, err)
		}
	}
}

func TestShellTypedValues(t *testing.T) {
	got, err := testValues.Shell("f {n} {t} {null} {list} {map}")
	if want := `f '8080' 'true' '' '[1,"<a>"]' '{"z":1,"a":{"k":null}}'`; got != want || err != nil {
		t.Errorf("Shell = %q, %v, want %q", got, err, want)
	}
}
