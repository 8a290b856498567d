//go:build unix

package engine

import (
	"os"

	"golang.org/x/sys/unix"
)

const errHeld = unix.EWOULDBLOCK

// tryLock uses flock: the lock belongs to the open file, so it also keeps sessions of one process apart.
func tryLock(file *os.File) error {
	for {
		if err := unix.Flock(int(file.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != unix.EINTR {
			return err
		}
	}
}
