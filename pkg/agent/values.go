package agent

import (
	"context"
	"encoding/json"
	"errors"
	"time"
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

// ContextUsageKey is the key of a thread's ContextUsage, which is read as a value and cannot be set.
const ContextUsageKey = "context_usage"

const (
	valuesPage    = 100 // pairs of ListValues
	maxValuesPage = 200
)

// GetValue returns what a thread remembers under a key: compact JSON, or nil if there is nothing.
func (r *Runtime) GetValue(ctx context.Context, thread, key string) (json.RawMessage, error) {
	var value json.RawMessage
	err := r.storage.View(ctx, func(tx record.Reader) error {
		if _, err := loadThread(tx, thread); err != nil {
			return err
		}
		if key == ContextUsageKey {
			u, err := r.contextUsage(tx, thread)
			if err == nil && u != nil {
				value, err = json.Marshal(u)
			}
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
		case data == nil && old == nil:
			return nil
		case data == nil:
			_, err = addValues(tx, thread, -1)
			return errors.Join(err, values.delete(tx, thread, key))
		case old == nil:
			n, err := addValues(tx, thread, 1)
			if err == nil && n > MaxValues {
				err = item.Errorf(item.TypeLimit, "thread %s has %d values already (MaxValues)", thread, MaxValues)
			}
			if err != nil {
				return err
			}
		}
		return values.put(tx, thread, key, &data)
	})
}

// addValues keeps the number of a thread's values, so that it need not be counted.
func addValues(tx record.Tx, thread string, by int64) (int64, error) {
	n, err := counters.get(tx, thread, "values")
	if err != nil {
		return 0, err
	}
	if n == nil {
		n = new(int64)
	}
	*n += by
	return *n, counters.put(tx, thread, "values", n)
}

// Pair is a value with its key.
type Pair struct {
	Key   string          `json:"key"`
	Value json.RawMessage `json:"value"`
}

// ValueRange chooses values.
type ValueRange struct {
	Prefix string // of their keys
	After  string // keys greater than this: the last one of the page before
	Limit  int    // 100 if 0, never more than 200
}

// ListValues returns a page of a thread's values, by key.
func (r *Runtime) ListValues(ctx context.Context, thread string, o ValueRange) ([]Pair, error) {
	within := record.Range{After: o.After, Limit: min(o.Limit, maxValuesPage)}
	if o.Limit <= 0 {
		within.Limit = valuesPage
	}
	if o.Prefix != "" {
		within.After, within.Before = max(o.After, below(o.Prefix)), o.Prefix+"\xff" // no key has that byte
	}
	list := []Pair{}
	err := r.storage.View(ctx, func(tx record.Reader) error {
		if _, err := loadThread(tx, thread); err != nil {
			return err
		}
		entries, err := tx.Scan(thread, string(values), within)
		for _, e := range entries {
			list = append(list, Pair{e.Name, json.RawMessage(e.Document)})
		}
		return err
	})
	return list, err
}

// below is a string that no key is equal to, and that is less than a prefix but greater than all keys that are less.
func below(prefix string) string {
	last := len(prefix) - 1
	if prefix[last] == 0 {
		return prefix[:last]
	}
	return prefix[:last] + string([]byte{prefix[last] - 1, 0xff})
}

// encodeValue checks the limits and returns compact JSON, nil for null.
func encodeValue(key string, value any) (json.RawMessage, error) {
	switch {
	case key == "" || len(key) > MaxKey:
		return nil, item.Errorf(item.TypeLimit, "a key has from 1 to %d bytes (MaxKey), not %d", MaxKey, len(key))
	case !utf8.ValidString(key):
		return nil, item.Usagef("the key %s is not valid UTF-8", item.Quote(key))
	case key == ContextUsageKey:
		return nil, item.Errorf(item.TypePermission, "the key %s is reserved: its value is what the thread's models said last", key)
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

// ContextUsage is how much of its model's context a thread takes, as the model said with its last response.
type ContextUsage struct {
	Input int64     `json:"input_tokens"`
	Total int64     `json:"total_tokens"`
	Max   int       `json:"max_context_tokens,omitempty"`
	Model string    `json:"model"`
	At    time.Time `json:"at"`
}

// contextUsage is nil until a model has said something of tokens. Many results may lie behind its answer.
func (r *Runtime) contextUsage(tx record.Reader, thread string) (*ContextUsage, error) {
	const look = 256
	rows, err := messages.list(tx, thread, record.Range{Last: true, Limit: look})
	for i := range rows {
		log := rows[i].log()
		if log == nil || log.Purpose != ForStep || log.Usage.Total() == 0 {
			continue
		}
		u := &ContextUsage{Input: log.Usage.Input, Total: log.Usage.Total(), Model: log.Model, At: log.Ended}
		if model, err := r.definitions.Model(log.Model); err == nil {
			u.Max = model.MaxContext
		}
		return u, nil
	}
	return nil, err
}
