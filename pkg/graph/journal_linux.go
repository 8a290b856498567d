package graph

import (
	"os"

	"golang.org/x/sys/unix"
)

// syncData leaves out what reading the file again does not need, such as its times.
func syncData(file *os.File) error {
	for {
		if err := unix.Fdatasync(int(file.Fd())); err != unix.EINTR {
			return err
		}
	}
}
