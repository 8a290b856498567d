package engine

import (
	"os"

	"golang.org/x/sys/windows"
)

const errHeld = windows.ERROR_LOCK_VIOLATION

// tryLock locks one byte; the file is empty, so nothing that anybody reads is locked with it.
func tryLock(file *os.File) error {
	flags := uint32(windows.LOCKFILE_EXCLUSIVE_LOCK | windows.LOCKFILE_FAIL_IMMEDIATELY)
	return windows.LockFileEx(windows.Handle(file.Fd()), flags, 0, 1, 0, new(windows.Overlapped))
}
