package template

import (
	"encoding/json"
	"strings"
	"testing"
)

// TestCondition is the table of spec/rye-agent §3.5.
func TestCondition(t *testing.T) {
	doc := document(t, `{"n": 3, "f": 2.5, "s": "main.go", "e": "", "t": true, "z": null, "l": ["a", 10, {"k": 1}], "m": {"k": 1.0, "q": null}, "big": 9007199254740993}`)
	holds := []string{
		`{}`, `null`,
		`{"path": "n", "value": 3}`, `{"path": "n", "op": "eq", "value": 3.0}`, `{"path": "n", "operator": "eq", "value": 3}`,
		`{"path": "gone", "value": null}`, `{"path": "z"}`, `{"path": "t", "value": true}`, `{"path": "m", "value": {"k": 1, "q": null}}`,
		`{"path": "n", "op": "ne", "value": 4}`, `{"path": "n", "op": "neq", "value": "3"}`, `{"path": "z", "op": "ne", "value": 0}`,
		`{"path": "big", "op": "ne", "value": 9007199254740992}`,
		`{"path": "n", "op": "gt", "value": 2.9}`, `{"path": "n", "op": "gte", "value": 3}`, `{"path": "f", "op": "lt", "value": 3}`,
		`{"path": "f", "op": "lte", "value": 2.5}`, `{"path": "s", "op": "gt", "value": "lain"}`,
		`{"path": "n", "op": "in", "value": [1, 3.0]}`, `{"path": "z", "op": "in", "value": [null]}`,
		`{"path": "s", "op": "contains", "value": ".go"}`, `{"path": "n", "op": "contains", "value": 3}`, `{"path": "t", "op": "contains", "value": "ru"}`,
		`{"path": "l", "op": "contains", "value": "a"}`, `{"path": "l", "op": "contains", "value": 10.0}`, `{"path": "l", "op": "contains", "value": {"k": 1}}`,
		`{"path": "m", "op": "contains", "value": "k"}`,
		`{"path": "s", "op": "regex", "value": "^m.*o$"}`, `{"path": "n", "op": "regex", "value": "\\d"}`,
		`{"path": "e", "op": "exists"}`, `{"path": "n", "op": "exists", "value": false}`, `{"path": "", "op": "exists"}`,
		`{"any": [{"path": "n", "value": 4}, {"path": "n", "value": 3}]}`, `{"all": []}`, `{"all": [{}, {"path": "t", "value": true}]}`,
		`{"not": {"path": "n", "value": 4}}`, `{"any": [{}], "all": [{"path": "n", "value": 4}], "not": {}}`,
	}
	fails := []string{
		`{"path": "n", "value": "3"}`, `{"path": "t", "value": 1}`, `{"path": "e", "value": null}`, `{"path": "l", "value": ["a", 10]}`,
		`{"path": "z", "op": "gt", "value": 1}`, `{"path": "gone", "op": "lte", "value": 1}`, `{"path": "s", "op": "gt", "value": 1}`,
		`{"path": "n", "op": "lt", "value": "4"}`, `{"path": "t", "op": "gte", "value": false}`, `{"path": "l", "op": "gt", "value": []}`,
		`{"path": "n", "op": "in", "value": 3}`, `{"path": "s", "op": "in", "value": "main.go"}`, `{"path": "n", "op": "in", "value": []}`,
		`{"path": "z", "op": "contains", "value": ""}`, `{"path": "l", "op": "contains", "value": 1}`, `{"path": "m", "op": "contains", "value": "q"}`,
		`{"path": "z", "op": "regex", "value": ""}`, `{"path": "z", "op": "exists"}`, `{"path": "gone.x", "op": "exists", "value": true}`,
		`{"any": []}`, `{"all": [{}, {"path": "n", "value": 4}]}`, `{"not": {}}`, `{"not": null}`,
	}
	broken := []string{
		`"n > 3"`, `{"path": 3}`, `{"op": "eq"}`, `{"path": "n", "op": "like", "value": 3}`, `{"path": "n", "op": 3}`,
		`{"path": "s", "op": "regex", "value": "("}`, `{"path": "s", "op": "regex", "value": "(?=m)"}`, `{"any": {}}`, `{"all": "x"}`,
		`{"not": {"path": "n", "op": "like"}}`, `{"all": [{"path": "n", "op": "like"}]}`,
	}
	check := func(texts []string, want, wantProblems bool) {
		for _, text := range texts {
			c, problems := NewCondition(document(t, `{"c": `+text+`}`)["c"])
			if got := c.Holds(doc); got != want || (len(problems) > 0) != wantProblems {
				t.Errorf("%s: %v with the problems %q", text, got, problems)
			}
		}
	}
	check(holds, true, false)
	check(fails, false, false)
	check(broken, false, true)
}

