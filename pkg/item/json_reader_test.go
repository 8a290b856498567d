package item

import (
	"encoding/json"
	"maps"
	"strings"
	"testing"
)

func TestReadJSON(t *testing.T) {
	tests := []struct{ source, want string }{
		{`{}`, `{}`}, {"\ufeff {\n}\n", `{}`},
		{`{"z": 1, "a": {"y": [null, true, 1.5, "x\u00e9\n"], "b": {}}, "": []}`, `{"z":1,"a":{"y":[null,true,1.5,"xé\n"],"b":{}},"":[]}`},
		{`{"a": 9223372036854775807, "b": 9223372036854775808, "c": 1.0, "d": -0, "e": 1e2}`, `{"a":9223372036854775807,"b":9223372036854776000,"c":1,"d":0,"e":100}`},
	}
	for _, tt := range tests {
		doc, err := readJSON([]byte(tt.source))
		if err != nil {
			t.Errorf("%q: %v", tt.source, err)
			continue
		}
		if got := marshal(t, doc.Values); got != tt.want {
			t.Errorf("%q: got %s, want %s", tt.source, got, tt.want)
		}
	}
	doc, err := readJSON([]byte("{\n \"é\" :\t\"é\", \"b\":[1],\n\"c\"\n:\n{}}"))
	if err != nil {
		t.Fatal(err)
	}
	if want := (map[string]Position{"é": {2, 8}, "b": {2, 17}, "c": {5, 1}}); !maps.Equal(doc.Positions, want) {
		t.Errorf("got %v, want %v", doc.Positions, want)
	}
}

func TestReadJSONErrors(t *testing.T) {
	tests := []struct {
		source  string
		pos     Position
		message string
	}{
		{"", Position{1, 1}, "unexpected end"},
		{"{\n \"a\": 1\n", Position{3, 1}, "unexpected end"},
		{"{\n  \"a\": 1,\n}", Position{3, 1}, "invalid character '}'"},
		{`{"é": 'x'}`, Position{1, 7}, "invalid character"},
		{"{}\n x", Position{2, 2}, "invalid character 'x' after top-level value"},
		{"{}{}", Position{1, 3}, "after top-level value"},
		{" [1]", Position{1, 2}, "top level must be an object"},
		{"null", Position{1, 1}, "top level must be an object"},
		{"{\"a\": 1,\n \"a\": 2}", Position{2, 2}, `duplicate key "a": line 1`},
		{"{\"a\": [{\"b\": 1,\n \"\\u0062\": 2}]}", Position{2, 2}, `duplicate key "b": line 1`},
		{`{"a": [1, -1e999]}`, Position{1, 11}, "too large"},
		{`{"a": ` + strings.Repeat("[", 201) + strings.Repeat("]", 201) + "}", Position{1, 207}, "nested deeper than 200"},
		{strings.Repeat("[", 20_000), Position{1, 10_001}, "exceeded max depth"},
		{"{\"a\": \"\xff\"}", Position{1, 8}, "not UTF-8"},
	}
	for _, tt := range tests {
		doc, err := readJSON([]byte(tt.source))
		checkSyntaxError(t, tt.source, doc, err, tt.pos, tt.message)
	}
}

func FuzzJSON(f *testing.F) {
	for _, seed := range []string{`{"a": [1, -2.5e3, "\ud800", {"b": null}], "c": true}`, `{"a": 1, "a": 2}`, `[`, `{"a": 1e999}`, `{"a": 1}x`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		doc, err := readJSON(data)
		if !isReadable(t, data, doc, err) {
			return
		}
		checkDepth(t, doc.Values, maxDepth+1)
		var want map[string]any
		if err := json.Unmarshal(data, &want); err != nil && !strings.HasPrefix(string(data), "\ufeff") {
			t.Fatalf("accepted what encoding/json refuses: %v", err)
		} else if err == nil && !sameJSON(t, marshal(t, doc.Values), marshal(t, want)) {
			t.Fatalf("got %s, want %s", marshal(t, doc.Values), marshal(t, want))
		}
	})
}
