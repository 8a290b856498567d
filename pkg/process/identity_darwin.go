package process

import (
	"fmt"
	"os"
	"sync"

	"golang.org/x/sys/unix"
)

var bootID = sync.OnceValues(func() (string, error) { return unix.Sysctl("kern.bootsessionuuid") })

// lookAt measures the start time in microseconds of Unix time.
func lookAt(pid int) (i Identity, isDead bool, err error) {
	boot, err := bootID()
	if err != nil {
		return Identity{}, false, fmt.Errorf("cannot identify process %d: %w", pid, err)
	}
	if pid <= 0 {
		return Identity{}, false, fmt.Errorf("no process has the number %d: %w", pid, os.ErrNotExist)
	}
	info, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	if err != nil || int(info.Proc.P_pid) != pid { // an unknown number is answered with an empty list
		return Identity{}, false, fmt.Errorf("cannot identify process %d: %w", pid, os.ErrNotExist)
	}
	start := info.Proc.P_starttime
	i = Identity{PID: pid, Start: uint64(start.Sec)*1e6 + uint64(start.Usec), Boot: boot}
	return i, info.Proc.P_stat == zombie, nil
}
