// Package recordtest is what every storage of package record must do, as tests.
package recordtest

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/ryeos/rye/pkg/record"
)

// Run tests storages, each of which open makes empty.
func Run(t *testing.T, open func(t *testing.T) record.Storage) {
	for _, test := range []struct {
		name string
		run  func(*testing.T, record.Storage)
	}{
		{"documents", testDocuments},
		{"keys", testKeys},
		{"copies", testCopies},
		{"big document", testBigDocument},
		{"ranges", testRanges},
		{"own writes", testOwnWrites},
		{"errors", testErrors},
		{"panics", testPanics},
		{"contexts", testContexts},
		{"waiting", testWaiting},
		{"one state", testOneState},
		{"one after another", testOneAfterAnother},
		{"random operations", testRandomOperations},
	} {
		t.Run(test.name, func(t *testing.T) { test.run(t, open(t)) })
	}
}

// update changes a storage, which must succeed.
func update(t *testing.T, s record.Storage, f func(record.Tx) error) {
	t.Helper()
	if err := s.Update(t.Context(), f); err != nil {
		t.Fatalf("Update: %v", err)
	}
}

func put(t *testing.T, s record.Storage, k record.Key, document string) {
	t.Helper()
	update(t, s, func(tx record.Tx) error { return tx.Put(k, []byte(document)) })
}

// get reads a document by itself.
func get(t *testing.T, s record.Storage, k record.Key) (document []byte) {
	t.Helper()
	err := s.View(t.Context(), func(r record.Reader) (err error) {
		document, err = r.Get(k)
		return err
	})
	if err != nil {
		t.Fatalf("View: %v", err)
	}
	return document
}

func expect(t *testing.T, s record.Storage, k record.Key, want string) {
	t.Helper()
	if got := show(get(t, s, k)); got != want {
		t.Errorf("%q is %s, not %s", k, got, want)
	}
}

// show tells no document (none) from an empty one ("").
func show(document []byte) string {
	if document == nil {
		return "none"
	}
	return fmt.Sprintf("%q", document)
}

func showEntries(list []record.Entry) string {
	shown := make([]string, len(list))
	for i, e := range list {
		shown[i] = fmt.Sprintf("%q=%s", e.Name, show(e.Document))
	}
	return strings.Join(shown, " ")
}

// cancelled is a context that is over.
func cancelled(t *testing.T) context.Context {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	return ctx
}
