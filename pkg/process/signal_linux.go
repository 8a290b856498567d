package process

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

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

func (i Identity) signal(sig unix.Signal) error {
	boot, err := bootID()
	if err != nil {
		return fmt.Errorf("cannot signal process %d: %w", i.PID, err)
	}
	if boot != i.Boot || i.PID <= 0 {
		return i.over()
	}
	switch err := (proc{pid: i.PID, start: i.Start}).signal(sig, nil); {
	case err == unix.ESRCH:
		return i.over()
	case err != nil:
		return fmt.Errorf("cannot signal process %d: %w", i.PID, err)
	}
	return nil
}

func (i Identity) await(ctx context.Context) error {
	if !i.Alive() {
		return nil
	}
	fd, err := unix.PidfdOpen(i.PID, unix.PIDFD_NONBLOCK)
	if err != nil { // see signal
		return i.poll(ctx)
	}
	if !i.Alive() { // the descriptor may hold another process
		unix.Close(fd)
		return nil
	}
	if err := awaitEnd(ctx, fd); err == nil || ctx.Err() != nil {
		return err
	}
	return i.poll(ctx)
}

// awaitEnd returns when the process that the descriptor holds has ended, and closes the descriptor, which must not block:
// the wait is Go's poller's and takes no thread.
func awaitEnd(ctx context.Context, fd int) error {
	file := os.NewFile(uintptr(fd), "pidfd")
	defer file.Close()
	conn, err := file.SyscallConn()
	if err != nil {
		return err
	}
	stop := context.AfterFunc(ctx, func() { file.SetReadDeadline(time.Unix(1, 0)) })
	defer stop()
	err = conn.Read(func(fd uintptr) bool {
		poll := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}
		n, err := unix.Poll(poll, 0)
		return n > 0 && err == nil
	})
	if ctx.Err() != nil && err != nil {
		return context.Cause(ctx)
	}
	return err
}
