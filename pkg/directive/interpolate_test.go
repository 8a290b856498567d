package directive

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/ryeos/rye/pkg/item"
)

func lookup(name string) (string, bool) {
	value, ok := map[string]string{"HOME": "/h", "EMPTY": "", "TRICKY": "{input:who}"}[name]
	return value, ok
}

func TestInterpolate(t *testing.T) {
	in := Inputs{
		"who": "Bob", "n": json.Number("3"), "yes": true, "none": nil, "list": []any{"a", json.Number("1")},
		"map": map[string]any{"b": "<&>", "a": nil}, "evil": "{input:who}${inputs.who}{env:HOME}",
	}
	for text, want := range map[string]string{
		"{input:who}":               "Bob",
		"{input:lost}":              "{input:lost}",
		"{input:who?}{input:lost?}": "Bob",
		"{input:lost:a b}|{input:lost|c:d}|{input:who:no}":     "a b|c:d|Bob",
		"[{input:lost:}{input:lost|}]":                         "[]",
		"${inputs.who} ${inputs.lost} ${inputs.}":              "Bob ${inputs.lost} ${inputs.}",
		"{input:n} {input:yes} [{input:none}]":                 "3 true []",
		"{input:list} {input:map}":                             `["a",1] {"a":null,"b":"<&>"}`,
		"{env:HOME} {env:LOST} {env:LOST:d:e} [{env:EMPTY:d}]": "/h {env:LOST} d:e []",
		"{input:evil}":             "{input:who}${inputs.who}{env:HOME}",
		"{env:TRICKY}":             "{input:who}",
		"{input:lost:{input:who}}": "{input:who}",
		"{{input:who}} {input: who} {INPUT:who} $ {": "{Bob} {input: who} {INPUT:who} $ {",
		"{input:wh{input:who}":                       "{input:whBob",
	} {
		d := Document{Body: text, Content: text}
		filled, err := d.Interpolate(in, lookup)
		if err != nil || filled.Body != want || filled.Content != want {
			t.Errorf("%s: got %s, %v, want %s", text, filled.Body, err, want)
		}
		if d.Body != text {
			t.Errorf("%s was changed", text)
		}
	}
}

// Actions take inputs, in attributes and parameters, and nothing of the environment.
func TestInterpolateActions(t *testing.T) {
	d := mustParse(t, withXML(`<execute item_id="tool:{input:who}"><param name="p">{env:HOME} {input:who} {input:lost:x}</param></execute>`))
	filled, err := d.Interpolate(Inputs{"who": "Bob"}, lookup)
	if err != nil {
		t.Fatal(err)
	}
	got, err := json.Marshal(filled.Actions)
	if want := `[{"primary":"execute","item_id":"tool:Bob","params":{"p":"{env:HOME} Bob x"}}]`; err != nil || string(got) != want {
		t.Errorf("got %s, %v, want %s", got, err, want)
	}
	if id := d.Actions[0].Attributes.String("item_id"); id != "tool:{input:who}" {
		t.Errorf("the document was changed: %s", id)
	}
}

func TestInterpolateIsBounded(t *testing.T) {
	d := Document{Body: strings.Repeat("{input:x}", 20)}
	if _, err := d.Interpolate(Inputs{"x": strings.Repeat("a", 1<<20)}, nil); item.TypeOf(err) != item.TypeUsage {
		t.Errorf("20 MiB were put together: %v", err)
	}
	if _, err := d.Interpolate(Inputs{"x": strings.Repeat("a", 1<<19)}, nil); err != nil {
		t.Errorf("10 MiB are refused: %v", err)
	}
}
