package thread

import (
	"testing"
	"time"

	"github.com/ryeos/rye/internal/recordtest"
	"github.com/ryeos/rye/pkg/record"
)

// TestRecordsGoWithTheirThread: those of other threads, and of none, stay; an id that is given again has none.
func TestRecordsGoWithTheirThread(t *testing.T) {
	clock := newClock()
	s := openAt(t, t.TempDir(), clock.Now)
	register(t, s, New{ID: "old"})
	register(t, s, New{ID: "young"})
	for _, thread := range []string{"old", "young", "not registered", ""} {
		for _, bucket := range []string{"messages", "queue"} {
			if err := recordtest.Increment(t.Context(), s.Records(), record.Key{Thread: thread, Bucket: bucket}); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := s.Finish(t.Context(), "old", Outcome{Status: Error}); err != nil {
		t.Fatal(err)
	}
	clock.advance(time.Hour)
	if got, err := s.Prunable(t.Context(), 0, 0, 10); len(got) != 1 || err != nil {
		t.Errorf("prunable: %v, %v", got, err)
	}
	if n := count(t, s, "pieces"); n != 8 {
		t.Errorf("%d pieces after the trial", n)
	}
	if n, err := s.pruneRows(t.Context(), 0, 0); n != 1 || err != nil { // as a Prune that dies then
		t.Errorf("pruned %d rows, %v", n, err)
	}
	if documents, pieces := count(t, s, "documents"), count(t, s, "pieces"); documents != 6 || pieces != 8 {
		t.Errorf("%d documents are seen of %d pieces", documents, pieces)
	}
	register(t, s, New{ID: "old"})
	if got := getRecord(t, s, record.Key{Thread: "old", Bucket: "queue"}); got != nil {
		t.Errorf("the new thread has %s", got)
	}
	prune(t, s, 0, 0, 0)
	if buckets, pieces := count(t, s, "buckets"), count(t, s, "pieces"); buckets != 6 || pieces != 6 {
		t.Errorf("%d buckets and %d pieces are left of 6", buckets, pieces)
	}
}

// TestRecordsAreRemovedInParts: a long history of a thread does not keep others waiting.
func TestRecordsAreRemovedInParts(t *testing.T) {
	const batch = 3
	s := open(t, t.TempDir())
	sqlExec(t, s, `INSERT INTO buckets (id, thread_id, bucket) VALUES (1, NULL, 'cut off'), (2, 'a', 'there')`)
	sqlExec(t, s, `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
		INSERT INTO pieces SELECT 1 + (i = 1), i, 0, x'' FROM n`, 2*batch+2)
	parts := 0
	before := crashPoint
	crashPoint = func(point string) {
		if point == "remove records: after commit" {
			parts++
		}
	}
	t.Cleanup(func() { crashPoint = before })
	if err := s.removeRecords(t.Context(), batch); err != nil {
		t.Error(err)
	}
	if buckets, pieces := count(t, s, "buckets"), count(t, s, "pieces"); buckets != 1 || pieces != 1 || parts != 4 {
		t.Errorf("%d buckets and %d pieces are left after %d transactions", buckets, pieces, parts)
	}
}
