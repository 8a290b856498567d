package thread

import (
	"os"

	"golang.org/x/sys/windows"
)

const errHeld = windows.ERROR_LOCK_VIOLATION

// tryLock locks one byte; the file is empty, so nothing that anybody reads is locked with it.
func tryLock(file *os.File, exclusive bool) error {
	flags := uint32(windows.LOCKFILE_FAIL_IMMEDIATELY)
	if exclusive {
		flags |= windows.LOCKFILE_EXCLUSIVE_LOCK
	}
	return windows.LockFileEx(windows.Handle(file.Fd()), flags, 0, 1, 0, new(windows.Overlapped))
}
