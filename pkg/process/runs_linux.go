package process

import (
	"fmt"
	"os"
	"slices"
	"sync"
	"sync/atomic"

	"golang.org/x/sys/unix"
)

// reaping is set once this process adopts the orphans of its descendants.
var reaping atomic.Bool

// BecomeReaper makes this process adopt what its descendants orphan, so that Run can find and end even a daemon that
// has left session and group and cleared its environment. It cannot be undone and concerns the whole process: it is for
// programs dedicated to rye, the command line first of all. From then on, a child that other code of this process
// starts in a session of its own would be collected when it ends, and, while runs are active, taken for an orphan of theirs.
//
// Only Linux has it (PR_SET_CHILD_SUBREAPER); elsewhere it does nothing: macOS ends the program's group, Windows the
// job object.
func BecomeReaper() error {
	if err := setReaper(true); err != nil {
		return fmt.Errorf("cannot adopt orphaned processes: %w", err)
	}
	return nil
}

func setReaper(on bool) error {
	var flag uintptr
	if on {
		flag = 1
	}
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, flag, 0, 0, 0); err != nil {
		return err
	}
	reaping.Store(on)
	return nil
}

func ownSession() int {
	sid, err := unix.Getsid(0)
	if err != nil {
		return -1
	}
	return sid
}

// active holds the runs of this process, from before the fork to after the last leftover is dead, and the detached
// programs that are its children. Its lock guards the fields of tree that other runs look at.
var active = struct {
	sync.Mutex
	trees map[*tree]struct{}
}{trees: map[*tree]struct{}{}}

func (t *tree) register() {
	active.Lock()
	defer active.Unlock()
	active.trees[t] = struct{}{}
}

func (t *tree) unregister() {
	active.Lock()
	defer active.Unlock()
	delete(active.trees, t)
}

// retire says that t claims no unknown orphan from now on. It comes before t looks for orphans itself: of two runs that
// end together, the one that retires last finds the other retired.
func (t *tree) retire() {
	active.Lock()
	defer active.Unlock()
	t.retired = true
}

// lead notes the leader of t, and forget that its number is free again.
func (t *tree) lead(pid int) {
	active.Lock()
	defer active.Unlock()
	t.pid, t.leading = pid, true
}

func (t *tree) forget() {
	active.Lock()
	defer active.Unlock()
	t.leading = false
}

// isLeader reports whether pid leads a run or is a detached program: then nobody else may wait for it.
func isLeader(pid int) bool {
	active.Lock()
	defer active.Unlock()
	for t := range active.trees {
		if t.leading && t.pid == pid {
			return true
		}
	}
	return false
}

// abandoned reports whether p, a child of this process that does not carry t's marks, falls to t: it belongs to no
// other run as far as anyone can tell, and every other run that it may come from is over.
func (t *tree) abandoned(p proc, tag string) bool {
	active.Lock()
	defer active.Unlock()
	for o := range active.trees {
		if o == t {
			continue
		}
		if within(tag, o.tag) || o.pid == p.pid || o.pid == p.session || o.pid == p.group {
			return false
		}
		if !o.retired && o.since <= p.start {
			return false
		}
	}
	return true
}

// adopted lists the children of this process that lead no run. The kernel's list may miss one while another leaves it, so
// it is read until its length stays the same.
func adopted() []int {
	for last, tries := -1, 0; ; tries++ {
		all := children(os.Getpid())
		if count := len(all); count > 0 && count != last && tries < 8 {
			last = count
			continue
		}
		return slices.DeleteFunc(all, isLeader)
	}
}

// reap collects an adopted zombie and reports whether it is gone. All runs do it one after the other: between the check
// and the wait nobody else may collect it, or the number could belong to a new leader already.
func (p proc) reap() bool {
	orphans.Lock()
	defer orphans.Unlock()
	q, err := readProc(p.pid)
	if err != nil || q.start != p.start || isLeader(p.pid) {
		return true
	}
	if q.ppid != os.Getpid() || !q.dead() {
		return false
	}
	for {
		pid, err := unix.Wait4(p.pid, nil, unix.WNOHANG|unix.WALL, nil)
		if err != unix.EINTR {
			return pid == p.pid || err != nil
		}
	}
}

var orphans sync.Mutex

// reapStrays collects the adopted zombies that no run asks for: those that the runs of a detached program left, and those
// that are older than the run that finds them.
func reapStrays() {
	if !reaping.Load() {
		return
	}
	session := ownSession()
	for _, pid := range adopted() {
		if p, err := readProc(pid); err == nil && p.dead() && p.session != session && !p.mayLead() {
			p.reap()
		}
	}
}

// mayLead reports whether p is, or may be about to be noted as, the leader of a run.
func (p proc) mayLead() bool {
	active.Lock()
	defer active.Unlock()
	for t := range active.trees {
		if t.leading && t.pid == p.pid || t.pid == 0 && t.since <= p.start {
			return true
		}
	}
	return false
}
