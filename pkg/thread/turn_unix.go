//go:build unix

package thread

import (
	"context"
	"os"
	"time"

	"golang.org/x/sys/unix"

	"github.com/ryeos/rye/pkg/filelock"
)

// turn waits until it is this process's turn to write. SQLite would let everybody who waits try again from time to time,
// so that under many writers the unlucky ones wait for seconds; the kernel wakes those who wait for a lock in their order.
// The lock is on the registry's folder, for no longer than a transaction. It makes waiting fair and nothing else: where
// there is no such lock, or its holder is stopped, SQLite's own locks decide, as they do in any case.
func (s *Store) turn(ctx context.Context) (release func()) {
	dir, err := os.Open(s.dir)
	if err != nil {
		return func() {}
	}
	if filelock.Try(dir, true) == nil {
		return func() { dir.Close() }
	}
	locked := make(chan struct{})
	go func() {
		defer close(locked)
		for unix.Flock(int(dir.Fd()), unix.LOCK_EX) == unix.EINTR {
		}
	}()
	waited := time.NewTimer(turnTime)
	defer waited.Stop()
	select {
	case <-locked:
		return func() { dir.Close() }
	case <-ctx.Done():
	case <-waited.C:
	}
	go func() {
		<-locked
		dir.Close()
	}()
	return func() {}
}

// turnTime is how long a turn is waited for: far longer than any queue of writers takes.
const turnTime = 10 * time.Second
