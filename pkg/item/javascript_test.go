package item

import (
	"bytes"
	"context"
	"encoding/json"
	"maps"
	"math"
	"os/exec"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestReadJavaScriptLiterals(t *testing.T) {
	tests := []struct {
		literal string
		want    any
	}{
		{`'it"s'`, `it"s`},
		{`""`, ""},
		{`"a\n\t\v\b\f\r\0\'\"\\\/\q"`, "a\n\t\v\b\f\r\x00'\"\\/q"},
		{`"\x41\u00e9\u{1F600}\ud83d\ude00"`, "Aé😀😀"},
		{`"\ud83d!\ude00"`, "\ufffd!\ufffd"},
		{`"\101\7\377\400\8\08"`, "A\aÿ 08\x008"},
		{"'one \\\n  line \\\r\nmore'", "one   line more"},
		{"`a\n'b'\\`\\${c} $d`", "a\n'b'`${c} $d"},
		{"`a\r\nb\rc`", "a\nb\nc"},
		{"0x_f", nil}, // not a number of the language
		{"0xFf", int64(255)},
		{"0o17", int64(15)},
		{"0B1_01", int64(5)},
		{"1_000", int64(1000)},
		{"1e3", int64(1000)},
		{"1.50", 1.5},
		{".5e-1", 0.05},
		{"5.", int64(5)},
		{"-7", int64(-7)},
		{"- /* minus */ (2.5)", -2.5},
		{"+3", int64(3)},
		{"9007199254740992", int64(1) << 53},
		{"9007199254740994", float64(9007199254740994)},
		{"true", true},
		{"[1, [2,], ]", list(int64(1), list(int64(2)))},
		{`{a: 1, "b c": {}, 3: 'x', 0x10: 1, 1.50: 2, ["d" + 'e']: null, if: true, async: false,}`,
			object("a", int64(1), "b c", NewObject(), "3", "x", "16", int64(1), "1.5", int64(2),
				"de", nil, "if", true, "async", false)},
		{`{a: 1, b: undefined, a: 2}`, object("a", int64(2))},
		{`{["__proto__"]: 1}`, object("__proto__", int64(1))},
		{"'a' + \"b\" + `c`", "abc"},
		{`("a" + ("b"))`, "ab"},
		{`{a: [ /* 1 */ "//", '/*' ] // }` + "\n}", object("a", list("//", "/*"))},
		{`{url: 'https://example.com/?a=1'}`, object("url", "https://example.com/?a=1")},
		{`Object.freeze({a: Object.freeze([1])})`, object("a", list(int64(1)))},
		{`{a: [] as string[], b: "x" as const} as const satisfies Record<string, { a: number }>`,
			object("a", list(), "b", "x")},
		{`(<any>{})`, nil},
		{"undefined", nil}, {"[undefined]", nil}, {"[,1]", nil}, {"[1,,2]", nil}, {"[...a]", nil}, {"{...a}", nil},
		{"{a}", nil}, {"{a() {}}", nil}, {"{get a() { return 1 }}", nil}, {"{a: b}", nil}, {"{[b]: 1}", nil},
		{"{[null]: 1}", nil}, {"{__proto__: null}", nil}, {"{'__proto__': null}", nil}, {`{\u0061: 1}`, nil},
		{"f()", nil}, {"new Map()", nil}, {"`a${1}`", nil}, {"tag`a`", nil}, {"/a/g", nil}, {"1n", nil}, {"0xFn", nil},
		{"1 + 1", nil}, {"'a' + 1", nil}, {"1 + 'a'", nil}, {"'a' + b", nil}, {"-'1'", nil}, {"!0", nil}, {"--1", nil},
		{"1e999", nil}, {"Infinity", nil}, {"NaN", nil}, {"() => ({})", nil}, {"function () { return 1 }", nil},
		{"class { static A = 1 }", nil}, {"{}.a", nil}, {"[1][0]", nil}, {"'a'.length", nil}, {"1 ? 2 : 3", nil},
		{"'a', B = 'b'", "a"}, {"'a'\n.length", nil}, {"[1]\n[0]", nil}, {"(1, 2)", nil}, {"a = 1", nil},
		{"Object.freeze", nil}, {"Object.freeze({a: 1}, 2)", nil}, {"Object.assign({})", nil}, {"null", "null"},
	}
	for _, tt := range tests {
		doc, err := readJavaScript([]byte("export const A = " + tt.literal + ";"))
		if err != nil {
			t.Errorf("%s: %v", tt.literal, err)
			continue
		}
		got, ok := doc.Values.Get("A")
		_, skipped := doc.Skipped["A"]
		switch {
		case tt.want == "null" && ok && got == nil:
		case tt.want == nil && (ok || !skipped):
			t.Errorf("%s: got %v, want a skipped name", tt.literal, got)
		case tt.want != nil && tt.want != "null" && !reflect.DeepEqual(got, tt.want):
			t.Errorf("%s: got %#v, want %#v", tt.literal, Plain(got), Plain(tt.want))
		}
	}
}

func TestReadJavaScriptStatements(t *testing.T) {
	tests := []struct {
		name, source string
		want         string   // the values as JSON
		skipped      []string // sorted
	}{
		{"declarations", "const A = 1, B = f(2, 3), C = {}\nlet D = 'd'; var E = null", `{"A":1,"C":{},"D":"d","E":null}`, []string{"B"}},
		{"no value", "let A, B: string\nvar C\nlet D = 1", `{"D":1}`, nil},
		{"shebang", "#!/usr/bin/env node\n// a signature\nconst A = 1", `{"A":1}`, nil},
		{"only a shebang", "#!/usr/bin/env node", `{}`, nil},
		{"mark", "\ufeff#!/usr/bin/env node\nconst A = 1", `{"A":1}`, nil},
		{"CommonJS", "'use strict'\nexports.A = 1\nmodule.exports.B = [2];exports.if = 3", `{"A":1,"B":[2],"if":3}`, nil},
		{"re-export", "const A = {}\nexports.A = A\nexports.B = A\nmodule.exports.A = A.b", `{}`, []string{"A", "B"}},
		{"re-export kept", "const A = {}\nexports.A = A;", `{"A":{}}`, nil},
		{"not exports", "foo.exports.A = 1\nmy.module.exports.B = 1\nx = exports.C = 1\nexports.D.e = 1\nexports.F == 1", `{}`, nil},
		{"later wins", "var A = 1; var A = 2; var B = 1; var B = f(); var C = f(); var C = 3", `{"A":2,"C":3}`, []string{"B"}},
		{"types", "const A: Record<string, { a: number }> = {a: {}}\nconst B: { a: string; b?: number[] } = {}\n" +
			"const C: Array<Array<string>>= []\nlet D!: (a: string, b: () => void) => void = 1, E: A | `x${string}` = 2",
			`{"A":{"a":{}},"B":{},"C":[],"D":1,"E":2}`, nil},
		{"types without values", "let a: Array<string>\nconst A = 1\nlet b: () => void\nvar B = 2\ndeclare const C: string\nexport const D: D = 4", `{"A":1,"B":2,"D":4}`, nil},
		{"as const", "export const A = [1] as const\nexport const B = 2 as const satisfies number\nlet c", `{"A":[1],"B":2}`, nil},
		{"depth", "function f() { const A = 1 }\nclass C { static B = 1; m() { var D = 1 } }\n{ const E = 1 }\n" +
			"if (x) { var F = 1 } else { var G = 1 }\nfor (const H = 1;;) {}\nconst I = 1\nnamespace N { export const J = 1 }", `{"I":1}`, nil},
		{"conditional", "if (x) var A = 1\nif (y)\n  var B = 1\nelse\n  var C = 1\nif (z) exports.D = 1", `{}`, nil},
		{"after do", "do { x } while (y)\nconst A = 1", `{"A":1}`, nil},
		{"destructuring", "const { a, b } = f()\nconst [c] = g()\nconst A = 1", `{"A":1}`, nil},
		{"semicolons", "const A = 1\nconst B = 2\n;[1].map(f)\nconst C = x\n  .then(y)\n  .z\nconst D = 4", `{"A":1,"B":2,"D":4}`, []string{"C"}},
		{"joined lines", "const A = 'a'\n  + 'b'\nconst B =\n  'c'\nconst C = 1\n+ 1", `{"A":"ab","B":"c"}`, []string{"C"}},
		{"functions", "const f = async () => {}\nconst A = 1\nfunction g(): { a: string } {}\nconst B = 2", `{"A":1,"B":2}`, []string{"f"}},
		{"objects", "const o = { const: 1, exports: 2 }.const\nimport x from 'x' with { type: 'json' }\nconst A = 1", `{"A":1}`, []string{"o"}},
		{"regexps", "const r = /[/'\"`]/g, s = a / b / c, A = 1\nx = y++ / '/' / 2\nif (x) /\"/.test(y)\nfunction f() {}\n/'/.test(z)\nz = {} / 2; w = b! / 2; v = this.return / 2\nconst B = 2 // '",
			`{"A":1,"B":2}`, []string{"r", "s"}},
		{"return", "function f() { return /}/ }\nconst g = () => /'/, A = 1\nx = typeof /'/ / 2", `{"A":1}`, []string{"g"}},
		{"templates", "x = `a${ {b: `}${1}`} }'`\nconst A = 1", `{"A":1}`, nil},
		{"decorators", "@tool({ a: 1 })\nclass X { #p = 1 }\nconst A = 1", `{"A":1}`, nil},
		{"old octals", "f(010)\nconst A = 1", `{"A":1}`, nil},
		{"html comment", "const A = 1 <!-- a comment\n--> another\nconst B = 2", `{"A":1,"B":2}`, nil},
		{"empty", "", `{}`, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			doc, err := readJavaScript([]byte(tt.source))
			if err != nil {
				t.Fatal(err)
			}
			if got := marshal(t, doc.Values); got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
			if got := slices.Sorted(maps.Keys(doc.Skipped)); !slices.Equal(got, tt.skipped) {
				t.Errorf("skipped %v, want %v", got, tt.skipped)
			}
		})
	}
}

