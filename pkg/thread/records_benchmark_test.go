package thread

import (
	"testing"

	"github.com/ryeos/rye/pkg/record"
)

const (
	recorded = 1000 // documents
	bareRow  = `INSERT INTO bare (thread_id, bucket, name, document) VALUES ('a', 'b', ?, ?)`
)

// bareStore has documents of 2 KiB as records and as rows of a table, which is what SQL alone would do.
func bareStore(b *testing.B) (*Store, []byte) {
	s, document := open(b, b.TempDir()), make([]byte, 2<<10)
	sqlExec(b, s, `CREATE TABLE bare (thread_id TEXT, bucket TEXT, name TEXT, document BLOB, PRIMARY KEY (thread_id, bucket, name)) STRICT`)
	mustDo(b, s.write(b.Context(), "fill", normal, func(tx *tx) error {
		for n := range int64(recorded) {
			if err := (recordTx{s, tx}).Put(numbered(n), document); err != nil {
				return err
			}
			if _, err := tx.exec(bareRow, record.Name(n), document); err != nil {
				return err
			}
		}
		return nil
	}))
	return s, document
}

func numbered(n int64) record.Key { return record.Key{Thread: "a", Bucket: "b", Name: record.Name(n)} }

func mustDo(b *testing.B, err error) {
	b.Helper()
	if err != nil {
		b.Fatal(err)
	}
}

func BenchmarkRecordsPut(b *testing.B) {
	s, document := bareStore(b)
	n := int64(recorded)
	b.Run("records", func(b *testing.B) {
		for b.Loop() {
			n++
			mustDo(b, s.Records().Update(b.Context(), func(tx record.Tx) error { return tx.Put(numbered(n), document) }))
		}
	})
	b.Run("bare", func(b *testing.B) {
		for b.Loop() {
			n++
			mustDo(b, s.write(b.Context(), "put", full, func(tx *tx) error {
				_, err := tx.exec(bareRow, record.Name(n), document)
				return err
			}))
		}
	})
}

func BenchmarkRecordsGet(b *testing.B) {
	s, document := bareStore(b)
	b.Run("records", func(b *testing.B) {
		for b.Loop() {
			mustDo(b, s.Records().View(b.Context(), func(r record.Reader) error {
				_, err := r.Get(numbered(recorded / 2))
				return err
			}))
		}
	})
	b.Run("bare", func(b *testing.B) {
		for b.Loop() {
			mustDo(b, s.db.QueryRowContext(b.Context(), `SELECT document FROM bare WHERE thread_id = 'a' AND bucket = 'b' AND name = ?`,
				record.Name(recorded/2)).Scan(&document))
		}
	})
}

// BenchmarkRecordsScan reads all documents.
func BenchmarkRecordsScan(b *testing.B) {
	s, document := bareStore(b)
	b.Run("records", func(b *testing.B) {
		for b.Loop() {
			mustDo(b, s.Records().View(b.Context(), func(r record.Reader) error {
				_, err := r.Scan("a", "b", record.Range{})
				return err
			}))
		}
	})
	b.Run("bare", func(b *testing.B) {
		for b.Loop() {
			rows, err := s.db.QueryContext(b.Context(), `SELECT name, document FROM bare WHERE thread_id = 'a' AND bucket = 'b' ORDER BY name`)
			mustDo(b, err)
			for name := ""; rows.Next(); {
				mustDo(b, rows.Scan(&name, &document))
			}
			mustDo(b, rows.Err())
			mustDo(b, rows.Close())
		}
	})
}
