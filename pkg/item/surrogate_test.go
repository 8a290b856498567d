package item

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
)

func TestDecodeParametersRefusesHalfPairs(t *testing.T) {
	for text, where := range map[string]string{
		`{"a": "\udcff"}`:  "line 1, column 8",
		`{"a": "x\ud800"}`: "line 1, column 9",
		`{"\uDFFF": 1}`:    "line 1, column 3",
		"{\n" + ` "a": ["\ud83d\ude00", "\ud83d \ude00"]}`: "line 2, column 25",
		`{"a": "\ud83d\ud83d\ude00"}`:                      "line 1, column 8",
		`{"a": "\ud83d\n\ude00"}`:                          "line 1, column 8",
		`{"a": "\\\ud800"}`:                                "line 1, column 10",
	} {
		params, err := DecodeParameters([]byte(text))
		if params != nil || TypeOf(err) != TypeUsage || !strings.Contains(err.Error(), "surrogate pair") || !strings.Contains(err.Error(), where) {
			t.Errorf("%s: %v, %v, want %s", text, params, err, where)
		}
	}
	for text, want := range map[string]string{
		`{"a": "\ud83d\ude00"}`: "😀", `{"a": "\\ud800"}`: `\ud800`, `{"a": "\ufffd"}`: "\ufffd", `{"a": "\\\ud83d\ude00"}`: `\😀`,
	} {
		if params, err := DecodeParameters([]byte(text)); err != nil || params["a"] != want {
			t.Errorf("%s: %q, %v, want %q", text, params["a"], err, want)
		}
	}
}

// FuzzDecodeParameters: what is accepted arrives as it was written. Encoded again, it decodes to the same, and no
// character is in it that is not in the text.
func FuzzDecodeParameters(f *testing.F) {
	for _, seed := range []string{
		`{}`, `{"a": 1e400, "b": [null, true, "\ud83d\ude00"]}`, `{"a": "\udcff"}`, "{\"a\": \"\xff\"}", `{} {}`, `null`, `{"a": "\\ud800"}`, `[1]`, ``,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		params, err := DecodeParameters(data)
		if err != nil {
			if params != nil || TypeOf(err) != TypeUsage {
				t.Fatalf("%v with %v", err, params)
			}
			return
		}
		encoded, err := AppendJSON(nil, params)
		if err != nil {
			t.Fatal(err)
		}
		if again, err := DecodeParameters(encoded); err != nil || !reflect.DeepEqual(again, params) {
			t.Fatalf("%q became %q: %v", data, encoded, err)
		}
		replaced := strings.ContainsRune(string(encoded), '\ufffd')
		if replaced && !strings.ContainsRune(string(data), '\ufffd') && !strings.Contains(strings.ToLower(string(data)), `\ufffd`) {
			t.Fatalf("a character of %q was replaced: %q", data, encoded)
		}
		if !json.Valid(data) {
			t.Fatalf("%q is no JSON", data)
		}
	})
}
