package item

import (
	"bytes"
	"encoding/json"
	"iter"
	"slices"
)

// Object is a mapping that remembers the order in which its keys were written; static environment variables are
// expanded in that order. The values in it are nil, bool, int64, float64, string, []any and *Object.
// The nil *Object is an empty mapping that can be read.
type Object struct {
	keys   []string
	values map[string]any
}

// NewObject makes an empty mapping.
func NewObject() *Object { return &Object{values: map[string]any{}} }

// Len is the number of keys.
func (o *Object) Len() int {
	if o == nil {
		return 0
	}
	return len(o.keys)
}

// Get looks a key up.
func (o *Object) Get(key string) (any, bool) {
	if o == nil {
		return nil, false
	}
	v, ok := o.values[key]
	return v, ok
}

// Set adds a key at the end, or replaces the value of one that exists.
func (o *Object) Set(key string, value any) {
	if _, exists := o.values[key]; !exists {
		o.keys = append(o.keys, key)
	}
	o.values[key] = value
}

// Delete removes a key.
func (o *Object) Delete(key string) {
	if _, exists := o.values[key]; exists {
		delete(o.values, key)
		o.keys = slices.DeleteFunc(o.keys, func(k string) bool { return k == key })
	}
}

// All walks the keys in the order in which they were written.
func (o *Object) All() iter.Seq2[string, any] {
	return func(yield func(string, any) bool) {
		if o == nil {
			return
		}
		for _, k := range o.keys {
			if !yield(k, o.values[k]) {
				return
			}
		}
	}
}

// String is the value of key if it is a string, else "".
func (o *Object) String(key string) string {
	v, _ := o.Get(key)
	s, _ := v.(string)
	return s
}

// Object is the value of key if it is a mapping, else nil.
func (o *Object) Object(key string) *Object {
	v, _ := o.Get(key)
	m, _ := v.(*Object)
	return m
}

// Merge puts every key of other over o, without looking into nested mappings.
func (o *Object) Merge(other *Object) {
	for k, v := range other.All() {
		o.Set(k, v)
	}
}

// Transform is a copy of the mapping, an *Object, whose values are what change makes of them.
func (o *Object) Transform(change func(value any) any) any {
	changed := NewObject()
	for k, v := range o.All() {
		changed.Set(k, change(v))
	}
	return changed
}

// MarshalJSON writes the keys in their order.
func (o *Object) MarshalJSON() ([]byte, error) {
	var out bytes.Buffer
	out.WriteByte('{')
	first := true
	for k, v := range o.All() {
		if !first {
			out.WriteByte(',')
		}
		first = false
		key, err := json.Marshal(k)
		if err != nil {
			return nil, err
		}
		value, err := json.Marshal(v)
		if err != nil {
			return nil, err
		}
		out.Write(key)
		out.WriteByte(':')
		out.Write(value)
	}
	out.WriteByte('}')
	return out.Bytes(), nil
}

// Plain turns Objects into map[string]any, at every depth.
func Plain(v any) any {
	switch v := v.(type) {
	case *Object:
		m := make(map[string]any, v.Len())
		for k, e := range v.All() {
			m[k] = Plain(e)
		}
		return m
	case []any:
		list := make([]any, len(v))
		for i, e := range v {
			list[i] = Plain(e)
		}
		return list
	}
	return v
}
