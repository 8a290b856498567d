package cas

import (
	"bytes"
	"encoding/json"
	"reflect"
	"testing"
)

// The results are what Python's json.dumps(value, sort_keys=True, separators=(",", ":")) gives, but for those marked.
func TestCanonical(t *testing.T) {
	for text, want := range map[string]string{
		`{}`:                             `{}`,
		" [ 1 ,\n2 ] ":                   `[1,2]`,
		`null`:                           `null`,
		`{"b":[true,false],"a":{}}`:      `{"a":{},"b":[true,false]}`,
		`{"é":1,"z":2,"":3,"Z":4}`:       `{"":3,"Z":4,"z":2,"\u00e9":1}`,
		`{"a":1,"a":2}`:                  `{"a":2}`,
		`"\u00E9\/\u2028<>&"`:            `"\u00e9/\u2028<>&"`,
		`"😀"`:                            `"\ud83d\ude00"`,
		`"\b\f\n\r\t\u0000\u007f\""`:     `"\b\f\n\r\t\u0000\u007f\""`,
		`123456789012345678901234567890`: `123456789012345678901234567890`,
		`-0`:                             `0`,
		`-0.0`:                           `-0.0`,
		`1.50`:                           `1.5`,
		`1e3`:                            `1000.0`,
		`1e15`:                           `1000000000000000.0`,
		`0.1`:                            `0.1`,
		`0.0001`:                         `0.0001`,
		`5e-324`:                         `5e-324`,
		`1.25E+300`:                      `1.25e300`, // Python: 1.25e+300
		`1e16`:                           `1e16`,     // Python: 1e+16
		`0.00001`:                        `0.00001`,  // Python: 1e-05
		`0.0000012`:                      `1.2e-6`,   // Python: 1.2e-06
	} {
		got, err := Canonical([]byte(text))
		if err != nil || string(got) != want {
			t.Errorf("%s: got %s, %v; want %s", text, got, err, want)
		}
	}
}

func TestCanonicalRefuses(t *testing.T) {
	for _, text := range []string{"", "{", "{} {}", "{}x", `"\ud800"`, "\"\xff\"", "1e999", "01", "NaN", "{1:2}"} {
		if got, err := Canonical([]byte(text)); err == nil {
			t.Errorf("%q: got %s, want an error", text, got)
		}
	}
}

// The canonical form is its own canonical form, means the same as the text, and is printable ASCII.
func FuzzCanonical(f *testing.F) {
	for _, seed := range []string{`{"b":[1,2.5e-7,"é\n"],"a":null}`, `[1e16,-0.0,"😀"]`, `"\ud83d\ude00"`, `{"a":{"a":{}}}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		got, err := Canonical(text)
		if err != nil {
			return
		}
		if i := bytes.IndexFunc(got, func(r rune) bool { return r < ' ' || r > '~' }); i >= 0 {
			t.Fatalf("%q has %q at %d", got, got[i], i)
		}
		again, err := Canonical(got)
		if err != nil || !bytes.Equal(again, got) {
			t.Fatalf("%q becomes %q, %v", got, again, err)
		}
		var before, after any
		if json.Unmarshal(text, &before) != nil { // a number that fits no float64
			return
		}
		if err := json.Unmarshal(got, &after); err != nil || !reflect.DeepEqual(before, after) {
			t.Fatalf("%q means %v, and %q means %v, %v", text, before, got, after, err)
		}
	})
}
