package engine

import (
	"io/fs"
	"syscall"
)

// statusOf is when a file's status changed, which nobody can set back, and which file it is.
func statusOf(info fs.FileInfo) (changed int64, inode uint64) {
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		return stat.Ctimespec.Nano(), stat.Ino
	}
	return 0, 0
}
