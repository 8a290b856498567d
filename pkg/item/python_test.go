package item

import (
	"encoding/json"
	"maps"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// object builds the mapping that a test expects, from keys and values in turn.
func object(pairs ...any) *Object {
	o := NewObject()
	for i := 0; i < len(pairs); i += 2 {
		o.Set(pairs[i].(string), pairs[i+1])
	}
	return o
}

func list(values ...any) []any { return append([]any{}, values...) }

func TestReadPythonLiterals(t *testing.T) {
	tests := []struct {
		literal string
		want    any
	}{
		{`"plain"`, "plain"},
		{`'it"s'`, `it"s`},
		{`""`, ""},
		{`""""""`, ""},
		{`"""a"b""c"""`, `a"b""c`},
		{"'''two\nlines'''", "two\nlines"},
		{"'''two\r\nlines\rthree'''", "two\nlines\nthree"},
		{`r"\d\"\n"`, `\d\"\n`},
		{`R'\\'`, `\\`},
		{`u"ü"`, "ü"},
		{`b"\xff\101"`, "\xffA"},
		{`Rb"\x"`, `\x`},
		{`bR'\''`, `\'`},
		{`"\n\t\\\'\"\a\b\f\v\r"`, "\n\t\\'\"\a\b\f\v\r"},
		{`"\x41\101\0\1234\777"`, "AA\x00S4\u01ff"},
		{`"\u00e9\U0001F600"`, "é😀"},
		{`"\ud83d\ude00"`, "😀"},
		{`"\d\ü"`, `\d\ü`},
		{`"\/"`, `\/`},
		{`b"\u0041\N"`, `\u0041\N`},
		{"\"a\\\nb\"", "ab"},
		{`"a" 'b' r"\c"`, `ab\c`},
		{"(\"a\" # one\n  \"b\"\n)", "ab"},
		{"\"a\" \\\n  \"b\"", "ab"},
		{`"a" + "b" "c" + 'd'`, "abcd"},
		{`("a" "b") + ("c")`, "abc"},
		{`b"a" b"b"`, "ab"},
		{"0", int64(0)},
		{"00_0", int64(0)},
		{"1_000", int64(1000)},
		{"0x_fF", int64(255)},
		{"0o17", int64(15)},
		{"0B101", int64(5)},
		{"-7", int64(-7)},
		{"+7", int64(7)},
		{"9223372036854775807", int64(math.MaxInt64)},
		{"-9223372036854775808", int64(math.MinInt64)},
		{"9223372036854775808", 9223372036854775808.0},
		{"0xffffffffffffffffff", 4722366482869645213695.0},
		{"1.", 1.0},
		{".5", 0.5},
		{"1_0.5e-3", 0.0105},
		{"00.5", 0.5},
		{"1E3", 1000.0},
		{"-2.5", -2.5},
		{"True", true},
		{"False", false},
		{"None", nil},
		{"(1)", int64(1)},
		{"(1,)", list(int64(1))},
		{"1,", list(int64(1))},
		{"1, 'a', None", list(int64(1), "a", nil)},
		{"()", list()},
		{"[ ]", list()},
		{"[1, [2, (3,)],]", list(int64(1), list(int64(2), list(int64(3))))},
		{"[\n  1, # one\n\n\t2\n]", list(int64(1), int64(2))},
		{"{1, b'x'}", list(int64(1), "x")},
		{"{}", object()},
		{`{"a": {"b": [1]}, 'c': "d" "e",}`, object("a", object("b", list(int64(1))), "c", "de")},
		{`{"z": 1, "a": 2, "z": 3}`, object("z", int64(3), "a", int64(2))},
		{`{True: 1, False: 2, None: 3, 4: 5}`, object("true", int64(1), "false", int64(2), "null", int64(3), "4", int64(5))},
		{`{1.0: 0, 1e16: 0, 1e-5: 0, .0001: 0, -0.0: 0}`,
			object("1.0", int64(0), "1e+16", int64(0), "1e-05", int64(0), "0.0001", int64(0), "-0.0", int64(0))},
		{`{18446744073709551616: 0x10000000000000000}`, object("18446744073709551616", 18446744073709551616.0)},
		{`{"a" + "b": 1}`, object("ab", int64(1))},
	}
	for _, test := range tests {
		t.Run(test.literal, func(t *testing.T) {
			checkNames(t, "A = "+test.literal, object("A", test.want), nil)
		})
	}
}

func TestReadPythonNotLiteral(t *testing.T) {
	for _, value := range []string{
		`x`, `f()`, `f"a"`, `f"{x}" "b"`, `"a" f"b"`, `rf'\{x}'`, `t"{x}"`, `"a" + x`, `"a" + 1`, `b"a" + b"b"`, `"a" % x`,
		`"a".upper()`, `"ab"[1]`, `1 + 2`, `2 ** 3`, `1j`, `1 + 2j`, `-x`, `--1`, `~1`, `not 1`, `-True`, `1 if x else 2`,
		`1if x else 2`, `[x]`, `[*x]`, `[1 for x in y]`, `{**x}`, `{"a": x}`, `{"a": 1, **x}`, `{1: 2 for x in y}`, `{(1,): 2}`,
		`{b"a": 1}`, `{[]: 1}`, `lambda a=1: a`, `lambda: 1`, `...`, `"\N{DASH}"`, `"\ud800"`, `"\ude00\ud83d"`, `1e999`,
		`-1e999`, `1` + strings.Repeat("0", 400), `1` + strings.Repeat("0", 5000), `{1e999: 1}`, `1 == 1`, `{2**0: 0}`, `1 and 2`, `(yield)`,
		`*x, 1`, `1, x`, `[1, 2][0]`, `(1)(2)`, `x.y`, `{1: 2}[1]`,
	} {
		t.Run(value, func(t *testing.T) {
			checkNames(t, "A = 1\nA = "+value+"\nB = 2", object("B", int64(2)), []string{"A"})
		})
	}
}

func TestReadPythonStatements(t *testing.T) {
	one, two := int64(1), int64(2)
	tests := []struct {
		name, source string
		values       *Object
		skipped      []string
	}{
		{"empty", "", nil, nil},
		{"byte order mark", "\ufeffA = 1", object("A", one), nil},
		{"carriage returns", "A = 1\r\nB = (\r\n2)\rC = 1\r", object("A", one, "B", two, "C", one), nil},
		{"form feed", "\fA = 1\n  \fB = 2\n", object("A", one, "B", two), nil},
		{"annotated", "A: int = 1\nB: dict[str, 'x=y'] = {}\nC: int\n", object("A", one, "B", object()), nil},
		{"annotated with a lambda", "A: lambda x=1: x = 2\nB: lambda: 0\n", object("A", two), nil},
		{"chained", "A = B = 1\nC = x.y = D = 2\n", object("A", one, "B", one, "C", two, "D", two), nil},
		{"chained, not literal", "A = B = f()", nil, []string{"A", "B"}},
		{"semicolons", "import x; A = 1; B = 2;\n", object("A", one, "B", two), nil},
		{"joined lines", "A \\\n = \\\n 1\n", object("A", one), nil},
		{"last wins", "A = 1\nA = 2\n", object("A", two), nil},
		{"last wins over a call", "A = f()\nA = 2\n", object("A", two), nil},
		{"augmented", "A = 1\nA += 1\nB = 2\nB **= 2\n", nil, []string{"A", "B"}},
		{"comparison", "A == 1\nA <= 1\nA != 1\n", nil, nil},
		{"other targets", "a, A = 1, 2\n(B) = 1\nx.A = 1\nx['A'] = 1\n[A] = [1]\n*A, b = 1, 2\n", nil, nil},
		{"walrus", "(A := 1)\nf(A=1)\n", nil, nil},
		{"bodies", "if x:\n  A = 1\nelse:\n\tB = 1\nC = 1\n", object("C", one), nil},
		{"bodies on one line", "if x: A = 1; B = 2\nclass C: D = 1\ntry: E = 1\nexcept: F = 1\nfinally: G = 1\n", nil, nil},
		{"more bodies", "for x in y: A = 1\nwhile 0: A = 1\nwith x as y: A = 1\ndef f(): A = 1\nelse: A = 1\n", nil, nil},
		{"body after a joined line", "if x:\n  \\\nA = 1\n\\\n  B = 1\nC = 1\n", object("C", one), nil},
		{"soft keywords", "match = 1\ntype = 2\ncase: int = 1\n", object("match", one, "type", two, "case", one), nil},
		{"match and type", "match x := 1:\n  case A: pass\ntype A = int\n", nil, nil},
		{"lambda", "f(lambda a=1: a)\nlambda A=1: A\nA = lambda x, B=1: B\n", nil, []string{"A"}},
		{"brackets over lines", "f(\nA = 1,\n)\nx = [\nA\n]\nB = 1\n", object("B", one), []string{"x"}},
		{"string over lines", "x = f('''\nA = 1\n''')\nB = 1\n", object("B", one), []string{"x"}},
		{"comments", "# A = 1\nB = 1 # C = 2\n   # D = 1\nE = 2 # '''\n", object("B", one, "E", two), nil},
		{"decorators", "@f(x=1)\n@g\ndef h(a: int = 1) -> int:\n  '''A = 1'''\nA = 1\n", object("A", one), nil},
		{"formatted strings", `f"{a['x']}"` + "\nA = 1\n" + `f'{a['x']!r:>{w}}' f"""{
	b["""y"""] # }
	:{'{'}x}}}"""` + "\nB = 2\n", object("A", one, "B", two), nil},
		{"escapes in formatted strings", `f"\N{LEFT CURLY BRACKET}{{}}\{x}\"{x:\}" rf"\"\N{x}{{"` + "\nA = 1\n", object("A", one), nil},
		{"formats", `f"{x:%H:%M}{x!r:}{x:'}{x=!s:=^9}{x!=y}{ {'a': 1}['a']:}{x[1:2]:{f"{y:{z}}"}}"` + "\nA = 1\n", object("A", one), nil},
		{"names beyond ASCII", "größe = 1\nA = 1\n", object("A", one), nil},
		{"no newline after a comment", "A = 1\n# end", object("A", one), nil},
		{"numbers before words", "x = 1if 1else 2\ny = 0xfor 1\nz = 1..real\n", nil, []string{"x", "y", "z"}},
		{"coding cookie", "#!x\n# -*- coding: UTF_8 -*-\nA = 1\n", object("A", one), nil},
		{"ASCII in another encoding", "# vim: set fileencoding=latin-1 :\nA = 1\n", object("A", one), nil},
		{"coding cookie too late", "A = 1\n# coding: utf-16\n", object("A", one), nil},
		{"deep brackets", "A = " + strings.Repeat("(", 200) + "1" + strings.Repeat(")", 200), object("A", one), nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) { checkNames(t, test.source, test.values, test.skipped) })
	}
}

