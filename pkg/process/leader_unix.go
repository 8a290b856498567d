//go:build linux || darwin

package process

import (
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// startLeader starts the program as the leader of its own session: it has no terminal, so that opening /dev/tty fails
// instead of stopping it, and everything it starts stays in its group unless it leaves on purpose.
func startLeader(spec *Spec, tag string, files [3]*os.File) (pid int, err error) {
	return start(spec.Path, spec.Argv, &syscall.ProcAttr{
		Dir:   spec.Dir,
		Env:   taggedEnv(spec.Env, tag),
		Files: descriptors(files),
		Sys:   leaderAttr(),
	})
}

func descriptors(files [3]*os.File) []uintptr {
	return []uintptr{files[0].Fd(), files[1].Fd(), files[2].Fd()}
}

// start starts a program. ETXTBSY: a program that was just written is still open for writing in a process that forked
// meanwhile and has not reached its exec; that takes a moment.
func start(path string, argv []string, attr *syscall.ProcAttr) (pid int, err error) {
	for pause := time.Millisecond; ; pause *= 2 {
		pid, err = fork(path, argv, attr)
		if err != syscall.ETXTBSY || pause > 64*time.Millisecond {
			return pid, err
		}
		time.Sleep(pause)
	}
}

// reapLeader collects the state of an ended leader and with it gives its number free.
func reapLeader(pid int) Ending {
	var status unix.WaitStatus
	var usage unix.Rusage
	for {
		if _, err := unix.Wait4(pid, &status, 0, &usage); err == nil {
			break
		} else if err != unix.EINTR {
			return Ending{ExitCode: -1}
		}
	}
	return endingOf(status, time.Duration(usage.Utime.Nano()), time.Duration(usage.Stime.Nano()), int64(usage.Maxrss)*rssUnit)
}

// endingOf is how a program ended that needed no help.
func endingOf(status unix.WaitStatus, user, system time.Duration, maxRSS int64) Ending {
	e := Ending{ExitCode: status.ExitStatus(), UserTime: user, SystemTime: system, MaxRSS: maxRSS}
	if status.Signaled() {
		e.ExitCode, e.Signal = -1, unix.SignalName(status.Signal())
	}
	return e
}

// open reports whether anybody still holds the writing end of an output pipe.
func (p *pipes) open() bool {
	for _, s := range []*stream{p.stdout, p.stderr} {
		conn, err := s.file.SyscallConn()
		if err != nil {
			continue
		}
		held := false
		conn.Control(func(fd uintptr) {
			// Hangup is reported as soon as the last writer is gone, also while bytes wait to be read.
			poll := []unix.PollFd{{Fd: int32(fd)}}
			_, err := unix.Poll(poll, 0)
			held = err != nil || poll[0].Revents&unix.POLLHUP == 0
		})
		if held {
			return true
		}
	}
	return false
}
