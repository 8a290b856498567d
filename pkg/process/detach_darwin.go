package process

import (
	"os"

	"golang.org/x/sys/unix"
)

func detach(p *Program, files [3]*os.File) (Identity, error) {
	pid, err := startDetached(p, files)
	if err != nil {
		return Identity{}, err
	}
	id, err := Identify(pid)
	if err != nil {
		unix.Kill(pid, unix.SIGKILL)
	}
	go reapLeader(pid)
	return id, err
}
