package recordtest

import (
	"bytes"
	"testing"

	"github.com/ryeos/rye/pkg/record"
)

// names are in their order, and all that a storage may stumble over.
var names = []string{"", "\x00", "\x00\x00", " ", "%", "'", "0", "00000001", "A", "a", "a\x00", "a\x00b", "aa", "a\u0301", "b", "b\xff", "é", "日本", "\U0001F600", "\xff", "\xff\xfe"}

func testDocuments(t *testing.T, s record.Storage) {
	k := record.Key{Thread: "t", Bucket: "b", Name: "n"}
	expect(t, s, k, "none")
	for _, document := range []string{"one", "", "\x00", "not UTF-8: \xff\xc3", `{"text": "é日本"}`, "shorter"} {
		put(t, s, k, document)
		expect(t, s, k, show([]byte(document)))
	}
	update(t, s, func(tx record.Tx) error { return tx.Put(k, nil) })
	expect(t, s, k, `""`)
	for range 2 { // the second time it is missing
		update(t, s, func(tx record.Tx) error { return tx.Delete(k) })
		expect(t, s, k, "none")
	}
}

// testKeys: whatever the parts of a key are, each key is a document of its own.
func testKeys(t *testing.T, s record.Storage) {
	keys := []record.Key{{}, {Thread: "ab"}, {Thread: "a", Bucket: "b"}, {Bucket: "ab"}, {Bucket: "a", Name: "b"}, {Name: "ab"}}
	for _, name := range names {
		keys = append(keys, record.Key{Thread: "t", Bucket: "b", Name: name}, record.Key{Thread: "x", Bucket: name}, record.Key{Thread: "y" + name})
	}
	update(t, s, func(tx record.Tx) error {
		for _, k := range keys {
			if err := tx.Put(k, []byte(k.Thread+"|"+k.Bucket+"|"+k.Name)); err != nil {
				return err
			}
		}
		return nil
	})
	for _, k := range keys {
		expect(t, s, k, show([]byte(k.Thread+"|"+k.Bucket+"|"+k.Name)))
	}
}

// testCopies: the storage keeps nothing of what Put was given.
func testCopies(t *testing.T, s record.Storage) {
	k := record.Key{Thread: "t", Bucket: "b", Name: "n"}
	document := []byte("before")
	update(t, s, func(tx record.Tx) error {
		if err := tx.Put(k, document); err != nil {
			return err
		}
		copy(document, "during")
		if got, err := tx.Get(k); string(got) != "before" || err != nil {
			t.Errorf("in the transaction: %s, %v", show(got), err)
		}
		return nil
	})
	copy(document, "behind")
	expect(t, s, k, `"before"`)
}

// testBigDocument: what was read stays as it is when the document is replaced.
func testBigDocument(t *testing.T, s record.Storage) {
	k := record.Key{Thread: "t", Bucket: "b", Name: "n"}
	big := make([]byte, 10<<20+1)
	for i := range big {
		big[i] = byte(i % 251)
	}
	update(t, s, func(tx record.Tx) error { return tx.Put(k, big) })
	read := get(t, s, k)
	put(t, s, k, "small")
	expect(t, s, k, `"small"`)
	if !bytes.Equal(read, big) {
		t.Errorf("10 MiB came back as %d other bytes", len(read))
	}
}
