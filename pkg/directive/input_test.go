package directive

import (
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/ryeos/rye/pkg/item"
)

// declared has the inputs of seed 002's sample error.
const declared = `<inputs>
<input name="name" type="string" required="true"/><input name="category" type="string" required="true"/>
<input name="description" type="string" default=""/></inputs>`

func TestBindFailures(t *testing.T) {
	d := mustParse(t, withXML(declared))
	for _, tt := range []struct {
		params map[string]any
		want   string
		hints  []string
	}{
		{nil, "Missing required inputs: name, category", nil},
		{map[string]any{"category": ""}, "Missing required inputs: name", nil},
		{map[string]any{"nam": 1, "zzz": 1}, "Unknown parameters: nam, zzz. Valid inputs: name, category, description", []string{`did you mean "name"?`}},
		{map[string]any{"name": []any{}, "category": map[string]any{}}, "Invalid inputs: name must be a string, not an array; category must be a string, not an object", nil},
	} {
		in, err := d.Bind(tt.params)
		var failure *InputError
		if in != nil || !errors.As(err, &failure) || failure.Error() != tt.want || item.TypeOf(err) != item.TypeUsage {
			t.Errorf("%v: got %v, want %s", tt.params, err, tt.want)
			continue
		}
		if got := item.HintsOf(err); !reflect.DeepEqual(got, tt.hints) {
			t.Errorf("%v: got the hints %q, want %q", tt.params, got, tt.hints)
		}
		list, err := json.Marshal(failure.Declared)
		if err != nil {
			t.Fatal(err)
		}
		if want := `[{"name":"name","type":"string","required":true},{"name":"category","type":"string","required":true},` +
			`{"name":"description","type":"string","required":false,"default":""}]`; string(list) != want {
			t.Errorf("declared_inputs: got %s, want %s", list, want)
		}
	}
}

func TestBindConverts(t *testing.T) {
	for _, tt := range []struct {
		kind        string
		value, want any // want is nil for a refusal
	}{
		{"string", "3", "3"},
		{"string", json.Number("3.10"), "3.10"},
		{"string", true, "true"},
		{"integer", "3", json.Number("3")},
		{"integer", " 3 ", json.Number("3")},
		{"integer", json.Number("123456789012345678901234567890"), json.Number("123456789012345678901234567890")},
		{"integer", 3.0, json.Number("3")},
		{"integer", json.Number("3.0"), int64(3)},
		{"integer", "3.5", nil},
		{"integer", "three", nil},
		{"integer", "", nil},
		{"integer", true, nil},
		{"integer", "1e999", nil},
		{"number", "3.5", json.Number("3.5")},
		{"number", int64(4), int64(4)},
		{"number", "NaN", nil},
		{"number", "0x10", nil},
		{"boolean", "TRUE", true},
		{"boolean", "false", false},
		{"boolean", false, false},
		{"boolean", "yes", nil},
		{"boolean", 1, nil},
		{"array", `["a", 1]`, []any{"a", json.Number("1")}},
		{"array", []any{1}, []any{1}},
		{"array", `["a"] ["b"]`, nil},
		{"array", "a", nil},
		{"object", `{"a": "b"}`, map[string]any{"a": "b"}},
		{"object", `["a"]`, nil},
		{"mystery", []any{1}, []any{1}},
	} {
		d := mustParse(t, withXML(`<inputs><input name="x" type="`+tt.kind+`"/></inputs>`))
		in, err := d.Bind(map[string]any{"x": tt.value})
		if tt.want == nil {
			if err == nil || !strings.HasPrefix(err.Error(), "Invalid inputs: x must be a") {
				t.Errorf("%s %#v: got %#v, %v, want a refusal", tt.kind, tt.value, in["x"], err)
			}
			continue
		}
		if err != nil || !reflect.DeepEqual(in["x"], tt.want) {
			t.Errorf("%s %#v: got %#v, %v, want %#v", tt.kind, tt.value, in["x"], err, tt.want)
		}
	}
}

func TestBindDefaultsAndReserved(t *testing.T) {
	d := mustParse(t, withXML(`<inputs><input name="n" type="integer" default="3"/><input name="opt"/><input name="model" required="true"/></inputs>`))
	params := map[string]any{"model": "m", "limit_overrides": map[string]any{"turns": 1}, "previous_thread_id": "t"}
	in, err := d.Bind(params)
	if want := (Inputs{"n": json.Number("3"), "model": "m"}); err != nil || !reflect.DeepEqual(in, want) {
		t.Errorf("got %v, %v, want %v", in, err, want)
	}
	if len(params) != 3 || d.Steers("model") || !d.Steers("limit_overrides") {
		t.Errorf("declared inputs do not go before reserved names: %v", params)
	}
	if in, err := d.Bind(map[string]any{"model": nil, "n": nil}); err != nil || !reflect.DeepEqual(in, Inputs{"model": nil, "n": nil}) {
		t.Errorf("null does not count as given: %v, %v", in, err)
	}
	open := mustParse(t, withXML(""))
	if in, err := open.Bind(map[string]any{"any": []any{1}, "model": "m"}); err != nil || !reflect.DeepEqual(in, Inputs{"any": []any{1}}) {
		t.Errorf("without inputs: got %v, %v", in, err)
	}
}

// Lists, completion and conversion of flags read a directive's inputs like a tool's parameters.
func TestInputsAreParameters(t *testing.T) {
	meta, err := item.ParseMetadata(item.Directive, "d.md", []byte(withXML(`<inputs><input name="n" type="integer" default="3">how many</input></inputs>`)))
	if err != nil {
		t.Fatal(err)
	}
	want := []item.Parameter{{Name: "n", Type: "integer", Default: "3", Description: "how many"}}
	if got := meta.Parameters(); !reflect.DeepEqual(got, want) || meta.OpenParameters() {
		t.Errorf("got %+v, open %v", got, meta.OpenParameters())
	}
	if meta, err = item.ParseMetadata(item.Directive, "d.md", []byte(withXML(""))); err != nil || !meta.OpenParameters() {
		t.Errorf("a directive without inputs takes anything: %v", err)
	}
}
