//go:build unix

package graph

import (
	"os"

	"golang.org/x/sys/unix"
)

const errHeld = unix.EWOULDBLOCK

// tryLock takes an exclusive flock: the kernel gives it back however the process ends.
func tryLock(file *os.File) error {
	for {
		if err := unix.Flock(int(file.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != unix.EINTR {
			return err
		}
	}
}

// syncFolder makes the names in a folder durable.
func syncFolder(path string) error {
	folder, err := os.Open(path)
	if err != nil {
		return err
	}
	defer folder.Close()
	return folder.Sync()
}
