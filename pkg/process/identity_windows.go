package process

import (
	"fmt"
	"os"

	"golang.org/x/sys/windows"
)

// stillActive is the exit code of a process that has none yet.
const stillActive = 259

// lookAt measures the start time in units of 100 ns since 1601; with the number it is unique across boots, so Boot is "".
func lookAt(pid int) (i Identity, isDead bool, err error) {
	if pid <= 0 {
		return Identity{}, false, fmt.Errorf("no process has the number %d: %w", pid, os.ErrNotExist)
	}
	handle, err := windows.OpenProcess(windows.PROCESS_QUERY_LIMITED_INFORMATION, false, uint32(pid))
	if err == windows.ERROR_INVALID_PARAMETER { // what Windows says of a number nobody has
		err = os.ErrNotExist
	}
	if err != nil {
		return Identity{}, false, fmt.Errorf("cannot identify process %d: %w", pid, err)
	}
	defer windows.CloseHandle(handle)
	var created, ended, kernel, user windows.Filetime
	var code uint32
	if err := windows.GetProcessTimes(handle, &created, &ended, &kernel, &user); err != nil {
		return Identity{}, false, fmt.Errorf("cannot identify process %d: %w", pid, err)
	}
	if err := windows.GetExitCodeProcess(handle, &code); err != nil {
		return Identity{}, false, fmt.Errorf("cannot identify process %d: %w", pid, err)
	}
	start := uint64(created.HighDateTime)<<32 | uint64(created.LowDateTime)
	return Identity{PID: pid, Start: start}, code != stillActive, nil
}
