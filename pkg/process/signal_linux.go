package process

import (
	"errors"

	"golang.org/x/sys/unix"
)

// signal sends sig to the process that p describes and to no other. The descriptor holds on to one process; if p's start
// time is still found under the number after it was opened, that is the process it holds. is, unless nil, must still be
// true then.
func (p proc) signal(sig unix.Signal, is func(proc) bool) error {
	fd, err := unix.PidfdOpen(p.pid, 0)
	held := err == nil
	if held {
		defer unix.Close(fd)
	} else if errors.Is(err, unix.ESRCH) {
		return err
	}
	q, err := readProc(p.pid)
	if err != nil || q.start != p.start || q.dead() || is != nil && !is(q) {
		return unix.ESRCH
	}
	if !held { // a kernel before 5.3 or a filter of system calls: the check just made has to do
		return unix.Kill(p.pid, sig)
	}
	return unix.PidfdSendSignal(fd, sig, nil, 0)
}
