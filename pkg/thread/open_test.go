package thread

import (
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ryeos/rye/internal/recordtest"
	"github.com/ryeos/rye/pkg/item"
)

// makeDatabase makes a registry's file with foreign hands.
func makeDatabase(t *testing.T, dir string, statements ...string) {
	t.Helper()
	db, err := sql.Open("sqlite", filepath.Join(dir, DatabaseName))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for _, statement := range statements {
		if _, err := db.Exec(statement); err != nil {
			t.Fatal(err)
		}
	}
}

func script(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// schema is everything that the database says about itself.
func schema(t *testing.T, s *Store) string {
	t.Helper()
	var text string
	if err := s.db.QueryRow(`SELECT (SELECT user_version FROM pragma_user_version) || group_concat(sql, ';' ORDER BY name) FROM sqlite_schema`).Scan(&text); err != nil {
		t.Fatal(err)
	}
	return text
}

// TestMigrateV1 opens a database of the first version, kept as it was released, and loses nothing of it.
func TestMigrateV1(t *testing.T) {
	dir := t.TempDir()
	makeDatabase(t, dir, script(t, "v1.sql"))
	s := open(t, dir)
	thread := get(t, s, "11111111-1111-4111-8111-111111111111")
	if thread.Status != Completed || thread.Item != "tool:rye/bash" || thread.SpendMicros != 25 {
		t.Errorf("%+v", thread)
	}
	if result, err := s.Result(t.Context(), thread.ID); err != nil || string(result) != `{"success":true}` {
		t.Errorf("result %s, %v", result, err)
	}
	if events, err := s.Events(t.Context(), thread.ID, 0, 10); err != nil || len(events) != 2 {
		t.Errorf("%d events, %v", len(events), err)
	}
	if err := recordtest.Increment(t.Context(), s.Records(), recordOf(thread.ID)); err != nil {
		t.Errorf("what is new: %v", err)
	}
	if got, want := schema(t, s), schema(t, open(t, t.TempDir())); got != want {
		t.Errorf("a migrated database differs from a new one:\n%s\n%s", got, want)
	}
}

func TestOpenTwice(t *testing.T) {
	dir := t.TempDir()
	first := open(t, dir)
	before := schema(t, first)
	thread := register(t, first, New{})
	second := open(t, dir)
	if got := get(t, second, thread.ID); got.ID != thread.ID || schema(t, second) != before {
		t.Error("opening changes the database")
	}
	var mode string
	var keys int
	if err := second.db.QueryRow(`SELECT (SELECT journal_mode FROM pragma_journal_mode), (SELECT foreign_keys FROM pragma_foreign_keys)`).Scan(&mode, &keys); err != nil {
		t.Fatal(err)
	}
	if mode != "wal" || keys != 1 {
		t.Errorf("journal %s, foreign keys %d", mode, keys)
	}
}

func TestOpenRefuses(t *testing.T) {
	for name, test := range map[string]struct {
		statements []string
		want       string
	}{
		"newer":           {[]string{"CREATE TABLE x (y)", pragma("application_id", applicationID), "PRAGMA user_version = 99"}, "newer rye: its schema is version 99"},
		"another program": {[]string{"CREATE TABLE threads (thread_id TEXT PRIMARY KEY)"}, "another program"},
	} {
		dir := t.TempDir()
		makeDatabase(t, dir, test.statements...)
		before, err := os.ReadFile(filepath.Join(dir, DatabaseName))
		if err != nil {
			t.Fatal(err)
		}
		for _, shared := range []bool{true, false} {
			withSharedMemory(t, shared)
			_, err = Open(t.Context(), dir, Options{})
			if err == nil || !strings.Contains(err.Error(), test.want) || len(item.HintsOf(err)) == 0 {
				t.Errorf("%s: %v", name, err)
			}
		}
		if after, _ := os.ReadFile(filepath.Join(dir, DatabaseName)); string(after) != string(before) {
			t.Errorf("%s: the file was changed", name)
		}
	}
}

func TestOpenDamaged(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, DatabaseName), []byte(strings.Repeat("no database ", 500)), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := Open(t.Context(), dir, Options{})
	if item.TypeOf(err) != item.TypeUnavailable || !strings.Contains(err.Error(), "damaged") {
		t.Errorf("%v", err)
	}
}

func TestOpenExisting(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "threads")
	if _, err := Open(t.Context(), dir, Options{Existing: true}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%v", err)
	}
	if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("looking made the folder: %v", err)
	}
}

// TestMigrationIsAllOrNothing: the second step fails, and the first did not happen.
func TestMigrationIsAllOrNothing(t *testing.T) {
	dir := t.TempDir()
	makeDatabase(t, dir, script(t, "v1.sql"), `CREATE TABLE budgets (x)`) // in the way of the third script
	_, err := Open(t.Context(), dir, Options{})
	if err == nil {
		t.Fatal("the migration succeeded")
	}
	makeDatabase(t, dir, `DROP TABLE budgets`)
	s := open(t, dir)
	if err := recordtest.Increment(t.Context(), s.Records(), recordOf("11111111-1111-4111-8111-111111111111")); err != nil {
		t.Error(err)
	}
}

// withSharedMemory decides for a test what the file system can do.
func withSharedMemory(t *testing.T, can bool) {
	before := supportsWAL
	supportsWAL = func(string) bool { return can }
	t.Cleanup(func() { supportsWAL = before })
}

// TestRollbackJournal: where memory is not shared, and also for a database that came there with a write-ahead log.
func TestRollbackJournal(t *testing.T) {
	dir := t.TempDir()
	s, err := Open(t.Context(), dir, Options{})
	if err != nil {
		t.Fatal(err)
	}
	thread := register(t, s, New{})
	for _, suffix := range []string{"", "-wal"} { // a copy of a database in use, with what is only in its log
		data, err := os.ReadFile(s.path + suffix)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.MkdirAll(filepath.Join(dir, "moved"), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "moved", DatabaseName+suffix), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s.Close()
	withSharedMemory(t, false)
	for _, dir := range []string{filepath.Join(dir, "moved"), t.TempDir()} {
		moved := open(t, dir)
		if moved.journal != "delete" || hasWALHeader(moved.path) {
			t.Errorf("%s: the journal is %s", dir, moved.journal)
		}
		register(t, moved, New{})
		run := register(t, moved, New{})
		begin(t, moved, run.ID)
		finish(t, moved, run.ID)
	}
	if got := get(t, open(t, filepath.Join(dir, "moved")), thread.ID); got.ID != thread.ID {
		t.Error("what was in the log is lost")
	}
}

func TestPathsThatLookLikeURLs(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a b?mode=memory&x#y%20z")
	s := open(t, dir)
	register(t, s, New{})
	if _, err := os.Stat(filepath.Join(dir, DatabaseName)); err != nil {
		t.Errorf("the database is elsewhere: %v", err)
	}
}

func TestNewID(t *testing.T) {
	seen := map[string]bool{}
	for range 1000 {
		id := NewID()
		var a, b, c, d, e uint64
		if n, err := fmt.Sscanf(id, "%8x-%4x-%4x-%4x-%12x", &a, &b, &c, &d, &e); n != 5 || err != nil || len(id) != 36 || c>>12 != 4 || d>>14 != 2 {
			t.Fatalf("%s is no UUID of version 4", id)
		}
		if seen[id] {
			t.Fatalf("%s came twice", id)
		}
		seen[id] = true
	}
}
