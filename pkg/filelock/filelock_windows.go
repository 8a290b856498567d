package filelock

import (
	"os"

	"golang.org/x/sys/windows"
)

const errHeld = windows.ERROR_LOCK_VIOLATION

// try locks one byte; files that are locked are empty, so nothing that anybody reads is locked with it.
func try(file *os.File, exclusive bool) error {
	flags := uint32(windows.LOCKFILE_FAIL_IMMEDIATELY)
	if exclusive {
		flags |= windows.LOCKFILE_EXCLUSIVE_LOCK
	}
	return windows.LockFileEx(windows.Handle(file.Fd()), flags, 0, 1, 0, new(windows.Overlapped))
}
