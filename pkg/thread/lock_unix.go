//go:build unix

package thread

import (
	"os"

	"golang.org/x/sys/unix"
)

const errHeld = unix.EWOULDBLOCK

// tryLock uses flock, not fcntl: the lock belongs to the open file, so another opening of it in the same process neither
// gets nor drops it.
func tryLock(file *os.File, exclusive bool) error {
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
