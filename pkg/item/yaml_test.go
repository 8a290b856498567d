package item

import (
	"fmt"
	"maps"
	"strings"
	"testing"
)

func TestReadYAML(t *testing.T) {
	tests := []struct{ source, want string }{
		{"", `{}`}, {"# a comment\n", `{}`}, {"---\n", `{}`}, {"\ufeffa: 1", `{"a":1}`}, {"null", `{}`},
		{"z: 1\na: 2\nm: {y: 1, b: 2}\n", `{"z":1,"a":2,"m":{"y":1,"b":2}}`},
		{"a: ~\nb:\nc: Null\nd: 'null'", `{"a":null,"b":null,"c":null,"d":"null"}`},
		{"a: true\nb: False\nc: yes\nd: !!str true", `{"a":true,"b":false,"c":"yes","d":"true"}`},
		{"a: 0x1f\nb: 0o17\nc: -3\nd: 1_000\ne: 18446744073709551615\nf: !!float 3", `{"a":31,"b":15,"c":-3,"d":1000,"e":18446744073709552000,"f":3}`},
		{"a: 1.50\nb: 1e3\nc: 1.0.0\nd: '1'", `{"a":1.5,"b":1000,"c":"1.0.0","d":"1"}`},
		{"a: 2026-01-02\nb: 2026-01-02T03:04:05Z\nc: 12:30", `{"a":"2026-01-02","b":"2026-01-02T03:04:05Z","c":"12:30"}`},
		{"a: |\n  x\n  y\nb: >-\n  x\n  y\n", `{"a":"x\ny\n","b":"x y"}`},
		{"1: a\ntrue: b\n2026-01-02: c\n~: d\n1.50: e", `{"1":"a","true":"b","2026-01-02":"c","~":"d","1.50":"e"}`},
		{"a: &x [1]\nb: *x\nc: &k key\n*k : 2", `{"a":[1],"b":[1],"c":"key","key":2}`},
		{"a: &x {p: 1, q: 2}\nb:\n  first: 0\n  <<: *x\n  q: 3\n  last: 4", `{"a":{"p":1,"q":2},"b":{"first":0,"p":1,"q":3,"last":4}}`},
		{"<<: [{a: 1}, {a: 2, b: 3}]\nc: 4", `{"a":1,"b":3,"c":4}`},
		{"a: {'<<': 1}\nb: <<", `{"a":{"\u003c\u003c":1},"b":"\u003c\u003c"}`},
		{"a: 1\n...\n", `{"a":1}`},
		{"a:\r\n  - b\r\n", `{"a":["b"]}`},
	}
	for _, tt := range tests {
		doc, err := readYAML([]byte(tt.source))
		if err != nil {
			t.Errorf("%q: %v", tt.source, err)
			continue
		}
		if got := marshal(t, doc.Values); got != tt.want {
			t.Errorf("%q: got %s, want %s", tt.source, got, tt.want)
		}
	}
}

// Aliases are copied, so that whoever changes one value does not change the other.
func TestReadYAMLCopiesAliases(t *testing.T) {
	doc, err := readYAML([]byte("a: &x {k: 1}\nb: *x\n"))
	if err != nil {
		t.Fatal(err)
	}
	doc.Values.Object("a").Set("k", int64(2))
	if got, _ := doc.Values.Object("b").Get("k"); got != int64(1) {
		t.Errorf("b.k became %v", got)
	}
}

func TestReadYAMLPositions(t *testing.T) {
	doc, err := readYAML([]byte("# é\né: 'x'\nb:\n  - 1\n<<: {m: 1}\n"))
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]Position{"é": {2, 4}, "b": {4, 3}, "m": {5, 5}}
	if !maps.Equal(doc.Positions, want) {
		t.Errorf("got %v, want %v", doc.Positions, want)
	}
}

func TestReadYAMLErrors(t *testing.T) {
	bomb := "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n"
	for i := 1; i < 9; i++ {
		bomb += fmt.Sprintf("a%d: &a%d [%s]\n", i, i, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*a%d, ", i-1), 10), ", "))
	}
	tests := []struct {
		source  string
		pos     Position
		message string
	}{
		{"x: 1\n  a: b\n", Position{2, 3}, "mapping values are not allowed"},
		{"x: 1\ny: [1,\nz: 2\n", Position{2, 1}, "did not find expected ',' or ']'"},
		{"x: 1\n- a\n", Position{2, 1}, "did not find expected key"},
		{"a: 1\n\n\n]\n", Position{4, 1}, "did not find expected"},
		{"x: 1\n\ty: 2\n", Position{2, 1}, "found a tab"},
		{"a: 1\nb: @c", Position{2, 1}, "cannot start any token"},
		{"a: 1\nb: [*c]", Position{2, 5}, "unknown anchor 'c'"},
		{"a: 1\nb: \x01", Position{2, 4}, "control characters"},
		{"a: 1\nb: {c: 1, d: 2, c: 3}", Position{2, 17}, `duplicate key "c": line 2`},
		{"a: 1\nb: 2\n'a': 3", Position{3, 1}, `duplicate key "a": line 1`},
		{"1: 1\n\"1\": 3", Position{2, 1}, `duplicate key "1"`},
		{"<<: {a: 1}\n<<: {b: 1}", Position{2, 1}, "second '<<'"},
		{"a:\n  <<: 1", Position{2, 7}, "'<<' merges a mapping"},
		{"? [a]\n: 1", Position{1, 3}, "key must be text"},
		{"a: 1\n---\nb: 2", Position{2, 1}, "second document"},
		{"- a", Position{1, 1}, "top level must be a mapping"},
		{"a: !!binary aGk=", Position{1, 4}, "binary"},
		{"a: !custom x", Position{1, 4}, `tag "!custom"`},
		{"a: !!set {x}", Position{1, 4}, `tag "!!set"`},
		{"a: !!int x", Position{1, 4}, "is not a !!int"},
		{"a: .inf", Position{1, 4}, "no JSON form"},
		{"a: [1, .NaN]", Position{1, 8}, "no JSON form"},
		{"a: &x [*x]", Position{1, 4}, "nested deeper than 200"},
		{"a: " + strings.Repeat("[", 201) + strings.Repeat("]", 201), Position{1, 204}, "nested deeper than 200"},
		{bomb, Position{1, 37}, "more than 100000 values"},
		{"a\xff: 1", Position{1, 2}, "not UTF-8"},
		{strings.Repeat("#", maxTree+1), Position{1, maxTree + 1}, "longer than"},
	}
	for _, tt := range tests {
		doc, err := readYAML([]byte(tt.source))
		checkSyntaxError(t, tt.source, doc, err, tt.pos, tt.message)
	}
}

func FuzzYAML(f *testing.F) {
	for _, seed := range []string{
		"a: &x {b: 1}\nc: {<<: *x}\nd: [*x, 2026-01-01, 0x1f, .5, ~]\n", "a: |\n  b\n c", "{a: &a [*a]}", "--- !t\n", "? a\n: b", "%YAML 1.2\n---\na: 'b",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		doc, err := readYAML(data)
		if !isReadable(t, data, doc, err) {
			return
		}
		checkDepth(t, doc.Values, maxDepth+1)
		// JSON is YAML: what was read means the same when it is written and read again.
		text := marshal(t, doc.Values)
		if len(text) > 1000 { // YAML keys on one line are at most 1024 bytes long
			return
		}
		again, err := readYAML([]byte(text))
		if err != nil {
			t.Fatalf("%s is refused: %v", text, err)
		}
		if got := marshal(t, again.Values); got != text {
			t.Fatalf("%s became %s", text, got)
		}
	})
}
