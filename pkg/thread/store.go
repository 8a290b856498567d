package thread

import (
	"context"
	"crypto/rand"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/ryeos/rye/pkg/item"
)

// DatabaseName is the file of the registry in its folder.
const DatabaseName = "registry.db"

// Options are what a Store may be told.
type Options struct {
	Now      func() time.Time // time.Now if nil; read once for each transaction
	Existing bool             // do not make a registry where there is none; the error then wraps fs.ErrNotExist
}

// Store is one project's registry. Goroutines and processes may share it.
//
// Closing the last connection costs a checkpoint, more than all that a short command does. A process that is about to end
// may leave Close out: whatever was reported as done is in the file, and the next process goes on from there.
type Store struct {
	dir, path string
	now       func() time.Time
	db        *sql.DB
	journal   string        // wal or delete
	writing   chan struct{} // holds one token: goroutines queue here, where it is fair, and only processes at the file
}

// Open opens the registry in a folder, makes it if there is none and migrates it if it is older.
func Open(ctx context.Context, dir string, opts Options) (*Store, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("opening the thread registry: %w", err)
	}
	s := &Store{dir: dir, path: filepath.Join(dir, DatabaseName), now: opts.Now, writing: make(chan struct{}, 1)}
	if s.now == nil {
		s.now = time.Now
	}
	if err := s.findFolder(opts.Existing); err != nil {
		return nil, err
	}
	if err := s.connect(ctx); err != nil {
		if s.db != nil {
			s.db.Close()
		}
		return nil, s.explain("open", err)
	}
	return s, nil
}

func (s *Store) findFolder(existing bool) error {
	if existing {
		if _, err := os.Stat(s.path); err != nil {
			return item.Errorf(item.TypeNotFound, "there is no thread registry in %s: %w", s.dir, err).
				Hint("no thread was started here yet: rye execute REF --async")
		}
		return nil
	}
	if err := os.MkdirAll(s.dir, 0o700); err != nil { // logs and results may hold secrets
		return item.Errorf(item.TypePermission, "cannot make the folder of the thread registry: %w", err)
	}
	return nil
}

// Close closes the database. Transactions that run are waited for.
func (s *Store) Close() error { return s.explain("close", s.db.Close()) }

// Dir is the folder of a thread: its logs and the lock of its runner.
func (s *Store) Dir(id string) string { return filepath.Join(s.dir, filepath.FromSlash(id)) }

// NewID makes a random id (UUID version 4).
func NewID() string {
	var b [16]byte
	rand.Read(b[:]) // never fails
	b[6] = b[6]&0x0f | 0x40
	b[8] = b[8]&0x3f | 0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}

// validateID keeps a thread's folder below the registry's, and off the registry's own files.
func validateID(id string) error {
	if err := item.ValidateID(id); err != nil {
		return item.Usagef("this cannot be the id of a thread: %w", err)
	}
	switch id {
	case DatabaseName, DatabaseName + "-wal", DatabaseName + "-shm", DatabaseName + "-journal":
		return item.Usagef("a thread cannot be called %s: that is a file of the registry", id)
	}
	return nil
}
