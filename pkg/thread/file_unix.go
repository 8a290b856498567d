//go:build unix

package thread

import (
	"io/fs"
	"syscall"

	"golang.org/x/sys/unix"
)

// neverWait keeps the opening of a named pipe from waiting for its other end.
const neverWait = unix.O_NONBLOCK

// names counts the hard links of a file.
func names(info fs.FileInfo) uint64 {
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		return uint64(stat.Nlink)
	}
	return 1
}
