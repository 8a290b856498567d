//go:build linux || darwin

package process

import (
	"os"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

// startDetached starts the program in a session of its own.
func startDetached(p *Program, files [3]*os.File) (pid int, err error) {
	closeOnExec()
	return start(p.Path, p.Argv, &syscall.ProcAttr{
		Dir:   p.Dir,
		Env:   p.env(),
		Files: descriptors(files),
		Sys:   &syscall.SysProcAttr{Setsid: true},
	})
}

// closeOnExec keeps the descriptors that whoever started this process left open in it from being handed on: a program
// that lives for hours would hold, say, the other end of its grandparent's pipe. Go's own are never handed on.
func closeOnExec() {
	open, err := os.ReadDir("/dev/fd")
	if err != nil {
		return
	}
	for _, entry := range open {
		if fd, err := strconv.Atoi(entry.Name()); err == nil && fd > 2 {
			unix.CloseOnExec(fd)
		}
	}
}