func TestReadJavaScriptPositions(t *testing.T) {
	doc, err := readJavaScript([]byte("// é\nexport const É = 'ü', A: string =\n  'a'\nexports.B = f()\n"))
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]Position{"É": {2, 18}, "A": {3, 3}}
	if !maps.Equal(doc.Positions, want) {
		t.Errorf("got %v, want %v", doc.Positions, want)
	}
	if got := doc.Skipped["B"]; got != (Position{4, 13}) {
		t.Errorf("B is skipped at %v", got)
	}
}

func TestReadJavaScriptErrors(t *testing.T) {
	tests := []struct {
		source  string
		pos     Position
		message string
	}{
		{"const A = 'abc\nconst B = 1", Position{1, 11}, "string has no closing quote"},
		{"x\n  `abc${1}\n", Position{2, 10}, "template has no closing"},
		{"/* a\n", Position{1, 1}, "comment has no closing"},
		{"x = /abc\n", Position{1, 5}, "regular expression has no closing"},
		{"f({\n  a: [1,\n}", Position{3, 1}, `"}" cannot close the "[" of line 2`},
		{"a\n)", Position{2, 1}, `")" closes nothing`},
		{"f(\n {", Position{2, 2}, `"{" is never closed`},
		{"const A = {\n  a: 'x\\u12'\n}", Position{2, 6}, `bad escape at "\\u12"`},
		{`A = 1; const B = "\u{110000}"`, Position{1, 18}, "bad escape"},
		{`const A = "\xg0"`, Position{1, 11}, "bad escape"},
		{"const A = `\\1`", Position{1, 11}, "bad escape"},
		{"a\n\xff", Position{2, 1}, "not UTF-8"},
		{"a\n\x00", Position{2, 1}, "NUL"},
		{"const A = " + strings.Repeat("[", 300) + strings.Repeat("]", 300), Position{1, 212}, "nested deeper than 200"},
		{"const A = " + strings.Repeat("- ", 300) + "1", Position{1, 413}, "nested deeper than 200"},
		{"const A = " + strings.Repeat("{[", 300) + strings.Repeat("]:1}", 300), Position{1, 413}, "nested deeper than 200"},
	}
	for _, tt := range tests {
		doc, err := readJavaScript([]byte(tt.source))
		checkSyntaxError(t, tt.source, doc, err, tt.pos, tt.message)
	}
}