func TestConditionPaths(t *testing.T) {
	c, _ := NewCondition(document(t, `{"any": [{"path": "a.b"}, {"not": {"path": "c"}}, {"all": [{"path": "d", "op": "like"}]}]}`))
	if got := strings.Join(c.Paths(), " "); got != "a.b c d" {
		t.Errorf("the paths are %s", got)
	}
	if (*Condition)(nil).Paths() != nil {
		t.Error("no condition has paths")
	}
}

func TestConditionString(t *testing.T) {
	for text, want := range map[string]string{
		`null`:                                                `always`,
		`{"path": "a.b"}`:                                     `a.b = null`,
		`{"path": "", "value": 1}`:                            `everything = 1`,
		`{"path": "n", "op": "gt", "value": 3}`:               `n > 3`,
		`{"path": "n", "op": "gte", "value": 2.50}`:           `n ≥ 2.50`,
		`{"path": "n", "op": "neq", "value": "x\"y"}`:         `n ≠ "x\"y"`,
		`{"path": "n", "op": "exists", "value": false}`:       `n exists`,
		`{"path": "n", "op": "in", "value": ["a", {"b": 1}]}`: `n in ["a",{"b":1}]`,
		`{"path": "n", "op": "contains", "value": ".go"}`:     `n contains ".go"`,
		`{"path": "n", "op": "regex", "value": "^a"}`:         `n matches "^a"`,
		`{"path": "n", "op": "like"}`:                         `never`,
		`{"any": []}`:                                         `never`,
		`{"all": []}`:                                         `always`,
		`{"not": {"path": "n", "op": "exists"}}`:              `not (n exists)`,
		`{"any": [{"path": "a", "op": "exists"}, {"all": [{"path": "b", "op": "exists"}, null]}]}`: `a exists or (b exists and always)`,
		`{"any": [{"all": [{"path": "b", "op": "exists"}]}]}`:                                      `b exists`,
	} {
		c, _ := NewCondition(document(t, `{"c": `+text+`}`)["c"])
		if got := c.String(); got != want {
			t.Errorf("%s: %s, not %s", text, got, want)
		}
	}
}

// FuzzCondition: any JSON is a condition that can be asked, always answers the same, and is the opposite of its `not`
// unless it is broken.
func FuzzCondition(f *testing.F) {
	f.Add(`{"path": "a", "op": "gt", "value": 1}`, `{"a": 2}`)
	f.Add(`{"any": [{"path": "a.0", "op": "regex", "value": "x*"}, {"not": {}}]}`, `{"a": ["xx"]}`)
	f.Add(`{"all": [{"path": "", "op": "contains", "value": {"b": null}}]}`, `{"a": {}}`)
	f.Fuzz(func(t *testing.T, condition, data string) {
		var x, doc any
		if json.Unmarshal([]byte(condition), &x) != nil || json.Unmarshal([]byte(data), &doc) != nil {
			return
		}
		c, problems := NewCondition(x)
		if first, second := c.Holds(doc), c.Holds(doc); first != second {
			t.Fatal("the answer changes")
		}
		opposite, _ := NewCondition(map[string]any{"not": x})
		if len(problems) == 0 && opposite.Holds(doc) == c.Holds(doc) {
			t.Fatalf("%s and its opposite both give %v", condition, c.Holds(doc))
		}
		if len(problems) > 0 && opposite.Holds(doc) {
			t.Fatalf("the opposite of the broken %s holds", condition)
		}
	})
}

func FuzzEqual(f *testing.F) {
	f.Add(`1`, `1.0`)
	f.Add(`{"a": [1, null]}`, `{"a": [1.0, null]}`)
	f.Fuzz(func(t *testing.T, first, second string) {
		read := func(text string) (v any, ok bool) {
			decoder := json.NewDecoder(strings.NewReader(text))
			decoder.UseNumber()
			return v, decoder.Decode(&v) == nil
		}
		a, okA := read(first)
		b, okB := read(second)
		if okA && okB && Equal(a, b) != Equal(b, a) {
			t.Fatalf("%s and %s are equal one way only", first, second)
		}
		if okA && !strings.ContainsAny(first, "eE") && !Equal(a, a) {
			t.Fatalf("%s is not equal to itself", first)
		}
	})
}
