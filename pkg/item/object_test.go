package item

import (
	"encoding/json"
	"reflect"
	"slices"
	"testing"
)

func keys(o *Object) []string {
	var keys []string
	for k := range o.All() {
		keys = append(keys, k)
	}
	return keys
}

func TestObjectOrder(t *testing.T) {
	o := object("b", 1, "a", 2, "c", 3)
	o.Set("a", 4) // stays where it is
	o.Delete("b")
	o.Delete("no such key")
	o.Set("b", 5) // comes back at the end
	o.Merge(object("c", 6, "d", 7))
	if got := keys(o); !slices.Equal(got, []string{"a", "c", "b", "d"}) || o.Len() != 4 {
		t.Errorf("got %v", got)
	}
	if got := marshal(t, o); got != `{"a":4,"c":6,"b":5,"d":7}` {
		t.Errorf("got %s", got)
	}
	for k := range o.All() { // stopping early is allowed
		if k != "a" {
			t.Errorf("the first key is %s", k)
		}
		break
	}
}

func TestObjectValues(t *testing.T) {
	o := object("s", "x", "n", int64(1), "o", object("k", nil), "null", nil)
	if o.String("s") != "x" || o.String("n") != "" || o.String("none") != "" {
		t.Error("String must be the value of strings only")
	}
	if o.Object("o").Len() != 1 || o.Object("s") != nil || o.Object("none") != nil {
		t.Error("Object must be the value of mappings only")
	}
	if v, ok := o.Get("null"); v != nil || !ok {
		t.Error("a null value is there")
	}
}

// A missing mapping reads like an empty one, so that o.Object("a").Object("b").String("c") needs no checks.
func TestObjectNil(t *testing.T) {
	var o *Object
	if _, ok := o.Get("a"); ok || o.Len() != 0 || o.String("a") != "" || o.Object("a").Object("b").String("c") != "" || keys(o) != nil {
		t.Error("the nil Object is not empty")
	}
	into := NewObject()
	into.Merge(o)
	if got := marshal(t, into); got != `{}` {
		t.Errorf("got %s", got)
	}
}

func TestObjectMarshal(t *testing.T) {
	o := object("z\n\"", list(object("y", nil, "x", 1.5), "é"), "a", object())
	if got, want := marshal(t, o), `{"z\n\"":[{"y":null,"x":1.5},"é"],"a":{}}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if _, err := json.Marshal(object("f", func() {})); err == nil {
		t.Error("a function was written as JSON")
	}
}

func TestPlain(t *testing.T) {
	source := object("a", list(object("b", int64(1)), nil), "c", "d")
	got := Plain(source)
	want := map[string]any{"a": []any{map[string]any{"b": int64(1)}, nil}, "c": "d"}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %v", got)
	}
	got.(map[string]any)["a"].([]any)[1] = "changed"
	if inner, _ := source.Get("a"); inner.([]any)[1] != nil {
		t.Error("Plain shares its lists with the Object")
	}
}
