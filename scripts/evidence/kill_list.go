//go:build linux

package main

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/ryeos/rye/pkg/thread"
)

// The bounds of a long list.
const (
	shownThreads = 50
	mostListTime = 10 * time.Millisecond
	mostRowSize  = 2 << 10
	leastJudged  = 100000 // threads; in CI, with fewer, time says more about the machine
)

var longList = figure{
	name: "R14",
	what: "a registry of %d threads, copies of one that rye recorded; 100 × `rye threads list`, and 100 × the newest 50 in a process that has " +
		"it open",
	must: "in process p50 ≤ 10 ms; at most 2 KiB of database for each thread",
	full: 1000000, small: 5000,
	run: listLong,
}

func listLong(b *binaries, count int) finding {
	r := newReport()
	empty, err := b.worldWithThreads(1)
	if err != nil {
		return failed(err)
	}
	defer empty.leave(r)
	long, err := b.worldWithThreads(count)
	if err != nil {
		return failed(err)
	}
	defer long.leave(r)
	var ofEmpty, ofLong []time.Duration
	for range 100 { // in turn, so that both meet the same load
		ofEmpty = append(ofEmpty, empty.timeList(r))
		ofLong = append(ofLong, long.timeList(r))
	}
	inside, err := long.timeInside()
	if err != nil {
		return failed(err)
	}
	info, err := os.Stat(filepath.Join(long.registry(), thread.DatabaseName))
	if err != nil {
		return failed(err)
	}
	size := info.Size() / int64(count)
	if p50 := quantile(inside, 0.5); count >= leastJudged && p50 > mostListTime {
		r.breakf("listing takes %s in process", p50)
	}
	if size > mostRowSize {
		r.breakf("a thread takes %d bytes", size)
	}
	return r.finding("`rye threads list`: p50 %s, p99 %s; of a registry of one thread: p50 %s, p99 %s. In process: p50 %s, p99 %s. %d bytes a thread",
		short(quantile(ofLong, 0.5)), short(quantile(ofLong, 0.99)), short(quantile(ofEmpty, 0.5)), short(quantile(ofEmpty, 0.99)),
		short(quantile(inside, 0.5)), short(quantile(inside, 0.99)), size)
}

// worldWithThreads runs one tool and copies what rye wrote about it.
func (b *binaries) worldWithThreads(count int) (*world, error) {
	w, err := b.newWorld(b.rye)
	if err != nil {
		return nil, err
	}
	l := &ledger{world: w}
	l.launch(nil, "true")
	if _, err := l.read(); err != nil {
		return nil, err
	}
	return w, w.withDatabase(func(db *sql.DB) error { return copyThread(db, count) })
}

// copyThread fills the registry, in steps that the write-ahead log can hold.
func copyThread(db *sql.DB, count int) error {
	db.SetMaxOpenConns(1)
	if err := statement(db, `PRAGMA synchronous = off`); err != nil {
		return err
	}
	names, err := copiedColumns(db)
	if err != nil {
		return err
	}
	const step = 50000
	for first := 1; first < count; first += step {
		last := min(first+step, count) - 1
		// The ids look like random ones and come in no order, as theirs do.
		const series = `WITH RECURSIVE n(i) AS (SELECT ?1 UNION ALL SELECT i + 1 FROM n WHERE i < ?2) `
		const id = `printf('%08x-0000-4000-8000-%012x', i * 2654435761 % 4294967296, i)`
		err := statement(db, series+`INSERT INTO threads (thread_id, `+names+`) SELECT `+id+`, `+names+
			` FROM n, (SELECT * FROM threads WHERE seq = 1)`, first, last)
		if err == nil {
			err = statement(db, series+`INSERT INTO events (thread_id, seq, at, type, payload) SELECT `+id+`, e.seq, e.at, e.type, e.payload
				FROM n, events AS e WHERE e.thread_id = (SELECT thread_id FROM threads WHERE seq = 1)`, first, last)
		}
		if err != nil {
			return err
		}
	}
	return statement(db, `PRAGMA wal_checkpoint(truncate)`)
}

// copiedColumns are those that may be the same in many rows.
func copiedColumns(db *sql.DB) (names string, err error) {
	err = db.QueryRow(`SELECT group_concat(name) FROM pragma_table_info('threads') WHERE name NOT IN ('seq', 'thread_id')`).Scan(&names)
	return names, err
}

// timeList measures one `rye threads list`.
func (w *world) timeList(r *report) time.Duration {
	began := time.Now()
	a := w.run("threads", "list", "-o", "json")
	took := time.Since(began)
	if a.code != 0 {
		r.breakf("exit %d: %s", a.code, a.stderr)
	}
	return took
}

// timeInside lists the newest in this process.
func (w *world) timeInside() (times []time.Duration, err error) {
	ctx := context.Background()
	store, err := thread.Open(ctx, w.registry(), thread.Options{Existing: true})
	if err != nil {
		return nil, err
	}
	defer store.Close()
	for range 100 {
		began := time.Now()
		threads, err := store.List(ctx, thread.Filter{Limit: shownThreads})
		times = append(times, time.Since(began))
		if err != nil {
			return nil, err
		}
		if len(threads) != shownThreads {
			return nil, fmt.Errorf("listed %d threads", len(threads))
		}
	}
	return times, nil
}
