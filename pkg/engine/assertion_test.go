package engine

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/ryeos/rye/pkg/item"
)

// readAssertion reads "key: value" as a spec has it.
func readAssertion(t *testing.T, line string) (*assertion, error) {
	t.Helper()
	doc, err := item.ReadDocument("x.yaml", []byte(line))
	if err != nil {
		t.Fatalf("%s: %v", line, err)
	}
	for key, value := range doc.Values.All() {
		return newAssertion(key, value)
	}
	t.Fatalf("%s is no assertion", line)
	return nil, nil
}

func TestAssertions(t *testing.T) {
	document := testDocument(&item.Response{Status: item.StatusSuccess, Data: json.RawMessage(`{
		"n": 3, "f": 2.50, "s": "a [b] c", "t": true, "z": null, "l": ["x", {"k": 1}, 42], "m": {"k": "v"}, "a in b": 1,
		"path": "hidden", "success": "yes"}`)})
	holds := []string{
		"n: 3", "n: 3.0", "t: true", "z: null", "gone: null", "l.0: x", "l.-1: 42", "m.k: v", "l: [x, {k: 1}, 42]", "m: {k: v}",
		"n == 3: true", "n != 4: true", "n == 4: false", "n >= 3: true", "n <= 3: true", "n > 2.9: true", "n < 3: false", "f == 2.5: true",
		"s == a [b] c: true", "s == 'a [b] c': true", `'s == "a [b] c"': true`, "t == true: true", "z == null: true", "n == '3': false",
		"'l == [x, {k: 1}, 42]': true", "'m != {k: w}': true",
		"s contains [b]: true", "s contains null: false", "l contains x: true", "l contains 42: true", "m contains k: true", "f contains 2.50: true",
		"s regex ^a.*c$: true", "s regex '[b]': true", "n regex ^3$: true", "gone regex .*: false",
		"n exists: true", "n exists true: true", "z exists: false", "gone.deep exists x: false",
		"n in [1, 3]: true", "s in [a, b]: false", "z in [null]: true", "m.k in [v, w]: true",
		"  n   ==   3  : true", "l.1.k  ==\t1: true",
		"data.path: hidden", "path exists: false", "success: true", "data.success: 'yes'",
	}
	for _, line := range holds {
		a, err := readAssertion(t, line)
		if err != nil {
			t.Errorf("%s: %v", line, err)
			continue
		}
		if r := a.check(document); !r.Passed {
			t.Errorf("%s does not hold", r)
		}
	}
}

func TestAssertionsSayWhatTheyFound(t *testing.T) {
	document := map[string]any{"n": json.Number("3"), "s": "a\x1bb", "long": strings.Repeat("é", 5000)}
	for line, want := range map[string]string{
		"n: 4":              "n: 4 — got 3",
		"n == 3: false":     "not n == 3 — got 3",
		"n exists: false":   "not n exists — got 3",
		"gone exists: true": "gone exists — got nothing",
		"s: b":              `s: "b" — got "a\x1bb"`,
		"n in [1, 2]: true": "n in [1, 2] — got 3",
		"m: {a: [1]}":       `m: {"a":[1]} — got nothing`,
		"n: null":           "n: null — got 3",
	} {
		a, err := readAssertion(t, line)
		if err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		if got := a.check(document).String(); got != want {
			t.Errorf("%s: got %s, want %s", line, got, want)
		}
	}
	a, _ := readAssertion(t, "long: x")
	actual, _ := a.check(document).Actual.(string)
	if !strings.HasSuffix(actual, "é… (10000 bytes)") || len(actual) > maxExcerpt+100 {
		t.Errorf("a long value is shown as %d bytes that end in %q", len(actual), actual[len(actual)-30:])
	}
}

func TestAssertionsRefused(t *testing.T) {
	for line, want := range map[string]string{
		"n == 3: 3":              `"n == 3" compares by itself`,
		"n exists: 1":            `"n exists" compares by itself`,
		"n ==: true":             "the operator == needs a value",
		"n in: true":             "the operator in needs a value",
		"n in 3: true":           "'in' needs a list",
		"'n in {a: 1}': true":    "'in' needs a list",
		"'n in [1': true":        "'in' needs a list",
		"'n == [1': true":        `"[1" is no list and no mapping`,
		`"n == [1]\nx: 2": true`: `"[1]\nx: 2" is no list and no mapping`,
		"s regex (: true":        `the pattern "(" is not supported`,
		"' ': 1":                 "an assertion needs a path",
	} {
		if _, err := readAssertion(t, line); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: got %v, want %s", line, err, want)
		}
	}
}

// FuzzAssertionKey: a key is refused, or a comparison and its negation never agree; without an operator, the whole key is the
// path.
func FuzzAssertionKey(f *testing.F) {
	for _, seed := range []string{"a.b == 3", "a exists", "a in [x, {y: 1}]", "a regex ^[a-z]+$", "a contains 'x'", "a == {k: &x [1]}", "a in in", "==", "a >=x"} {
		f.Add(seed, `{"a": {"b": [3, "x"]}}`)
	}
	f.Fuzz(func(t *testing.T, key, data string) {
		var document any
		if json.Unmarshal([]byte(data), &document) != nil {
			return
		}
		yes, err := newAssertion(key, true)
		if err != nil {
			return
		}
		no, err := newAssertion(key, false)
		if err != nil {
			t.Fatalf("%q is refused only when it is false: %v", key, err)
		}
		if !yes.compared {
			if yes.path != strings.TrimSpace(key) || yes.op != "==" {
				t.Fatalf("%q reads as %q %s", key, yes.path, yes.op)
			}
			return
		}
		if !strings.HasPrefix(strings.TrimSpace(key), yes.path) || !strings.Contains(key, yes.op) {
			t.Fatalf("%q reads as %q %s", key, yes.path, yes.op)
		}
		if a, b := yes.check(document), no.check(document); a.Passed == b.Passed {
			t.Fatalf("%q and its negation both give %v", key, a.Passed)
		}
	})
}
