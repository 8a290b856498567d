package thread

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"database/sql"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/ryeos/rye/pkg/item"
	"github.com/ryeos/rye/pkg/process"
)

// DatabaseName is the file of the registry in its folder.
const DatabaseName = "registry.db"

// Options are what a Store may be told.
type Options struct {
	Now      func() time.Time // time.Now if nil; read once for each transaction
	Existing bool             // do not make a registry where there is none; the error then wraps fs.ErrNotExist
	Root     string           // the project's folder, which the registry must not leave; anywhere if empty
}

// Store is one project's registry. Goroutines and processes may share it.
//
// Closing the last connection costs a checkpoint, more than all that a short command does. A process that is about to end
// may leave Close out: whatever was reported as done is in the file, and the next process goes on from there.
type Store struct {
	dir, path string
	real      string // dir without links: the same for everybody
	now       func() time.Time
	endRun    func(tag string) (killed, survivors int) // process.KillRun
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
	s := &Store{dir: dir, path: filepath.Join(dir, DatabaseName), now: opts.Now, endRun: process.KillRun, writing: make(chan struct{}, 1)}
	if s.now == nil {
		s.now = time.Now
	}
	if err := s.findFolder(opts); err != nil {
		return nil, err
	}
	if s.real, err = filepath.EvalSymlinks(dir); err != nil {
		return nil, fmt.Errorf("opening the thread registry: %w", err)
	}
	if err := s.connect(ctx); err != nil {
		if s.db != nil {
			s.db.Close()
		}
		return nil, s.explain("open", err)
	}
	return s, nil
}

// Close closes the database. Transactions that run are waited for.
func (s *Store) Close() error { return s.explain("close", s.db.Close()) }

// Dir is the folder of a thread: its logs and the lock of its runner.
func (s *Store) Dir(id string) string { return filepath.Join(s.dir, filepath.FromSlash(id)) }

// RunTag is the RYE_RUN_ID of a thread's runner: the processes that it leaves behind are known by it. Two projects may have
// threads of the same id, so the folder is part of it; a slash would say that the run is below another one.
func (s *Store) RunTag(id string) string {
	const readable = 64
	name := strings.ReplaceAll(id, "/", ".")
	name = strings.ToValidUTF8(name[:min(len(name), readable)], "")
	sum := sha256.Sum256([]byte(s.real + "\x00" + id))
	return fmt.Sprintf("%s-%x", name, sum[:8])
}

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
