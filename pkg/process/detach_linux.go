package process

import (
	"context"
	"os"

	"golang.org/x/sys/unix"
)

// detach starts the program and keeps every run of this process from taking it for an orphan of its own: until it is
// known as a leader by being a run that is still on, to which every unknown child may belong.
func detach(p *Program, files [3]*os.File) (Identity, error) {
	t := &tree{tag: p.Tag, since: now()}
	t.register()
	pid, err := startDetached(p, files)
	if err != nil {
		t.unregister()
		return Identity{}, err
	}
	brand(pid, p.Tag)
	t.lead(pid)
	t.retire()
	id, err := Identify(pid)
	if err != nil {
		unix.Kill(pid, unix.SIGKILL)
	}
	go t.attend()
	return id, err
}

// attend collects a detached program when it has ended. Until then it counts as a leader, which nobody else collects.
func (t *tree) attend() {
	if fd, err := unix.PidfdOpen(t.pid, unix.PIDFD_NONBLOCK); err == nil {
		awaitEnd(context.Background(), fd) // so that the wait below does not occupy a thread for hours
	}
	reapLeader(t.pid)
	t.unregister()
	reapStrays()
}
