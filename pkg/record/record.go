// Package record is what a storage offers to the agent runtime: ordered documents below threads, changed in transactions.
// It is small on purpose: a program that keeps threads in a database of its own implements six methods, and all that
// threads mean stays in one place, package agent. Memory is the storage of tests and of programs that forget; the registry
// of package thread is the one that lasts. What they have in common is tested by internal/recordtest.
package record

import "context"

// Storage holds documents. Goroutines and processes may share it.
//
// A transaction is a call of f, in which the storage itself must not be used: some storages would wait for themselves.
// f must not wait for another Update either. The error of f is returned as it is. If the context is over before f begins,
// f is not called.
type Storage interface {
	// View reads one state of the storage, whatever Updates do meanwhile: all that was done before View was called is in it.
	View(ctx context.Context, f func(Reader) error) error

	// Update changes all or nothing: an error or a panic of f takes every change back, and so does a context that is over
	// when f returns. Updates of one storage run one after another, those of other processes included. What it did is
	// durable when it returns.
	Update(ctx context.Context, f func(Tx) error) error
}

// Reader reads in a transaction. It may be used only until the function that got it returns, by one goroutine at a time;
// the documents that it gave may be kept and must not be changed.
type Reader interface {
	// Get returns a document, nil if there is none. One that is empty is not nil.
	Get(k Key) ([]byte, error)

	// Scan returns the documents of one bucket of a thread in the order of their names.
	Scan(thread, bucket string, r Range) ([]Entry, error)
}

// Tx reads and writes in a transaction. It sees its own changes.
type Tx interface {
	Reader
	Put(k Key, document []byte) error // which the storage copies, if it keeps it
	Delete(k Key) error               // it need not exist
}

// Key names a document. Each part may be any string, which is compared by its bytes. A thread's documents go with it;
// those of the thread "" belong to the storage.
type Key struct {
	Thread, Bucket, Name string
}

// Range is a part of a bucket. The zero Range is all of it.
type Range struct {
	After  string // names greater than this; no bound if empty
	Before string // names less than this; no bound if empty
	Last   bool   // from the end: the greatest names first
	Limit  int    // at most so many; all if 0
}

// Entry is a document with its name.
type Entry struct {
	Name     string
	Document []byte
}

// Name writes a number so that names sort as their numbers do.
func Name(n int64) string {
	const digits = "0123456789abcdefghijklmnopqrstuvwxyz"
	b := []byte("00000000") // 36^8: more than a thread will ever have
	for i := len(b) - 1; i >= 0 && n > 0; i-- {
		b[i] = digits[n%36]
		n /= 36
	}
	return string(b)
}
