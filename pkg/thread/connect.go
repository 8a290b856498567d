package thread

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"modernc.org/sqlite"
)

// patience is how long a writer waits for the writers of other processes before it gives up.
const patience = 30 * time.Second

// supportsWAL is replaced by tests.
var supportsWAL = hasSharedMemory

// source is the one way to open the database; every connection gets the same settings.
func (s *Store) source() string {
	settings := url.Values{
		"_txlock":    {"immediate"}, // a transaction that would write later can fail then; one that begins as a writer waits
		"_defensive": {"1"},         // the file may have come with a project: no SQL of ours may be made to damage it
		"_dqs":       {"0"},         // a misspelt column is an error, not a string
		"_error_rc":  {"1"},
		"_pragma": {
			pragmaValue("busy_timeout", patience.Milliseconds()),
			pragmaValue("foreign_keys", 1),           // off by default, for compatibility with 2009
			pragmaValue("trusted_schema", 0),         // as for _defensive: a foreign schema runs no functions
			pragmaValue("cell_size_check", 1),        // damaged pages are noticed before they are followed
			pragmaValue("journal_size_limit", 4<<20), // the WAL shrinks again after a burst
			// Short commands come one after another, and the first of them reads the whole WAL again.
			pragmaValue("wal_autocheckpoint", 256),
		},
	}
	path := filepath.ToSlash(s.path)
	if !strings.HasPrefix(path, "/") {
		path = "/" + path // C:/…
	}
	return (&url.URL{Scheme: "file", Path: path, RawQuery: settings.Encode()}).String()
}

func pragmaValue(name string, value any) string { return fmt.Sprintf("%s(%v)", name, value) }
func pragma(name string, value any) string      { return fmt.Sprintf("PRAGMA %s = %v", name, value) }

// connect opens the database, and looks whether it is ours before it changes anything.
func (s *Store) connect(ctx context.Context) error {
	connector, err := sqlite.NewConnector(s.source())
	if err != nil {
		return err
	}
	wal := supportsWAL(s.dir)
	if !wal {
		if err := s.leaveWAL(ctx, connector); err != nil {
			return err
		}
	}
	s.db = sql.OpenDB(connector)
	s.db.SetMaxOpenConns(8)
	s.db.SetMaxIdleConns(8)
	version, err := s.version(ctx, s.db)
	if err != nil {
		return err
	}
	if err := s.chooseJournal(ctx, wal); err != nil {
		return err
	}
	if version < len(migrations()) {
		return s.migrate(ctx)
	}
	return nil
}

// chooseJournal takes the write-ahead log, where readers and the writer do not wait for each other, if the file system can
// share memory between processes, and the rollback journal otherwise. SQLite itself may notice that it cannot, too.
func (s *Store) chooseJournal(ctx context.Context, wal bool) error {
	if wal {
		err := s.setJournal(ctx, "wal")
		if err == nil || !isSharedMemoryFailure(err) {
			return err
		}
	}
	return s.setJournal(ctx, "delete")
}

// setJournal retries by itself: the change of the journal needs the file alone and does not wait for that.
func (s *Store) setJournal(ctx context.Context, mode string) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for {
		err := s.db.QueryRowContext(ctx, pragma("journal_mode", mode)).Scan(&s.journal)
		if !isBusy(err) {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(5 * time.Millisecond):
		}
	}
}

// leaveWAL converts a database that came to this file system with a write-ahead log. Only a connection that has the file
// for itself can read such a log without shared memory.
func (s *Store) leaveWAL(ctx context.Context, connector driver.Connector) error {
	if !hasWALHeader(s.path) {
		return nil
	}
	db := sql.OpenDB(connector)
	defer db.Close()
	db.SetMaxOpenConns(1)
	if _, err := db.ExecContext(ctx, pragma("locking_mode", "exclusive")); err != nil {
		return err
	}
	if _, err := s.version(ctx, db); err != nil {
		return err
	}
	_, err := db.ExecContext(ctx, pragma("journal_mode", "delete"))
	return err
}

// hasWALHeader reads the version of the file format: 2 means that the database uses a write-ahead log.
func hasWALHeader(path string) bool {
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	var header [20]byte
	_, err = io.ReadFull(f, header[:])
	return err == nil && header[19] == 2
}
