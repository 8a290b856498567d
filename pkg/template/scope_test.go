package template

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/ryeos/rye/pkg/item"
)

func document(t *testing.T, text string) map[string]any {
	t.Helper()
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.UseNumber()
	var m map[string]any
	if err := decoder.Decode(&m); err != nil {
		t.Fatal(err)
	}
	return m
}

const sample = `{
	"state": {"n": 3, "zero": 0, "no": false, "empty": "", "none": null, "list": [{"id": "a"}, "b", 7], "m": {"k": "${state.n}", "html": "<&>"}},
	"inputs": {"dir": "/tmp", "n": 5, "o": {"a": [1, true]}, "none": null},
	"_timestamp": 12
}`

// TestScopeFillValue is the grammar of spec/rye-agent §3.4, line by line.
func TestScopeFillValue(t *testing.T) {
	doc := document(t, sample)
	tests := []struct {
		template string
		want     any
	}{
		{"", ""}, {"plain", "plain"}, {"$", "$"}, {"${", "${"}, {"${state.n", "${state.n"}, {"a}", "a}"},
		{"${state.n}", json.Number("3")}, {"${ state.n }", json.Number("3")}, {"${state.no}", false}, {"${state.m}", doc["state"].(map[string]any)["m"]},
		{"${state.list.0.id}", "a"}, {"${state.list.-1}", json.Number("7")}, {"${state.list.3}", nil}, {"${state.list.-4}", nil}, {"${state.list.x}", nil},
		{"${nothing}", nil}, {"${state.n.deeper}", nil}, {"${state.empty.x}", nil},
		{"${state.none || state.n}", json.Number("3")}, {"${nothing || state.none}", nil}, {"${a||b||state.list.1}", "b"},
		{"${state.zero || state.n}", json.Number("0")}, {"${state.no || state.n}", false}, {"${state.empty || state.n}", ""},
		{"${nothing || }", nil}, {"${}", doc},
		{"n=${state.n}.", "n=3."}, {" ${state.n}", " 3"}, {"${state.n}${state.list.1}", "3b"},
		{"<${state.none}>", "<>"}, {"${state.m}!", `{"html":"<&>","k":"${state.n}"}!`}, {"${state.no}!", "false!"},
		{"${state.m.k}", "${state.n}"}, {"v: ${state.m.k}", "v: ${state.n}"}, // values are never scanned
		{"{input:dir}/x", "/tmp/x"}, {"{input:n}", "5"}, {"{input:o}", `{"a":[1,true]}`}, {"{input:none}", ""},
		{"{input:gone}", "{input:gone}"}, {"{input:gone?}", ""}, {"{input:gone:d}", "d"}, {"{input:gone|d}", "d"}, {"{input:gone:}", ""},
		{"{input:dir?}{input:dir:d}{input:dir|d}", "/tmp/tmp/tmp"}, {"{input:}", "{input:}"}, {"{input:a b}", "{input:a b}"}, {"{input:dir", "{input:dir"},
		{"${inputs.dir}", "/tmp"}, {"{dir} {input:n}", "{dir} 5"}, {"${a ${state.n}}", "}"},
	}
	for _, test := range tests {
		if got, err := (Scope{Values: doc}).Fill(test.template); err != nil || !reflect.DeepEqual(got, test.want) {
			t.Errorf("Fill(%q) = %#v, want %#v: %v", test.template, got, test.want, err)
		}
	}
}

func TestScopeFill(t *testing.T) {
	var nulls []string
	s := Scope{Values: document(t, sample), Null: func(expression string) { nulls = append(nulls, expression) }}
	object := item.NewObject()
	object.Set("${state.n}", []any{"${state.n}", true, nil, map[string]any{"x": "a${gone}b"}})
	object.Set("y", "${gone || state.none}")
	filled, err := s.Fill(object)
	if err != nil {
		t.Fatal(err)
	}
	got := item.Plain(filled)
	want := map[string]any{"${state.n}": []any{json.Number("3"), true, nil, map[string]any{"x": "ab"}}, "y": nil}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %#v, want %#v: keys are no templates", got, want)
	}
	if want := []string{"gone", "gone || state.none"}; !slices.Equal(nulls, want) {
		t.Errorf("told of the nulls %q, want %q", nulls, want)
	}
}

// TestScopeTooLong: a short template that asks for a long value often is refused before it is as long as it wants to be.
func TestScopeTooLong(t *testing.T) {
	s := Scope{Values: map[string]any{"v": strings.Repeat("x", 1<<20)}}
	for _, n := range []int{64, 65, 1_000_000} {
		_, err := s.Text(strings.Repeat("${v}", n))
		if (err != nil) != (n > 64) {
			t.Errorf("%d MiB: %v", n, err)
		}
		_, err = s.Fill([]any{strings.Repeat("${v}", 32), map[string]any{"k": strings.Repeat("{input:x|}${v}", n-32)}})
		if (err != nil) != (n > 64) {
			t.Errorf("%d MiB in two texts: %v", n, err)
		}
	}
}

func TestPaths(t *testing.T) {
	got := Paths("a ${state.x || inputs.y} {input:z?} ${} $ {no} ${state.w")
	if want := []string{"state.x", "inputs.y", "inputs.z", ""}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// FuzzScope: what stands around expressions stays, values appear as they are and are never scanned, and a template
// without expressions is its own result.
func FuzzScope(f *testing.F) {
	for _, text := range []string{"", "${v}", "x${v}y", "${w || v}", "{input:v}", "{input:w:${v}}", "${{input:v}}", "${v}${", "{input:v|}}", "${}x", "$${v}"} {
		f.Add(text, "${v}{input:v}")
	}
	f.Fuzz(func(t *testing.T, text, value string) {
		fill := func(value string) string {
			filled, err := Scope{Values: map[string]any{"v": value, "inputs": map[string]any{"v": value}}}.Text(text)
			if err != nil {
				t.Fatal(err)
			}
			return filled
		}
		var joined strings.Builder
		plain, whole := true, false
		for p := range expressions(text) {
			joined.WriteString(p.text)
			plain = plain && p.kind == literalText
			whole = whole || p.kind == pathExpression && slices.ContainsFunc(operands(p.body), func(path string) bool { return path == "" || path == "inputs" })
		}
		if joined.String() != text {
			t.Fatalf("the pieces of %q are %q", text, joined.String())
		}
		if plain && fill(value) != text {
			t.Fatalf("%q without expressions became %q", text, fill(value))
		}
		const marker = "\x02mark\x03"
		if !whole && !strings.Contains(text, marker) && strings.ReplaceAll(fill(marker), marker, value) != fill(value) {
			t.Fatalf("%q with %q gives %q", text, value, fill(value))
		}
	})
}
