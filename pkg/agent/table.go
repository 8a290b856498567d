package agent

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/ryeos/rye/pkg/record"
)

// table is a bucket of documents of one type.
type table[T any] string

// What the engine stores. Each thread has its own documents; those of the thread "" are lists over all threads.
const (
	threads   table[Thread]          = "thread"    // one, called "thread"
	messages  table[Message]         = "message"   // by number
	queue     table[work]            = "queue"     // by number
	flowTable table[flowRecord]      = "flow"      // one, called "flow"; also below "" by thread: the threads at work
	stops     table[stopRecord]      = "stop"      // one, called "stop"
	children  table[Child]           = "child"     // by the child's id
	variables table[sealedVariable]  = "variable"  // by name
	requests  table[pendingChild]    = "request"   // by id
	values    table[json.RawMessage] = "value"     // by key
	files     table[Attachment]      = "file"      // by path
	effects   table[Effect]          = "effect"    // by number
	modelLogs table[ModelLog]        = "model_log" // by number
	archives  table[Archive]         = "archive"   // by name
	counters  table[int64]           = "counter"   // by what is counted
	waiting   table[string]          = "waiting"   // below "": threads with something to do, by id
)

// the is the name of documents of which a thread has one.
const the = "the"

func (b table[T]) get(r record.Reader, thread, name string) (*T, error) {
	document, err := r.Get(record.Key{Thread: thread, Bucket: string(b), Name: name})
	if err != nil || document == nil {
		return nil, err
	}
	v := new(T)
	if err := json.Unmarshal(document, v); err != nil {
		return nil, fmt.Errorf("the %s %q of thread %s cannot be read: %w", b, name, thread, err)
	}
	return v, nil
}

func (b table[T]) put(tx record.Tx, thread, name string, v *T) error {
	document, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return tx.Put(record.Key{Thread: thread, Bucket: string(b), Name: name}, document)
}

// putChanged leaves a document alone that is the same already: a transaction that changes nothing need not reach the disk.
func (b table[T]) putChanged(tx record.Tx, thread, name string, v *T) error {
	k := record.Key{Thread: thread, Bucket: string(b), Name: name}
	old, err := tx.Get(k)
	if err != nil {
		return err
	}
	document, err := json.Marshal(v)
	if err != nil || bytes.Equal(old, document) {
		return err
	}
	return tx.Put(k, document)
}

func (b table[T]) delete(tx record.Tx, thread, name string) error {
	return tx.Delete(record.Key{Thread: thread, Bucket: string(b), Name: name})
}

func (b table[T]) list(r record.Reader, thread string, within record.Range) ([]T, error) {
	entries, err := r.Scan(thread, string(b), within)
	if err != nil {
		return nil, err
	}
	list := make([]T, len(entries))
	for i, e := range entries {
		if err := json.Unmarshal(e.Document, &list[i]); err != nil {
			return nil, fmt.Errorf("the %s %q of thread %s cannot be read: %w", b, e.Name, thread, err)
		}
	}
	return list, nil
}

func (b table[T]) names(r record.Reader, thread string, within record.Range) ([]string, error) {
	entries, err := r.Scan(thread, string(b), within)
	names := make([]string, len(entries))
	for i, e := range entries {
		names[i] = e.Name
	}
	return names, err
}

// next gives a number of its own to each document of a bucket. Numbers are never given twice, so that what was deleted
// cannot be taken for what came after it.
func next(tx record.Tx, thread, bucket string) (string, error) {
	n, err := counters.get(tx, thread, bucket)
	if err != nil {
		return "", err
	}
	if n == nil {
		n = new(int64)
	}
	*n++
	return record.Name(*n), counters.put(tx, thread, bucket, n)
}