// checkNames compares all that readPython finds. A nil mapping is an empty one.
func checkNames(t *testing.T, source string, values *Object, skipped []string) {
	t.Helper()
	doc, err := readPython([]byte(source))
	if err != nil {
		t.Fatalf("readPython: %v", err)
	}
	if values == nil {
		values = NewObject()
	}
	if got, want := marshal(t, doc.Values), marshal(t, values); got != want || !reflect.DeepEqual(Plain(doc.Values), Plain(values)) {
		t.Errorf("values:\n got %s\nwant %s", got, want)
	}
	if got := slices.Sorted(maps.Keys(doc.Skipped)); !slices.Equal(got, skipped) {
		t.Errorf("skipped: got %q, want %q", got, skipped)
	}
	for name := range doc.Values.All() {
		if _, ok := doc.Positions[name]; !ok || len(doc.Positions) != doc.Values.Len() {
			t.Errorf("positions %v are not those of the values", doc.Positions)
		}
	}
}

// marshal shows a value with the order of its keys.
func marshal(t testing.TB, v any) string {
	t.Helper()
	out, err := json.Marshal(v)
	if err != nil {
		t.Fatalf("the value cannot be written as JSON: %v", err)
	}
	return string(out)
}

func TestReadPythonDocstring(t *testing.T) {
	for source, want := range map[string]string{
		"#!/usr/bin/env python3\n\n'''\n  What it does.\n\n  More.\n'''\nA = 1": "What it does.\n\n  More.",
		"'a' \"b\"; A = 1":       "ab",
		"r'''\\d'''":             `\d`,
		"b'no'":                  "",
		"f'no'":                  "",
		"'no' f'{x}'":            "",
		"'no'.strip()":           "",
		"'no', 'tuple'":          "",
		"'no' % x":               "",
		"'no' if x else 'y'":     "",
		"A = 'no'":               "",
		"import x\n'no'":         "",
		"def f():\n  'no'\n'no'": "",
		"'\\N{DASH}'\nA = 1":     "",
	} {
		doc, err := readPython([]byte(source))
		if err != nil {
			t.Errorf("readPython(%q): %v", source, err)
		} else if doc.Docstring != want {
			t.Errorf("readPython(%q): docstring %q, want %q", source, doc.Docstring, want)
		}
	}
}

func TestReadPythonPositions(t *testing.T) {
	doc, err := readPython([]byte("\ufeff'''ü\r\n'''; A = 'ü'; B = C = [\r\n]\r\nD: int = x\r\nE += 1\r\n"))
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]Position{"A": {2, 10}, "B": {2, 23}, "C": {2, 23}}
	if !maps.Equal(doc.Positions, want) {
		t.Errorf("positions: got %v, want %v", doc.Positions, want)
	}
	want = map[string]Position{"D": {4, 10}, "E": {5, 1}}
	if !maps.Equal(doc.Skipped, want) {
		t.Errorf("skipped: got %v, want %v", doc.Skipped, want)
	}
}
