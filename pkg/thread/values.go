package thread

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"unicode/utf8"

	"github.com/ryeos/rye/pkg/item"
)

// Limits of a thread's values.
const (
	MaxKeyLength   = 512     // bytes
	MaxValueLength = 1 << 20 // bytes of compact JSON
	MaxValues      = 10_000
)

// Values is what a thread remembers: JSON by key. No other thread sees it, children and parents neither.
type Values struct {
	store *Store
	id    string
}

// Values are the values of a thread.
func (s *Store) Values(id string) Values { return Values{s, id} }

// Value is a key with its value.
type Value struct {
	Key   string          `json:"key"`
	Value json.RawMessage `json:"value"`
}

// Get returns the value of a key, nil if there is none.
func (v Values) Get(ctx context.Context, key string) (json.RawMessage, error) {
	value, err := v.get(v.store.db.QueryRowContext(ctx, selectValue, v.id, key))
	return value, v.store.explain("get value", err)
}

const selectValue = `SELECT value FROM thread_values WHERE thread_id = ? AND key = ?`

func (Values) get(row *sql.Row) (json.RawMessage, error) {
	var value string
	err := row.Scan(&value)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return json.RawMessage(value), nil
}

// Set stores a value; null removes it. It is on the disk when Set returns.
func (v Values) Set(ctx context.Context, key string, value any) error {
	data, err := encodeValue(key, value)
	if err != nil {
		return err
	}
	return v.store.write(ctx, "set value", full, func(tx *tx) error { return v.put(tx, key, data) })
}

// Delete removes a key. It need not exist.
func (v Values) Delete(ctx context.Context, key string) error { return v.Set(ctx, key, nil) }

// CompareAndSwap stores next if the value is old; nil stands for no value in both. It reports whether it did.
func (v Values) CompareAndSwap(ctx context.Context, key string, old, next any) (swapped bool, err error) {
	before, err := encodeValue(key, old)
	if err != nil {
		return false, err
	}
	after, err := encodeValue(key, next)
	if err != nil {
		return false, err
	}
	err = v.store.write(ctx, "swap value", full, func(tx *tx) error {
		now, err := v.get(tx.row(selectValue, v.id, key))
		if swapped = err == nil && bytes.Equal(now, before); !swapped {
			return err
		}
		return v.put(tx, key, after)
	})
	return swapped && err == nil, err
}

// List returns the values whose keys start with the prefix, by key.
func (v Values) List(ctx context.Context, prefix string) ([]Value, error) {
	// As bytes: on text, substr and length stop at NUL, and count what is no UTF-8 in their own way.
	rows, err := v.store.db.QueryContext(ctx, `SELECT key, value FROM thread_values WHERE thread_id = ?1 AND key >= ?2
		AND substr(CAST(key AS BLOB), 1, length(CAST(?2 AS BLOB))) = CAST(?2 AS BLOB) ORDER BY key`, v.id, prefix)
	if err != nil {
		return nil, v.store.explain("list values", err)
	}
	defer rows.Close()
	list := []Value{}
	for rows.Next() {
		var key, value string
		if err := rows.Scan(&key, &value); err != nil {
			return nil, v.store.explain("list values", err)
		}
		list = append(list, Value{key, json.RawMessage(value)})
	}
	return list, v.store.explain("list values", rows.Err())
}

func (v Values) put(tx *tx, key string, data json.RawMessage) error {
	if data == nil {
		_, err := tx.exec(`DELETE FROM thread_values WHERE thread_id = ? AND key = ?`, v.id, key)
		return err
	}
	_, err := tx.exec(`INSERT INTO thread_values (thread_id, key, value, updated_at) VALUES (?, ?, ?, ?)
		ON CONFLICT DO UPDATE SET value = excluded.value, updated_at = excluded.updated_at`, v.id, key, string(data), stamp(tx.now))
	if isForeignKey(err) {
		return notFound(v.id)
	}
	if err != nil {
		return err
	}
	var n int
	if err := tx.row(`SELECT count(*) FROM thread_values WHERE thread_id = ?`, v.id).Scan(&n); err != nil {
		return err
	}
	if n > MaxValues {
		return item.Errorf(item.TypeLimit, "thread %s has %d values, MaxValues", v.id, MaxValues)
	}
	return nil
}

// encodeValue checks the limits and returns compact JSON, nil for null.
func encodeValue(key string, value any) (json.RawMessage, error) {
	if key == "" || len(key) > MaxKeyLength {
		return nil, item.Errorf(item.TypeLimit, "a key has from 1 to %d bytes (MaxKeyLength), not %d", MaxKeyLength, len(key))
	}
	if !utf8.ValidString(key) {
		return nil, item.Usagef("the key %s is not valid UTF-8", item.Quote(key))
	}
	data, err := json.Marshal(value) // compact, whatever value is
	switch {
	case err != nil:
		return nil, item.Usagef("the value of %s is not JSON: %w", item.Quote(key), err)
	case len(data) > MaxValueLength:
		return nil, item.Errorf(item.TypeLimit, "the value of %s has %d bytes, more than %d (MaxValueLength)", item.Quote(key), len(data), MaxValueLength)
	case string(data) == "null":
		return nil, nil
	}
	return data, nil
}
