package thread

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/ryeos/rye/pkg/item"
)

func TestValues(t *testing.T) {
	s := open(t, t.TempDir())
	register(t, s, New{ID: "parent"})
	register(t, s, New{ID: "child", Parent: "parent"})
	v := s.Values("parent")
	for _, text := range []string{`{"a":[1,{"b":"é<>&"}],"c":{}}`, `12345678901234567890`, `""`, `[]`, `false`} {
		if err := v.Set(t.Context(), "k", json.RawMessage(text)); err != nil {
			t.Fatal(err)
		}
		got, err := v.Get(t.Context(), "k")
		if err != nil || !reflect.DeepEqual(decode(t, got), decode(t, []byte(text))) {
			t.Errorf("%s came back as %s, %v", text, got, err)
		}
	}
	if got, err := s.Values("child").Get(t.Context(), "k"); got != nil || err != nil {
		t.Errorf("the child sees %s, %v", got, err)
	}
	if err := v.Set(t.Context(), "k", math.Inf(1)); item.TypeOf(err) != item.TypeUsage {
		t.Errorf("infinity is no JSON: %v", err)
	}
	if got, _ := v.Get(t.Context(), "k"); string(got) != "false" {
		t.Errorf("a refused value replaced the old one by %s", got)
	}
	if err := v.Set(t.Context(), "k", nil); err != nil {
		t.Fatal(err)
	}
	if got, err := v.Get(t.Context(), "k"); got != nil || err != nil {
		t.Errorf("null leaves %s, %v", got, err)
	}
	if err := s.Values("none").Set(t.Context(), "k", 1); !errors.Is(err, ErrNotFound) {
		t.Errorf("unknown thread: %v", err)
	}
}

// decode keeps the digits of numbers.
func decode(t *testing.T, data []byte) (v any) {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	if err := d.Decode(&v); err != nil {
		t.Errorf("%s: %v", data, err)
	}
	return v
}

func TestValuesLimits(t *testing.T) {
	s := open(t, t.TempDir())
	register(t, s, New{ID: "a"})
	v := s.Values("a")
	long := strings.Repeat("x", MaxValueLength-2) // and its quotes
	for name, test := range map[string]struct {
		key   string
		value string
		limit string
	}{
		"longest key":   {strings.Repeat("k", MaxKeyLength), "", ""},
		"too long key":  {strings.Repeat("k", MaxKeyLength+1), "", "MaxKeyLength"},
		"no key":        {"", "", "MaxKeyLength"},
		"longest value": {"k", long, ""},
		"too long":      {"k", long + "x", "MaxValueLength"},
	} {
		err := v.Set(t.Context(), test.key, test.value)
		if test.limit == "" && err != nil || test.limit != "" && (item.TypeOf(err) != item.TypeLimit || !strings.Contains(err.Error(), test.limit)) {
			t.Errorf("%s: %v", name, err)
		}
	}
	sqlExec(t, s, `WITH RECURSIVE n (i) AS (SELECT 3 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
		INSERT INTO thread_values SELECT 'a', 'n' || i, '1', '' FROM n`, MaxValues)
	if err := v.Set(t.Context(), "one more", 1); item.TypeOf(err) != item.TypeLimit || !strings.Contains(err.Error(), "MaxValues") {
		t.Errorf("one more than the most: %v", err)
	}
	if err := v.Set(t.Context(), "k", 2); err != nil {
		t.Errorf("replacing one of the most: %v", err)
	}
}

func TestCompareAndSwap(t *testing.T) {
	s := open(t, t.TempDir())
	register(t, s, New{ID: "a"})
	v := s.Values("a")
	for i, step := range []struct {
		old, next any
		want      bool
	}{{1, 2, false}, {nil, 1, true}, {nil, 2, false}, {1, 2, true}, {1, 3, false}, {2, nil, true}, {nil, nil, true}} {
		if swapped, err := v.CompareAndSwap(t.Context(), "k", step.old, step.next); swapped != step.want || err != nil {
			t.Errorf("step %d: %v, %v", i, swapped, err)
		}
	}
}

// FuzzValuePrefix: the list is what Go says starts with the prefix.
func FuzzValuePrefix(f *testing.F) {
	s, err := Open(f.Context(), f.TempDir(), Options{})
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { s.Close() })
	register(f, s, New{ID: "a"})
	for _, seed := range [][2]string{{"a", "ab"}, {"é", "é1"}, {"%", "x"}, {"\U0010FFFF", "\U0010FFFFz"}, {"\xc3", "é"}, {"a\x00b", "a\x00c"}} {
		f.Add(seed[0], seed[1])
	}
	f.Fuzz(func(t *testing.T, prefix, key string) {
		v := s.Values("a")
		if v.Set(t.Context(), key, 1) != nil {
			return // not a key
		}
		defer v.Delete(t.Context(), key)
		got, err := v.List(t.Context(), prefix)
		if err != nil || (len(got) == 1) != strings.HasPrefix(key, prefix) {
			t.Errorf("%q in %q: %v, %v", prefix, key, got, err)
		}
	})
}
