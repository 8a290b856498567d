//go:build linux

package main

import (
	"database/sql"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/ryeos/rye/pkg/thread"
)

// atOnce is how many processes find an old registry.
const atOnce = 8

func (b *binaries) migrateOlder(r *report, count int) error {
	first, err := firstMigration()
	if err != nil {
		return err
	}
	fresh, err := b.newWorld(b.rye)
	if err != nil {
		return err
	}
	defer fresh.leave(r)
	(&ledger{world: fresh}).launch(nil, "true")
	schema, err := fresh.schema()
	for n := 0; n < count && err == nil; n++ {
		var w *world
		if w, err = b.newWorld(b.rye); err != nil {
			break
		}
		err = errors.Join(w.makeOldest(first), w.migrateWhileRead(r))
		migrated, schemaErr := w.schema()
		if err = errors.Join(err, schemaErr); migrated != schema {
			r.breakf("the schema after the migration:\n%s\nof a new registry:\n%s", migrated, schema)
		}
		(&ledger{world: w}).checkOld(r)
		w.leave(r)
	}
	return err
}

// firstMigration is the oldest schema there was.
func firstMigration() (string, error) {
	dir, err := exec.Command("go", "list", "-f", "{{.Dir}}", "github.com/ryeos/rye/pkg/thread").Output()
	if err != nil {
		return "", err
	}
	scripts, _ := filepath.Glob(filepath.Join(strings.TrimSpace(string(dir)), "migrations", "*.sql"))
	if len(scripts) < 2 {
		return "", errors.New("there is no older schema")
	}
	script, err := os.ReadFile(slices.Min(scripts))
	return string(script), err
}

func (w *world) makeOldest(script string) error {
	if err := os.MkdirAll(w.registry(), 0o700); err != nil {
		return err
	}
	return w.withDatabase(func(db *sql.DB) error {
		return errors.Join(statement(db, `PRAGMA journal_mode = wal`), statement(db, script), statement(db, `PRAGMA user_version = 1`),
			insertOld(db, "done", thread.Completed), insertOld(db, "gone", thread.Running))
	})
}

// insertOld writes a row as the oldest version does.
func insertOld(db *sql.DB, id string, status thread.Status) error {
	const then = "2026-01-01T00:00:00.000000+00:00"
	return statement(db, `INSERT INTO threads (thread_id, directive, status, created_at, updated_at, request, result, pid, pid_start, pid_boot)
		VALUES (?1, 'tool:rye/bash', ?2, ?3, ?3, '{}', '{"status":"success","data":{"stdout":"old"}}', 1, 1, 'before')`, id, status, then)
}

// migrateWhileRead lets many processes of this version come while the older one is in the middle of a reading transaction.
func (w *world) migrateWhileRead(r *report) error {
	return w.withDatabase(func(older *sql.DB) error {
		reading, err := older.Begin()
		if err != nil {
			return err
		}
		var rows int
		if err := reading.QueryRow(`SELECT count(*) FROM threads`).Scan(&rows); err != nil {
			return err
		}
		var group sync.WaitGroup
		for range atOnce {
			group.Go(func() {
				if a := w.run("threads", "list", "-o", "json"); a.code != 0 {
					r.breakf("exit %d: %s%s", a.code, a.stdout, a.stderr)
				}
			})
		}
		group.Wait()
		r.count("processes", atOnce)
		err = reading.QueryRow(`SELECT count(*) FROM threads`).Scan(&rows)
		if err := errors.Join(err, reading.Commit(), insertOld(older, "late", thread.Running)); err != nil {
			return fmt.Errorf("the older version: %w", err)
		}
		return nil
	})
}

// checkOld looks for what the older version has written.
func (l *ledger) checkOld(r *report) {
	records, err := l.read()
	r.expect("reading", err)
	r.expect("the database", l.checkDatabase())
	statuses := map[string]thread.Status{}
	for _, t := range records {
		statuses[t.ID] = t.Status
		if t.ID == "done" && string(t.Response.Data) != `{"stdout":"old"}` {
			r.breakf("the result of the old row is %s", t.Response.Data)
		}
	}
	if statuses["done"] != thread.Completed || statuses["gone"] != thread.Lost || statuses["late"] != thread.Lost {
		r.breakf("the rows of the older version: %v", statuses)
	}
	r.count("rows", len(records))
	r.count("migrated", 1)
}

// schema is everything that SQLite knows of the form of the database.
func (w *world) schema() (text string, err error) {
	err = w.withDatabase(func(db *sql.DB) error {
		return db.QueryRow(`SELECT (SELECT user_version FROM pragma_user_version) || (SELECT application_id FROM pragma_application_id) ||
			group_concat(sql, char(10) ORDER BY name) FROM sqlite_schema`).Scan(&text)
	})
	return text, err
}
