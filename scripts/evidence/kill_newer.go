//go:build linux

package main

import (
	"bytes"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/ryeos/rye/pkg/thread"
)

var versions = figure{
	name: "R13",
	what: "a registry of a newer rye, under every command; %d registries of the oldest schema, each opened by 8 processes at once while the " +
		"older version reads, and written by that version afterwards. There is no older release yet: its SQL plays its part",
	must: "newer: refused with a message that says so, the file unchanged byte for byte, and what needs no registry works; " +
		"older: migrated, no error, every row kept, the schema that of a new registry",
	full: 100, small: 2,
	run: shareBetweenVersions,
}

func shareBetweenVersions(b *binaries, count int) finding {
	r := newReport()
	r.expect("newer", b.refuseNewer(r))
	r.expect("older", b.migrateOlder(r, count))
	return r.finding("newer: %d commands refused it, %d worked beside it; older: %d registries migrated by %d processes, %d rows kept",
		r.counts["refused"], r.counts["worked"], r.counts["migrated"], r.counts["processes"], r.counts["rows"])
}

// needRegistry are the commands that open the registry; ID is a thread that exists.
var needRegistry = []string{
	"execute tool:rye/bash --async --command true", "threads list", "threads show ID", "threads logs ID", "threads wait ID",
	"threads cancel ID", "threads resume ID", "threads rerun ID", "threads prune --older-than 1h", "threads watch ID",
	"execute tool:rye/core/processes/list", "execute tool:rye/core/processes/status --run-id ID",
	"execute tool:rye/core/processes/cancel --run-id ID",
}

// needNone work beside any registry.
var needNone = []string{"execute tool:rye/bash --command true", "list", "version", "__complete threads show x"}

func (b *binaries) refuseNewer(r *report) error {
	w, err := b.newWorld(b.rye)
	if err != nil {
		return err
	}
	defer w.leave(r)
	l := &ledger{world: w}
	id := l.launch(nil, "true").id
	l.check(r)
	if err := w.makeNewer(); err != nil {
		return err
	}
	file := filepath.Join(w.registry(), thread.DatabaseName)
	before, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	for _, line := range needRegistry {
		a := w.run(append([]string{"-o", "json"}, strings.Fields(strings.ReplaceAll(line, "ID", id))...)...)
		r.count("refused", 1)
		if a.code == 0 || a.code == 70 || !strings.Contains(a.stdout+a.stderr, "newer rye") {
			r.breakf("rye %s: exit %d, %.300s%.300s", line, a.code, a.stdout, a.stderr)
		}
	}
	for _, line := range needNone {
		r.count("worked", 1)
		if a := w.run(strings.Fields(line)...); a.code != 0 {
			r.breakf("rye %s: exit %d, %.300s%.300s", line, a.code, a.stdout, a.stderr)
		}
	}
	if a := w.run("doctor"); !strings.Contains(a.stdout+a.stderr, "newer rye") {
		r.breakf("rye doctor does not say what is wrong: exit %d, %.300s%.300s", a.code, a.stdout, a.stderr)
	}
	after, err := os.ReadFile(file)
	if !bytes.Equal(before, after) {
		r.breakf("the database of the newer rye was changed")
	}
	return err
}

// makeNewer gives the schema the next number. It waits for the runner to leave: the last connection that closes moves the
// write-ahead log into the file, which is to be compared.
func (w *world) makeNewer() error {
	if !eventually(patience, func() bool { return len(w.inhabitants()) == 0 }) {
		return errors.New("the runner does not end")
	}
	return w.withDatabase(func(db *sql.DB) error {
		var version int
		err := db.QueryRow(`PRAGMA user_version`).Scan(&version)
		return errors.Join(err, statement(db, fmt.Sprintf(`PRAGMA user_version = %d`, version+1)))
	})
}

func statement(db *sql.DB, query string, args ...any) error {
	_, err := db.Exec(query, args...)
	return err
}
