package record

import (
	"context"
	"slices"
	"strings"
	"sync"
)

// Memory is a storage that lives as long as its process.
type Memory struct {
	writing sync.Mutex   // held by the one Update
	mu      sync.RWMutex // guards buckets
	buckets map[bucketKey][]Entry
}

type bucketKey struct{ thread, bucket string }

// NewMemory makes an empty storage.
func NewMemory() *Memory { return &Memory{buckets: map[bucketKey][]Entry{}} }

// View implements Storage.
func (m *Memory) View(ctx context.Context, f func(Reader) error) error {
	if err := context.Cause(ctx); err != nil {
		return err
	}
	m.mu.RLock()
	defer m.mu.RUnlock()
	return f(&memoryTx{memory: m})
}

// Update implements Storage. Readers see the changes when f is done: they are kept apart until then.
func (m *Memory) Update(ctx context.Context, f func(Tx) error) error {
	if err := context.Cause(ctx); err != nil {
		return err
	}
	m.writing.Lock()
	defer m.writing.Unlock()
	tx := &memoryTx{memory: m, changed: map[Key][]byte{}}
	if err := f(tx); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	for k, document := range tx.changed {
		m.set(k, document)
	}
	return nil
}

func (m *Memory) set(k Key, document []byte) {
	at := bucketKey{k.Thread, k.Bucket}
	bucket := m.buckets[at]
	i, found := find(bucket, k.Name)
	switch {
	case document == nil && !found:
		return
	case document == nil:
		bucket = slices.Delete(bucket, i, i+1)
	case found:
		bucket[i].Document = document
	default:
		bucket = slices.Insert(bucket, i, Entry{k.Name, document})
	}
	if m.buckets[at] = bucket; len(bucket) == 0 {
		delete(m.buckets, at)
	}
}

func find(bucket []Entry, name string) (int, bool) {
	return slices.BinarySearchFunc(bucket, name, func(e Entry, name string) int { return strings.Compare(e.Name, name) })
}

// memoryTx is a transaction. changed holds what it wrote, nil for what it deleted.
type memoryTx struct {
	memory  *Memory
	changed map[Key][]byte
}

func (t *memoryTx) Get(k Key) ([]byte, error) {
	if document, ok := t.changed[k]; ok {
		return document, nil
	}
	t.lock()
	defer t.unlock()
	bucket := t.memory.buckets[bucketKey{k.Thread, k.Bucket}]
	if i, ok := find(bucket, k.Name); ok {
		return bucket[i].Document, nil
	}
	return nil, nil
}

func (t *memoryTx) Scan(thread, bucket string, r Range) ([]Entry, error) {
	t.lock()
	all := t.memory.buckets[bucketKey{thread, bucket}]
	t.unlock()
	all = t.overlay(thread, bucket, all)
	first, found := find(all, r.After)
	if found {
		first++
	}
	end := len(all)
	if r.Before != "" {
		end, _ = find(all, r.Before)
	}
	list := slices.Clone(all[min(first, end):end])
	if r.Last {
		slices.Reverse(list)
	}
	if r.Limit > 0 && len(list) > r.Limit {
		list = list[:r.Limit]
	}
	return list, nil
}

// overlay puts the changes of the transaction on a bucket.
func (t *memoryTx) overlay(thread, bucket string, all []Entry) []Entry {
	copied := false
	for k, document := range t.changed {
		if k.Thread != thread || k.Bucket != bucket {
			continue
		}
		if !copied {
			all, copied = slices.Clone(all), true
		}
		i, found := find(all, k.Name)
		switch {
		case document == nil && found:
			all = slices.Delete(all, i, i+1)
		case document != nil && found:
			all[i].Document = document
		case document != nil:
			all = slices.Insert(all, i, Entry{k.Name, document})
		}
	}
	return all
}

func (t *memoryTx) Put(k Key, document []byte) error {
	t.changed[k] = append([]byte{}, document...)
	return nil
}

func (t *memoryTx) Delete(k Key) error {
	t.changed[k] = nil
	return nil
}

// lock guards reads of an Update; a View holds the lock already.
func (t *memoryTx) lock() {
	if t.changed != nil {
		t.memory.mu.RLock()
	}
}

func (t *memoryTx) unlock() {
	if t.changed != nil {
		t.memory.mu.RUnlock()
	}
}
