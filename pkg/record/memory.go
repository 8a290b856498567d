package record

import (
	"context"
	"maps"
	"slices"
	"strings"
	"sync"
)

// Memory is a storage that lives as long as its process. A View keeps nobody waiting.
type Memory struct {
	writing chan struct{} // holds one token, of the Update that runs
	mu      sync.Mutex    // guards what follows; an Update reads buckets without it, as nobody else changes them
	buckets map[bucketKey][]Entry
	shared  bool // a View may be reading buckets, so that the next change begins with a copy
}

type bucketKey struct{ thread, bucket string }

// NewMemory makes an empty storage.
func NewMemory() *Memory {
	return &Memory{writing: make(chan struct{}, 1), buckets: map[bucketKey][]Entry{}}
}

// View implements Storage.
func (m *Memory) View(ctx context.Context, f func(Reader) error) error {
	if err := context.Cause(ctx); err != nil {
		return err
	}
	m.mu.Lock()
	m.shared = true
	buckets := m.buckets
	m.mu.Unlock()
	return f(&memoryTx{buckets: buckets})
}

// Update implements Storage. Its changes are kept apart until f is done.
func (m *Memory) Update(ctx context.Context, f func(Tx) error) error {
	if err := context.Cause(ctx); err != nil {
		return err
	}
	select {
	case m.writing <- struct{}{}:
		defer func() { <-m.writing }()
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	tx := &memoryTx{buckets: m.buckets, changed: map[Key][]byte{}}
	if err := f(tx); err != nil {
		return err
	}
	if err := context.Cause(ctx); err != nil {
		return err
	}
	m.commit(tx.changed)
	return nil
}

func (m *Memory) commit(changed map[Key][]byte) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.shared {
		m.buckets, m.shared = maps.Clone(m.buckets), false
	}
	names := slices.SortedFunc(maps.Keys(changed), func(a, b Key) int { return strings.Compare(a.Name, b.Name) }) // with copies least
	for _, k := range names {
		at := bucketKey{k.Thread, k.Bucket}
		if bucket := with(m.buckets[at], k.Name, changed[k]); len(bucket) > 0 {
			m.buckets[at] = bucket
		} else {
			delete(m.buckets, at)
		}
	}
}

// with returns a bucket with a document changed, removed if it is nil. The old slice stays as it is: Views may have it.
func with(bucket []Entry, name string, document []byte) []Entry {
	i, found := find(bucket, name)
	switch {
	case document == nil && !found:
		return bucket
	case document == nil && i == 0: // queues are emptied from the front
		return bucket[1:]
	case document == nil:
		return slices.Concat(bucket[:i], bucket[i+1:])
	case found:
		return slices.Concat(bucket[:i], []Entry{{name, document}}, bucket[i+1:])
	case i == len(bucket): // what is behind the end of the old slice is nobody's
		return append(bucket, Entry{name, document})
	}
	return slices.Concat(bucket[:i], []Entry{{name, document}}, bucket[i:])
}

func find(bucket []Entry, name string) (int, bool) {
	return slices.BinarySearchFunc(bucket, name, func(e Entry, name string) int { return strings.Compare(e.Name, name) })
}

// memoryTx is a transaction. changed holds what an Update wrote, nil for what it deleted.
type memoryTx struct {
	buckets map[bucketKey][]Entry
	changed map[Key][]byte
}

func (t *memoryTx) Get(k Key) ([]byte, error) {
	if document, ok := t.changed[k]; ok {
		return document, nil
	}
	bucket := t.buckets[bucketKey{k.Thread, k.Bucket}]
	if i, ok := find(bucket, k.Name); ok {
		return bucket[i].Document, nil
	}
	return nil, nil
}

func (t *memoryTx) Scan(thread, bucket string, r Range) ([]Entry, error) {
	all := t.buckets[bucketKey{thread, bucket}]
	for k, document := range t.changed {
		if k.Thread == thread && k.Bucket == bucket {
			all = with(all, k.Name, document)
		}
	}
	first, end := 0, len(all)
	if r.After != "" {
		var found bool
		if first, found = find(all, r.After); found {
			first++
		}
	}
	if r.Before != "" {
		end, _ = find(all, r.Before)
	}
	all = all[min(first, end):end]
	switch beyond := len(all) - r.Limit; {
	case r.Limit <= 0 || beyond <= 0:
	case r.Last:
		all = all[beyond:]
	default:
		all = all[:r.Limit]
	}
	list := slices.Clone(all)
	if r.Last {
		slices.Reverse(list)
	}
	return list, nil
}

func (t *memoryTx) Put(k Key, document []byte) error {
	t.changed[k] = append([]byte{}, document...)
	return nil
}

func (t *memoryTx) Delete(k Key) error {
	t.changed[k] = nil
	return nil
}
