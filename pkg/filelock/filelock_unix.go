//go:build unix

package filelock

import (
	"os"

	"golang.org/x/sys/unix"
)

const errHeld = unix.EWOULDBLOCK

// try uses flock: the locks of fcntl belong to the process.
func try(file *os.File, exclusive bool) error {
	how := unix.LOCK_SH
	if exclusive {
		how = unix.LOCK_EX
	}
	for {
		if err := unix.Flock(int(file.Fd()), how|unix.LOCK_NB); err != unix.EINTR {
			return err
		}
	}
}
