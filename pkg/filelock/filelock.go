// Package filelock locks files between processes. A lock belongs to the open file: another opening of it in the same process
// neither gets it nor drops it. The system gives it back however its holder ends.
package filelock

import (
	"context"
	"errors"
	"os"
	"time"
)

// again is the time between two tries.
const again = 2 * time.Millisecond

// Try takes the lock of an open file for itself, or shares it with others who do. It does not wait.
func Try(file *os.File, exclusive bool) error { return try(file, exclusive) }

// Held reports whether an error of Try says that somebody else has the lock.
func Held(err error) bool { return errors.Is(err, errHeld) }

// Wait takes the lock of an open file for itself when nobody else has it any more.
func Wait(ctx context.Context, file *os.File) error {
	for {
		err := Try(file, true)
		if !Held(err) {
			return err
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(again):
		}
	}
}
