package thread

import (
	"context"
	"errors"
	"os"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"github.com/ryeos/rye/pkg/item"
)

// What callers may want to tell apart; the errors they get wrap these.
var (
	ErrExists     = errors.New("the thread exists")
	ErrNotFound   = errors.New("no such thread")
	ErrTransition = errors.New("the status of the thread does not allow it")
	ErrLocked     = errors.New("the thread has a runner")
	ErrStale      = errors.New("held no longer")
)

func notFound(id string) error {
	return &item.Error{Type: item.TypeNotFound, Message: "there is no thread " + item.Quote(id), Err: ErrNotFound,
		Hints: []string{"see the threads of this project: rye threads list"}}
}

// explain turns what SQLite says into what a person can act on. verb is what was tried.
func (s *Store) explain(verb string, err error) error {
	var known *item.Error
	var failure *sqlite.Error
	switch {
	case err == nil || errors.As(err, &known):
		return err
	case errors.Is(err, context.Canceled):
		return item.Errorf(item.TypeInterrupted, "the thread registry was interrupted (%s): %w", verb, err)
	case errors.Is(err, context.DeadlineExceeded):
		return item.Errorf(item.TypeTimeout, "the thread registry did not answer in time (%s): %w", verb, err)
	case !errors.As(err, &failure):
		return item.Errorf(item.TypeInternal, "the thread registry %s failed (%s): %w", s.path, verb, err)
	}
	code := failure.Code() & 0xff
	if failure.Code() == sqlite3.SQLITE_IOERR_SHMSIZE { // so SQLite says it of one of its files
		code = sqlite3.SQLITE_FULL
	}
	switch code {
	case sqlite3.SQLITE_FULL:
		return item.Errorf(item.TypeUnavailable, "the thread registry %s cannot grow, the disk is full (%s): %w", s.path, verb, err).
			Hint("make room, for instance with rye threads prune")
	case sqlite3.SQLITE_IOERR:
		return item.Errorf(item.TypeUnavailable, "the thread registry %s cannot be read or written (%s): %w", s.path, verb, err).
			Hint("check the disk and its quota: df -h %s", s.dir)
	case sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM:
		if cause := s.closed(); cause != nil {
			err = cause // SQLite does not say why
		}
		return item.Errorf(item.TypePermission, "the thread registry %s cannot be written (%s): %w", s.path, verb, err).
			Hint("check who owns it: ls -l %s", s.dir)
	case sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED:
		return item.Errorf(item.TypeUnavailable, "the thread registry %s is held by another process for more than %s (%s): %w",
			s.path, patience, verb, err).Hint("see who holds it: fuser %s", s.path)
	case sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB:
		return item.Errorf(item.TypeUnavailable, "the thread registry %s is damaged (%s): %w", s.path, verb, err).
			Hint("keep it and start a new one: mv %s %s.damaged", s.path, s.path)
	}
	return item.Errorf(item.TypeInternal, "the thread registry %s failed (%s): %w", s.path, verb, err)
}

// closed is what the operating system says about the file, or about the folder in which its log is to be.
func (s *Store) closed() error {
	file, err := os.OpenFile(s.path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	file.Close()
	probe, err := os.CreateTemp(s.dir, ".probe-")
	if err != nil {
		return err
	}
	probe.Close()
	return os.Remove(probe.Name())
}

func hasCode(err error, codes ...int) bool {
	var failure *sqlite.Error
	if !errors.As(err, &failure) {
		return false
	}
	for _, code := range codes {
		if failure.Code() == code || failure.Code()&0xff == code {
			return true
		}
	}
	return false
}

func isBusy(err error) bool { return hasCode(err, sqlite3.SQLITE_BUSY) }

// isSharedMemoryFailure is what SQLite says on file systems that cannot map a file for several processes.
func isSharedMemoryFailure(err error) bool {
	return hasCode(err, sqlite3.SQLITE_IOERR_SHMMAP, sqlite3.SQLITE_IOERR_SHMOPEN, sqlite3.SQLITE_IOERR_SHMLOCK, sqlite3.SQLITE_PROTOCOL)
}

func isDuplicate(err error) bool {
	return hasCode(err, sqlite3.SQLITE_CONSTRAINT_UNIQUE, sqlite3.SQLITE_CONSTRAINT_PRIMARYKEY)
}

func isForeignKey(err error) bool { return hasCode(err, sqlite3.SQLITE_CONSTRAINT_FOREIGNKEY) }
