package template

import (
	"encoding/json"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/ryeos/rye/pkg/item"
)

// hostile is a value that every later pass would change.
const hostile = "${HOME} {project_path} $(touch x) `x` '\"\\\n\xff\xfe {v}"

func object(pairs ...any) *item.Object {
	o := item.NewObject()
	for i := 0; i < len(pairs); i += 2 {
		o.Set(pairs[i].(string), pairs[i+1])
	}
	return o
}

var testValues = Values{
	Env: func(name string) (string, bool) {
		v, ok := map[string]string{"HOME": "/home/me", "EMPTY": "", "_A1": "a", "EVIL": hostile, "V": hostile}[name]
		return v, ok
	},
	Param: func(name string) (any, bool) {
		v, ok := map[string]any{
			"v": hostile, "project_path": "/p q", "n": int64(8080), "f": 1.5, "t": true, "null": nil, "big": json.Number("1e400"),
			"x-y": "dash", "d.k": "dot", "print": "P", "x": "X", "list": []any{int64(1), "<a>"},
			"map": object("z", int64(1), "a", object("k", nil)), "input:q": "Q",
		}[name]
		return v, ok
	},
}

func TestText(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"", ""},
		{"plain } text {", "plain } text {"},
		{"${HOME}/bin", "/home/me/bin"},
		{"${UNSET}", ""},
		{"${UNSET:-/usr/bin}", "/usr/bin"},
		{"${UNSET:-}", ""},
		{"${EMPTY:-default}", ""},
		{"${HOME:-default}", "/home/me"},
		{"${_A1}${_A1}", "aa"},
		{"${UNSET:-a:-b{c}", "a:-b{c"},
		{"${UNSET:-${HOME}}", "${HOME}"},
		{"${1A} ${A-B} ${A:=b} ${HOME ${HOME", "${1A} ${A-B} ${A:=b} ${HOME ${HOME"},
		{"${home} ${state.x} ${Home}", "${home} ${state.x} ${Home}"},
		{"$HOME $ $$ ${} ${:-a}", "$HOME $ $$ ${} ${:-a}"},
		{"$${HOME}", "$/home/me"},
		{"{project_path}/x", "/p q/x"},
		{"{x-y} {d.k} {n} {f} {t} [{null}] {big}", "dash dot 8080 1.5 true [] 1e400"},
		{"{list} {map}", `[1,"<a>"] {"z":1,"a":{"k":null}}`},
		{"{unknown} { n } {}", "{unknown} { n } {}"},
		{"awk '{print $1}' ${x} {a,b} {1..3}", "awk '{print $1}' ${x} {a,b} {1..3}"},
		{`{"x": {"n": "{n}"}}`, `{"x": {"n": "8080"}}`},
		{"{{n}} {n", "{8080} {n"},
		{"{input:q}", "Q"},
		{"${x}{x}", "${x}X"},
		{"<${EVIL}|{v}>", "<" + hostile + "|" + hostile + ">"},
	} {
		if got := testValues.Text(c.in); got != c.want {
			t.Errorf("Text(%q) = %q, want %q", c.in, got, c.want)
		}
	}
}

func TestSystemsThatAreOff(t *testing.T) {
	const text = "${HOME} ${UNSET:-d} {n}"
	if got := (Values{}).Text(text); got != text {
		t.Errorf("without lookups: %q", got)
	}
	if got, want := testValues.ExpandEnv(text), "/home/me d {n}"; got != want {
		t.Errorf("ExpandEnv = %q, want %q", got, want)
	}
	if got, want := (Values{Param: testValues.Param}).Text(text), "${HOME} ${UNSET:-d} 8080"; got != want {
		t.Errorf("without Env: %q, want %q", got, want)
	}
}

