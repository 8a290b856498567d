package graph

import (
	"encoding/json"
	"errors"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/ryeos/rye/pkg/item"
)

func TestNormal(t *testing.T) {
	object := item.NewObject()
	object.Set("z", int64(1))
	object.Set("a", []any{1.5, nil})
	type response struct {
		Status string          `json:"status"`
		Data   json.RawMessage `json:"data"`
	}
	for _, test := range []struct{ value, want any }{
		{nil, nil}, {true, true}, {"x", "x"}, {"\xff", "\uFFFD"}, {7, json.Number("7")}, {json.Number("1e3"), json.Number("1e3")},
		{object, map[string]any{"z": json.Number("1"), "a": []any{json.Number("1.5"), nil}}},
		{[]string{"a"}, []any{"a"}}, {json.RawMessage(`{"n": 12345678901234567890}`), map[string]any{"n": json.Number("12345678901234567890")}},
		{&response{"success", json.RawMessage(`[1]`)}, map[string]any{"status": "success", "data": []any{json.Number("1")}}},
	} {
		got, err := normal(test.value)
		if err != nil || !reflect.DeepEqual(got, test.want) {
			t.Errorf("%#v becomes %#v: %v", test.value, got, err)
		}
		again, err := normal(got)
		if err != nil || !reflect.DeepEqual(again, got) {
			t.Errorf("%#v is not its own normal form: %#v, %v", got, again, err)
		}
	}
	for _, bad := range []any{math.NaN(), json.Number("x"), json.RawMessage("{} {}"), json.RawMessage("{"), func() {}} {
		if v, err := normal(bad); err == nil {
			t.Errorf("%v becomes %v", bad, v)
		}
	}
}

// TestNormalBounds: a value that is small in memory because it shares its parts is as large as it will be in JSON.
func TestNormalBounds(t *testing.T) {
	var wide any = strings.Repeat("x", 1<<20)
	for range 7 {
		wide = []any{wide, wide}
	}
	if _, err := normal(wide); !errors.Is(err, errTooLarge) {
		t.Errorf("128 MiB: %v", err)
	}
	var deep any
	for range maxValueDepth + 1 {
		deep = map[string]any{"": deep}
	}
	if _, err := normal(deep); !errors.Is(err, errTooDeep) {
		t.Errorf("%d levels: %v", maxValueDepth+1, err)
	}
	cycle := map[string]any{}
	cycle["self"] = cycle
	if _, err := normal(cycle); !errors.Is(err, errTooDeep) {
		t.Errorf("a value that holds itself: %v", err)
	}
}

// TestReplayRefuses: a journal that cannot be continued is refused, not guessed at.
func TestReplayRefuses(t *testing.T) {
	begin := `{"kind": "begin", "step": 0, "node": "a", "state": {}}`
	for _, records := range [][]string{
		{`{"kind": "receipt", "step": 1}`}, {begin, `{"kind": "other", "step": 1}`}, {begin, `{"kind": "receipt", "step": 1, "newer": true}`},
		{begin, `[]`}, {begin, ``}, {`{"kind": "checkpoint", "step": 1, "state": {}, "chain": "00"}`}, {begin, `{"kind": "end", "step": 1}`},
		{begin, `{"kind": "receipt", "step": 1, "collect": "x", "items": -1}`},
	} {
		w, err := &walker{}, error(nil)
		for _, line := range records {
			if err == nil {
				err = w.replay([]byte(line))
			}
		}
		if err == nil {
			t.Errorf("%s led to %+v", records, w.position)
		}
	}
}
