package agent

import (
	"context"
	"encoding/json"
	"strings"
	"unicode/utf8"

	"github.com/ryeos/rye/pkg/item"
	"github.com/ryeos/rye/pkg/record"
)

// Limits of a thread's values (seed 004 §14.2).
const (
	MaxKey    = 512     // bytes of a key
	MaxValue  = 1 << 20 // bytes of a value as compact JSON
	MaxValues = 10_000
)

// GetValue returns what a thread remembers under a key: compact JSON, or nil if there is nothing.
func (r *Runtime) GetValue(ctx context.Context, thread, key string) (json.RawMessage, error) {
	var value json.RawMessage
	err := r.storage.View(ctx, func(tx record.Reader) error {
		if _, err := loadThread(tx, thread); err != nil {
			return err
		}
		v, err := values.get(tx, thread, key)
		if v != nil {
			value = *v
		}
		return err
	})
	return value, err
}

// SetValue remembers a value of a thread; nil and JSON's null remove the key. It is durable when SetValue returns. No other
// thread sees it: not the parent, not the children. Values are not encrypted.
func (r *Runtime) SetValue(ctx context.Context, thread, key string, value any) error {
	data, err := encodeValue(key, value)
	if err != nil {
		return err
	}
	return r.storage.Update(ctx, func(tx record.Tx) error {
		if _, err := loadThread(tx, thread); err != nil {
			return err
		}
		old, err := values.get(tx, thread, key)
		switch {
		case err != nil:
			return err
		case data == nil:
			return r.countValues(tx, thread, old, -1, values.delete(tx, thread, key))
		}
		return r.countValues(tx, thread, old, 1, values.put(tx, thread, key, &data))
	})
}

// countValues keeps the number of keys: by is what a change of a key that was not there, or that is there no more, adds.
func (r *Runtime) countValues(tx record.Tx, thread string, old *json.RawMessage, by int64, err error) error {
	if err != nil || (old == nil) != (by > 0) {
		return err
	}
	n, err := counters.get(tx, thread, "values")
	if err != nil {
		return err
	}
	if n == nil {
		n = new(int64)
	}
	if *n += by; *n > MaxValues {
		return item.Errorf(item.TypeLimit, "thread %s has %d values already (MaxValues)", thread, MaxValues)
	}
	return counters.put(tx, thread, "values", n)
}

// Pair is a value with its key.
type Pair struct {
	Key   string          `json:"key"`
	Value json.RawMessage `json:"value"`
}

// ListValues returns the values whose keys begin with a prefix, by key.
func (r *Runtime) ListValues(ctx context.Context, thread, prefix string) ([]Pair, error) {
	list := []Pair{}
	err := r.storage.View(ctx, func(tx record.Reader) error {
		entries, err := tx.Scan(thread, string(values), record.Range{})
		for _, e := range entries {
			if strings.HasPrefix(e.Name, prefix) {
				list = append(list, Pair{e.Name, json.RawMessage(e.Document)})
			}
		}
		return err
	})
	return list, err
}

// encodeValue checks the limits and returns compact JSON, nil for null.
func encodeValue(key string, value any) (json.RawMessage, error) {
	if key == "" || len(key) > MaxKey {
		return nil, item.Errorf(item.TypeLimit, "a key has from 1 to %d bytes (MaxKey), not %d", MaxKey, len(key))
	}
	if !utf8.ValidString(key) {
		return nil, item.Usagef("the key %s is not valid UTF-8", item.Quote(key))
	}
	data, err := json.Marshal(value) // compact, whatever value is
	switch {
	case err != nil:
		return nil, item.Usagef("the value of %s is not JSON: %w", item.Quote(key), err)
	case len(data) > MaxValue:
		return nil, item.Errorf(item.TypeLimit, "the value of %s has %d bytes, more than %d (MaxValue)", item.Quote(key), len(data), MaxValue)
	case string(data) == "null":
		return nil, nil
	}
	return data, nil
}