func TestValueKeepsTypes(t *testing.T) {
	list, _ := testValues.Param("list")
	for _, c := range []struct {
		in   string
		want any
	}{
		{"{n}", int64(8080)},
		{" {n}\n", int64(8080)},
		{"{f}", 1.5},
		{"{t}", true},
		{"{null}", nil},
		{"{big}", json.Number("1e400")},
		{"{list}", list},
		{"{x-y}", "dash"},
		{"{v}", hostile},
		{"{n}.", "8080."},
		{"{n}{n}", "80808080"},
		{" {unknown} ", " {unknown} "},
		{" ${HOME} ", " /home/me "},
		{" ", " "},
		{"{", "{"},
	} {
		if got := testValues.Value(c.in); !reflect.DeepEqual(got, c.want) {
			t.Errorf("Value(%q) = %#v, want %#v", c.in, got, c.want)
		}
	}
}

func TestTree(t *testing.T) {
	in := object("{n}", "{n}", "list", []any{"{t}", int64(3), nil, map[string]any{"${HOME}": "a{f}"}}, "empty", []any{})
	want := object("{n}", int64(8080), "list", []any{true, int64(3), nil, map[string]any{"${HOME}": "a1.5"}}, "empty", []any{})
	before := String(in)
	got := testValues.Tree(in)
	if String(got) != String(want) || !reflect.DeepEqual(got, want) {
		t.Errorf("Tree = %s, want %s", String(got), String(want))
	}
	if String(in) != before {
		t.Errorf("Tree changed its input to %s", String(in))
	}
	if got := testValues.Tree((*item.Object)(nil)).(*item.Object); got.Len() != 0 {
		t.Errorf("Tree of a nil Object has %d keys", got.Len())
	}
}

// A value that holds itself cannot come from a document; it must not take the process down all the same.
func TestTreeOfItself(t *testing.T) {
	loop := []any{"{n}", nil}
	loop[1] = loop
	testValues.Tree(loop)
	if got := String(loop); !strings.HasPrefix(got, `["{n}",["{n}",[`) {
		t.Errorf("String of a loop starts %.40q", got)
	}
}

func TestString(t *testing.T) {
	for _, c := range []struct {
		in   any
		want string
	}{
		{nil, ""},
		{"a\xff<b>\n", "a\xff<b>\n"},
		{true, "true"},
		{false, "false"},
		{int64(math.MinInt64), "-9223372036854775808"},
		{7, "7"},
		{1.0, "1"},
		{0.1, "0.1"},
		{1e6, "1000000"},
		{1e21, "1e+21"},
		{math.Inf(-1), "-Inf"},
		{json.Number("1.50"), "1.50"},
		{[]any(nil), "[]"},
		{[]any{math.Inf(1), json.Number("x"), json.Number("1.50")}, `["+Inf","x",1.50]`},
		{(*item.Object)(nil), "{}"},
		{map[string]any{"b": "<&>", "a": []any{nil, true}}, `{"a":[null,true],"b":"<&>"}`},
		{object("b", object("<k>", "v"), "a", "é\n"), `{"b":{"<k>":"v"},"a":"é\n"}`},
	} {
		if got := String(c.in); got != c.want {
			t.Errorf("String(%#v) = %q, want %q", c.in, got, c.want)
		}
	}
}

func TestNames(t *testing.T) {
	got := Names("{a} ${A} ${b} {c-d}{a} {{e}} ${F:-{g}} {h i} {")
	if want := []string{"a", "c-d", "e", "h i"}; !slices.Equal(got, want) {
		t.Errorf("Names = %q, want %q", got, want)
	}
}

// Texts whose opening marks never close must cost one walk, not one walk per mark.
func TestLongTexts(t *testing.T) {
	for _, unit := range []string{"${A:-", "${", "{", "$", "{a", "${A", "}", "{a}", "${A}", "'", "\"", "(", "$(", "$((", "${x:-"} {
		text := strings.Repeat(unit, 1<<18/len(unit))
		if got := (Values{}).Text(text); got != text {
			t.Errorf("a long text of %q changed", unit)
		}
		if got, err := (Values{}).Shell(text); got != text || err != nil {
			t.Errorf("a long script of %q changed: %v", unit, err)
		}
	}
}
