package thread

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/ryeos/rye/internal/recordtest"
	"github.com/ryeos/rye/pkg/item"
	"github.com/ryeos/rye/pkg/record"
)

func TestRecords(t *testing.T) {
	open := func(t *testing.T) record.Storage { return open(t, t.TempDir()).Records() }
	recordtest.Run(t, open)
	t.Run("beside", func(t *testing.T) { recordtest.Beside(t, open(t)) })
}

func TestRecordsWithRollbackJournal(t *testing.T) {
	withSharedMemory(t, false)
	recordtest.Run(t, func(t *testing.T) record.Storage { return open(t, t.TempDir()).Records() })
}

func getRecord(t *testing.T, s *Store, k record.Key) (document []byte) {
	t.Helper()
	err := s.Records().View(t.Context(), func(r record.Reader) (err error) {
		document, err = r.Get(k)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return document
}

// TestCancelledTransaction: that SQLite has taken it back before its function returns is no error of the registry.
func TestCancelledTransaction(t *testing.T) {
	s := open(t, t.TempDir())
	ctx, cancel := context.WithCancel(t.Context())
	err := s.write(ctx, "test", full, func(tx *tx) error {
		cancel()
		for one := 0; ; {
			if err := tx.QueryRowContext(t.Context(), `SELECT 1`).Scan(&one); err == sql.ErrTxDone {
				return nil
			}
		}
	})
	if !errors.Is(err, context.Canceled) || item.TypeOf(err) != item.TypeInterrupted {
		t.Errorf("%v", err)
	}
}

// TestDocumentsView: people see text in one piece, also where a letter was cut.
func TestDocumentsView(t *testing.T) {
	s := open(t, t.TempDir())
	text := "x"
	for len(text) < 3*pieceLength {
		text += "é日\U0001F600"
	}
	if err := s.Records().Update(t.Context(), func(tx record.Tx) error { return tx.Put(recordOf("a"), []byte(text)) }); err != nil {
		t.Fatal(err)
	}
	var got, kind string
	var length int
	err := s.db.QueryRow(`SELECT document, typeof(document), length(document) FROM documents WHERE thread_id = 'a' AND bucket = 'state' AND name = 'n'`).Scan(&got, &kind, &length)
	if err != nil || got != text || kind != "text" || length != len([]rune(text)) {
		t.Errorf("%s of %d letters: %q, %v", kind, length, got, err)
	}
}

// TestRecordsGrowth: the registry grows by little more than the documents have bytes.
func TestRecordsGrowth(t *testing.T) {
	for _, size := range []struct{ least, most int }{{2048, 2048}, {1900, 2100}, {1000, 3000}} {
		t.Run(fmt.Sprintf("%d-%d", size.least, size.most), func(t *testing.T) {
			s := open(t, t.TempDir())
			thread, before, total := NewID(), fileSize(t, s), 0
			draw := rand.New(rand.NewPCG(1, uint64(size.least)))
			for n := 0; n < 1000; {
				if err := s.Records().Update(t.Context(), func(tx record.Tx) error {
					for range min(1+draw.IntN(3), 1000-n) {
						document := make([]byte, size.least+draw.IntN(size.most-size.least+1))
						if err := tx.Put(record.Key{Thread: thread, Bucket: "messages", Name: record.Name(int64(n))}, document); err != nil {
							return err
						}
						n, total = n+1, total+len(document)
					}
					return nil
				}); err != nil {
					t.Fatal(err)
				}
			}
			growth := float64(fileSize(t, s)-before) / float64(total)
			t.Logf("%.3f bytes for each", growth)
			if growth > 1.2 {
				t.Errorf("%.3f bytes for each byte of the documents", growth)
			}
		})
	}
}

// fileSize is that of the database, with all that was in its log.
func fileSize(t *testing.T, s *Store) (bytes int64) {
	t.Helper()
	sqlExec(t, s, `PRAGMA wal_checkpoint(truncate)`)
	if err := s.db.QueryRow(`SELECT page_count * page_size FROM pragma_page_count, pragma_page_size`).Scan(&bytes); err != nil {
		t.Fatal(err)
	}
	return bytes
}