// The lexer writes behind the slice that it is given, which here is another goroutine's part of the same array.
func TestReadJavaScriptKeepsItsHandsOff(t *testing.T) {
	data := []byte("const A = 1\nconst B = 2\n")
	if _, err := readJavaScript(data[:12]); err != nil {
		t.Fatal(err)
	}
	if !bytes.HasPrefix(data[12:], []byte("const B")) {
		t.Errorf("the bytes behind the source became %q", data[12:])
	}
}

func TestReadJavaScriptLikeNode(t *testing.T) {
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("node is not installed: there is nothing to compare with")
	}
	literals := []string{
		`{}`, `[]`, `""`, `null`, `true`, `[[[]], {}]`, `{a: {b: {c: [1, {d: 2}]}}}`,
		`{1: 'a', 'b': 1, c: [null, true, false], ['d' + "e"]: 2}`,
		`{a: undefined, b: 1,}`, `{a: 1, a: 2, "a": 3}`, `{if: 1, class: 2, get: 3, set: 4, static: 5, async: 6, of: 7}`,
		`{0x1F: 1, 1e3: 2, .5: 3, 1_0: 4, 0b11: 5, 0o17: 6, 1e21: 7, 1e-7: 8, 123456789012345680000: 9}`,
		`[0, -0, 1, -1, 1.5, -1.5e-7, 1e21, 1e300, .1, 5., 0xff, 0XFF, 0b1010, 0o777, 1_000_000, 0xf_f]`,
		`[9007199254740991, 9007199254740993, 123456789012345678901234567890, 0xffffffffffffffffff, 5e-324, 0.1e1]`,
		`['\n\t\v\b\f\r\0', "\'\"\\\/", '\x00\xff', '\u0041\u{41}\u{1f600}\ud83d\ude00', '\a\c\d\ \-']`,
		"['a\\\nb', `multi\nline`, `\\``, `$ {} \\${a}`, `'\"`]", "[`\\\n`, `a\r\nb`, 'a\\\r\nb']",
		`["\0a", "é", "日本語", "😀", "\u2028", "` + "\u2028" + `"]`,
		`"a" + "b" + 'c'`, `("a") + ("b" + "c")`, "{a: 'x' + `y`, b: ('z')}", `(((1)))`, `[(1), ([2]), ({})]`,
		`/* a */ { /* b */ a /* c */ : /* d */ 1 /* e */ , // f` + "\n b: 2 }",
		`{ "//": "/* */", '/*': '//' }`, `{ url: "https://x.example/?q=[]{}" }`, `- 5`, `-(5)`, `+5`, `+ .5`, `- -5`,
		`Object.freeze({a: Object.freeze([1, 2])})`, `Object . freeze ( [ ] )`, `{"a b": 1, "": 2, "\u0061": 3}`,
		`{["x"]: 1, [1]: 2, [1.5]: 3, [-1]: 4}`, `{$: 1, _: 2, é: 3, a1: 4}`, `[[1, 2,], [3,],]`, `"\1\12\177\08"`,
		`{type: "object", properties: {a: {type: 'string', default: ""}}, required: ["a"]}`,
		`{["__proto__"]: {a: 1}}`, `{constructor: 1, hasOwnProperty: 2, toString: 3}`, "'\\\n'",
	}
	var script strings.Builder
	script.WriteString("const out = [];\n")
	for _, l := range literals {
		script.WriteString("out.push(JSON.stringify(" + l + "));\n")
	}
	script.WriteString("process.stdout.write(JSON.stringify(out));\n")
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, node, "-")
	cmd.Stdin = strings.NewReader(script.String())
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("node: %v", err)
	}
	var want []string
	if err := json.Unmarshal(out, &want); err != nil {
		t.Fatal(err)
	}
	for i, l := range literals {
		doc, err := readJavaScript([]byte("var A = " + l + "\nvar B"))
		if err != nil {
			t.Errorf("%s: %v", l, err)
			continue
		}
		v, ok := doc.Values.Get("A")
		if !ok {
			t.Errorf("%s is no literal, node has %s", l, want[i])
			continue
		}
		if got := marshal(t, v); !sameJSON(t, got, want[i]) {
			t.Errorf("%s: got %s, node has %s", l, got, want[i])
		}
	}
}

