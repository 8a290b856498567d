//go:build linux

package main

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"
	"time"

	"github.com/ryeos/rye/pkg/thread"
)

// registering is how many processes write into one registry.
const registering = 64

var registrations = figure{
	name: "R3",
	what: "64 processes at once, each registering %d threads in one registry",
	must: "one row and one folder for each, none missing, none double; no process is told that the database is busy",
	full: 1000, small: 10,
	run: registerAtOnce,
}

func init() {
	helpers["register"] = func(args []string) error { return registerMany(args[0], args[1]) }
}

// registered is what one process has done.
type registered struct {
	IDs   []string
	Times []time.Duration
}

// registerMany is one of the processes. It begins when its standard input ends.
func registerMany(dir, number string) error {
	count, err := strconv.Atoi(number)
	if err != nil {
		return err
	}
	io.Copy(io.Discard, os.Stdin)
	ctx := context.Background()
	store, err := thread.Open(ctx, dir, thread.Options{})
	if err != nil {
		return err
	}
	var done registered
	for range count {
		began := time.Now()
		t, err := store.Register(ctx, thread.New{Item: "tool:rye/bash", Request: json.RawMessage(`{"item_id":"tool:rye/bash"}`)})
		if err != nil {
			return err
		}
		done.IDs, done.Times = append(done.IDs, t.ID), append(done.Times, time.Since(began))
	}
	return json.NewEncoder(os.Stdout).Encode(done)
}

func registerAtOnce(b *binaries, count int) finding {
	r := newReport()
	alone, err := b.registerBy(r, 1, count)
	if err != nil {
		return failed(err)
	}
	began := time.Now()
	many, err := b.registerBy(r, registering, count)
	if err != nil {
		return failed(err)
	}
	took := time.Since(began)
	all := time.Duration(0)
	for _, t := range alone {
		all += t
	}
	return r.finding("%d rows in %s, %.0f a second. One registration: p50 %s, p99 %s; by one process alone: p50 %s, p99 %s, %.0f a second",
		len(many), took.Round(time.Second/10), float64(len(many))/took.Seconds(), short(quantile(many, 0.5)), short(quantile(many, 0.99)),
		short(quantile(alone, 0.5)), short(quantile(alone, 0.99)), float64(len(alone))/all.Seconds())
}

// short rounds to what can be measured.
func short(d time.Duration) time.Duration { return d.Round(10 * time.Microsecond) }

// registerBy has as many processes register count threads each, checks the registry, and returns what each took.
func (b *binaries) registerBy(r *report, processes, count int) ([]time.Duration, error) {
	w, err := b.newWorld(b.rye)
	if err != nil {
		return nil, err
	}
	defer w.leave(r)
	gate, open, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer gate.Close()
	var times []time.Duration
	ids := map[string]bool{}
	var mu sync.Mutex
	var group sync.WaitGroup
	for range processes {
		cmd := exec.Command(b.self, "register", w.registry(), strconv.Itoa(count))
		cmd.Env, cmd.Stdin = w.env, gate
		group.Go(func() {
			a := await(cmd)
			var done registered
			err := a.decode(&done)
			mu.Lock()
			defer mu.Unlock()
			if a.code != 0 || err != nil {
				r.breakf("a process ended with %d: %s %v", a.code, a.stderr, err)
			}
			times = append(times, done.Times...)
			for _, id := range done.IDs {
				ids[id] = true
			}
		})
	}
	open.Close()
	group.Wait()
	if len(ids) != processes*count {
		r.breakf("%d different ids for %d registrations", len(ids), processes*count)
	}
	return times, w.checkRows(r, ids)
}

// checkRows compares the rows and folders of the registry with what was acknowledged.
func (w *world) checkRows(r *report, ids map[string]bool) error {
	seen := map[string]bool{}
	err := w.withDatabase(func(db *sql.DB) error {
		rows, err := db.Query(`SELECT thread_id FROM threads`)
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			var id string
			if err := rows.Scan(&id); err != nil {
				return err
			}
			if seen[id] || !ids[id] {
				r.breakf("the row %s is double, or nobody has registered it", id)
			}
			seen[id] = true
		}
		return rows.Err()
	})
	for id := range ids {
		if _, err := os.Stat(filepath.Join(w.registry(), id)); !seen[id] || errors.Is(err, fs.ErrNotExist) {
			r.breakf("%s was registered and has no row, or no folder", id)
		}
	}
	return errors.Join(err, w.checkDatabase())
}
