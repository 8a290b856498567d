package process

import (
	"os"
	"time"

	"golang.org/x/sys/unix"
)

const (
	rssUnit = 1 // macOS counts ru_maxrss in bytes
	zombie  = 5 // SZOMB of <sys/proc.h>
	// killTime bounds the wait for the end of killed processes.
	killTime = 5 * time.Second
)

// BecomeReaper does nothing on macOS, which has no way to adopt orphans: a run ends its process group, and what left
// the group escapes.
func BecomeReaper() error { return nil }

// tree is a program that runs and its process group.
type tree struct {
	origin origin
	pid    int
	exited chan struct{} // closed when the leader has ended; its number stays reserved until it is reaped
}

func startTree(spec *Spec, files [3]*os.File) (*tree, error) {
	return grow(newTag(ownTag), spec, ownLeader(spec, files))
}

func grow(tag string, _ *Spec, from origin) (*tree, error) {
	pid, err := from.start(tag)
	if err != nil {
		return nil, err
	}
	t := &tree{origin: from, pid: pid, exited: make(chan struct{})}
	go func() {
		defer close(t.exited)
		from.await(pid)
	}()
	return t, nil
}

// awaitExit returns when the child has ended, without reaping it. waitid would do, but on macOS it also returns when the
// child is stopped.
func awaitExit(pid int) {
	queue, err := unix.Kqueue()
	if err == nil {
		defer unix.Close(queue)
		change := []unix.Kevent_t{{Fflags: unix.NOTE_EXIT}}
		unix.SetKevent(&change[0], pid, unix.EVFILT_PROC, unix.EV_ADD|unix.EV_ONESHOT)
		event := make([]unix.Kevent_t, 1)
		for {
			n, err := unix.Kevent(queue, change, event, nil)
			if err == unix.EINTR {
				change = nil
				continue
			}
			if n > 0 || err != nil { // ESRCH: it has ended already
				break
			}
		}
	}
	for !dead(pid) { // no queue to be had, or the event came a little before the end
		time.Sleep(time.Millisecond)
	}
}

func dead(pid int) bool {
	info, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	return err != nil || info.Proc.P_stat == zombie
}

// Terminate asks the group to end, and returns when the leader and the group are gone or the grace is over.
func (t *tree) Terminate(grace time.Duration) {
	unix.Kill(-t.pid, unix.SIGTERM)
	unix.Kill(-t.pid, unix.SIGCONT) // who is stopped shall hear it too
	over := time.NewTimer(grace)
	defer over.Stop()
	select {
	case <-t.exited:
	case <-over.C:
		return
	}
	for t.groupAlive() > 0 {
		select {
		case <-time.After(5 * time.Millisecond):
		case <-over.C:
			return
		}
	}
}

// groupAlive counts the members of the group that run, the leader not counted.
func (t *tree) groupAlive() (n int) {
	members, err := unix.SysctlKinfoProcSlice("kern.proc.pgrp", t.pid)
	if err != nil {
		return 0
	}
	for _, m := range members {
		if m.Proc.P_stat != zombie && int(m.Proc.P_pid) != t.pid {
			n++
		}
	}
	return n
}

// End kills what is left of the group and reaps the leader.
func (t *tree) End(cut bool, held func() bool) Ending {
	left := t.groupAlive()
	unix.Kill(-t.pid, unix.SIGKILL)
	over := time.NewTimer(killTime)
	defer over.Stop()
	select {
	case <-t.exited:
	case <-over.C:
		go func() {
			<-t.exited
			t.origin.reap(t.pid)
		}()
		return Ending{ExitCode: -1, Signal: unix.SignalName(unix.SIGKILL), Killed: left, Survivors: 1 + t.groupAlive()}
	}
	deadline := time.Now().Add(killTime)
	for left > 0 && t.groupAlive() > 0 && time.Now().Before(deadline) {
		time.Sleep(time.Millisecond)
	}
	survivors := t.groupAlive()
	e := t.origin.reap(t.pid)
	e.Killed, e.Survivors = left, survivors
	return e
}
