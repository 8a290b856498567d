package graph

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/ryeos/rye/pkg/item"
	"github.com/ryeos/rye/pkg/template"
)

// Bounds of one value. A graph can double its state with every step; without them it would do so until the memory is
// full.
const (
	maxValueSize  = 64 << 20 // bytes of text, and a few for each value
	maxValueDepth = 1000
	valueOverhead = 16
)

var (
	errTooLarge = fmt.Errorf("the value is larger than %d MiB", maxValueSize>>20)
	errTooDeep  = fmt.Errorf("the value is nested deeper than %d levels", maxValueDepth)
)

// normal is v in the one form that values have in a run: nil, bool, json.Number, string, []any and map[string]any, in
// containers that nobody else holds. It is the form in which they come back from the journal, so that a resumed run
// sees what the first one saw.
func normal(v any) (any, error) {
	n := normalizer{}
	return n.value(v, 0)
}

// evaluate fills the expressions of a template.
func evaluate(scope template.Scope, x any) (any, error) {
	filled, err := scope.Fill(x)
	if err != nil {
		return nil, err
	}
	return normal(filled)
}

type normalizer struct{ size int }

func (n *normalizer) value(v any, depth int) (any, error) {
	if n.size += valueOverhead; n.size > maxValueSize {
		return nil, errTooLarge
	}
	if depth > maxValueDepth {
		return nil, errTooDeep
	}
	switch v := v.(type) {
	case nil, bool:
		return v, nil
	case string:
		return n.text(v)
	case json.Number:
		if _, ok := item.Number(string(v)); !ok {
			return nil, fmt.Errorf("%s is not a number", item.Quote(string(v)))
		}
		return v, nil
	case []any:
		list := make([]any, len(v))
		for i, e := range v {
			var err error
			if list[i], err = n.value(e, depth+1); err != nil {
				return nil, err
			}
		}
		return list, nil
	case map[string]any:
		m := make(map[string]any, len(v))
		for k, e := range v {
			if err := n.member(m, k, e, depth); err != nil {
				return nil, err
			}
		}
		return m, nil
	case *item.Object:
		m := make(map[string]any, v.Len())
		for k, e := range v.All() {
			if err := n.member(m, k, e, depth); err != nil {
				return nil, err
			}
		}
		return m, nil
	}
	return n.encoded(v, depth)
}

func (n *normalizer) text(s string) (any, error) {
	if n.size += len(s); n.size > maxValueSize {
		return nil, errTooLarge
	}
	return item.CleanText(s), nil
}

func (n *normalizer) member(m map[string]any, key string, v any, depth int) error {
	name, err := n.text(key)
	if err != nil {
		return err
	}
	m[name.(string)], err = n.value(v, depth+1)
	return err
}

// encoded takes a value of any other type by way of its JSON.
func (n *normalizer) encoded(v any, depth int) (any, error) {
	encoded, isJSON := v.(json.RawMessage)
	if !isJSON {
		var err error
		if encoded, err = json.Marshal(v); err != nil {
			return nil, fmt.Errorf("the value has no JSON form: %w", err)
		}
	}
	if len(encoded) > maxValueSize {
		return nil, errTooLarge
	}
	decoded, err := decode(encoded)
	if err != nil {
		return nil, err
	}
	return n.value(decoded, depth)
}

// decode reads one JSON value and keeps the digits of its numbers.
func decode(encoded []byte) (v any, err error) {
	decoder := json.NewDecoder(bytes.NewReader(encoded))
	decoder.UseNumber()
	if err := decoder.Decode(&v); err != nil {
		return nil, fmt.Errorf("the value is not JSON: %w", err)
	}
	if decoder.More() {
		return nil, errors.New("the value is more than one JSON document")
	}
	return v, nil
}

// withoutNulls is a copy of a value in which no mapping has a null; lists keep theirs, whose places count.
func withoutNulls(v any) any {
	switch v := v.(type) {
	case map[string]any:
		m := make(map[string]any, len(v))
		for k, e := range v {
			if e != nil {
				m[k] = withoutNulls(e)
			}
		}
		return m
	case []any:
		list := make([]any, len(v))
		for i, e := range v {
			list[i] = withoutNulls(e)
		}
		return list
	}
	return v
}