// sameJSON compares values, with numbers as doubles and without the order of keys: JavaScript sorts those that are numbers.
func sameJSON(t testing.TB, a, b string) bool {
	t.Helper()
	var x, y any
	if err := json.Unmarshal([]byte(a), &x); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(b), &y); err != nil {
		t.Fatal(err)
	}
	return reflect.DeepEqual(x, y)
}

// Whatever the bytes are, the answer is the same twice, has its places in the file and is not nested too deep; and
// JSON, which is a literal of the language, has the value that readJSON gives it.
func FuzzJavaScript(f *testing.F) {
	for _, seed := range []string{
		"export const __version__ = '1.0.0';\nexport const CONFIG: Record<string, {a: number}> = {a: [1, -2.5e3, 0x1f,],} as const\n",
		"#!/usr/bin/env node\nexports.A = `a${b}` + 'c\\u{1f600}'; if (a) /x/.test(b) / c\n",
		`{"a": [1, "\u2028", {"b": null}], "": -0.5e-7}`, `{"a": 12345678901234567890}`,
		"let a: () => void\n@d class X { #y }\n", "#", "<!--", "\\", "`${`", "const A={[", "0777n", "1.e", "/*", "a\n/", "x?.1",
		"const A = " + strings.Repeat("[", 250) + strings.Repeat("]", 250),
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		doc, err := readJavaScript(data)
		if isReadable(t, data, doc, err) {
			checkDepth(t, doc.Values, maxDepth+1)
		}
		again, err2 := readJavaScript(data)
		if !reflect.DeepEqual(doc, again) || (err == nil) != (err2 == nil) {
			t.Fatal("two readings differ")
		}
		fromJSON, err := readJSON(data)
		if err != nil || bytes.Contains(data, []byte("__proto__")) || hugeNumber(fromJSON.Values) || bytes.HasPrefix(data, byteOrderMark) {
			return
		}
		fromJS, err := readJavaScript(slices.Concat([]byte("const A = "), data))
		if err != nil {
			var tooDeep = strings.Contains(err.Error(), "nested deeper")
			if !tooDeep {
				t.Fatalf("JSON is no JavaScript: %v", err)
			}
			return
		}
		if a, b := marshal(t, fromJSON.Values), marshal(t, fromJS.Values.Object("A")); !sameJSON(t, a, b) {
			t.Fatalf("JSON has %s, JavaScript has %s", a, b)
		}
	})
}

func checkDepth(t testing.TB, v any, levels int) {
	t.Helper()
	if levels < 0 {
		t.Fatal("the values are nested too deep")
	}
	switch v := v.(type) {
	case *Object:
		for _, e := range v.All() {
			checkDepth(t, e, levels-1)
		}
	case []any:
		for _, e := range v {
			checkDepth(t, e, levels-1)
		}
	}
}

// hugeNumber finds integers that JavaScript, which has doubles only, reads as another number.
func hugeNumber(v any) bool {
	switch v := v.(type) {
	case int64:
		return math.Abs(float64(v)) > 1<<53
	case *Object:
		for _, e := range v.All() {
			if hugeNumber(e) {
				return true
			}
		}
	case []any:
		return slices.ContainsFunc(v, hugeNumber)
	}
	return false
}
