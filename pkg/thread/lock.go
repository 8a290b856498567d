package thread

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/ryeos/rye/internal/failpoint"
	"github.com/ryeos/rye/pkg/filelock"
	"github.com/ryeos/rye/pkg/item"
)

// lockName is the file in a thread's folder whose lock says that the thread has a runner. It stays empty, and it stays.
const lockName = "runner.lock"

// Lock is the right to run a thread. The runner keeps it for life, until after the thread has left the status running;
// when the runner dies, the kernel takes it back. No record of any kind can become stale.
type Lock struct {
	id   string
	file *os.File
}

// ID is the thread that the lock is for.
func (l *Lock) ID() string { return l.id }

// Release gives the lock back.
func (l *Lock) Release() error { return l.file.Close() }

// Lock takes the lock of a thread. The error wraps ErrLocked if the thread has another runner. Readers that look whether
// the lock is free hold it for a moment, so one failed attempt means nothing.
func (s *Store) Lock(ctx context.Context, id string) (*Lock, error) {
	if err := validateID(id); err != nil {
		return nil, err
	}
	file, err := os.OpenFile(s.lockPath(id), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, item.Errorf(item.TypePermission, "cannot open the lock of thread %s: %w", id, err)
	}
	failpoint.At("thread.locking")
	deadline := time.Now().Add(time.Second)
	for {
		switch err = filelock.Try(file, true); {
		case err == nil:
			return &Lock{id, file}, nil
		case !filelock.Held(err):
			file.Close()
			return nil, item.Errorf(item.TypeUnavailable, "cannot lock thread %s: %w", id, err)
		case ctx.Err() != nil || time.Now().After(deadline):
			file.Close()
			return nil, &item.Error{Type: item.TypeUnavailable, Message: fmt.Sprintf("thread %s has a runner already", id), Err: ErrLocked}
		}
		time.Sleep(2 * time.Millisecond)
	}
}

func (s *Store) lockPath(id string) string { return filepath.Join(s.Dir(id), lockName) }

// lockState is what a reader finds out about a runner.
type lockState string

const (
	lockHeld    lockState = "held"
	lockFree    lockState = "free"
	lockMissing lockState = "missing" // never taken, or removed by hand
	lockUnknown lockState = "unknown" // a file system without locks
)

// probe looks at the lock of a thread. It asks for a shared lock: readers do not mistake each other for the runner.
func (s *Store) probe(id string) lockState {
	file, err := os.Open(s.lockPath(id))
	if errors.Is(err, fs.ErrNotExist) {
		return lockMissing
	}
	if err != nil {
		return lockUnknown
	}
	defer file.Close()
	switch err := filelock.Try(file, false); {
	case err == nil:
		return lockFree
	case filelock.Held(err):
		return lockHeld
	}
	return lockUnknown
}
