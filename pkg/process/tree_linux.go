package process

import (
	"os"
	"slices"
	"time"

	"golang.org/x/sys/unix"
)

const (
	rssUnit = 1 << 10 // Linux counts ru_maxrss in KiB
	// maxSeen bounds the picture of a tree that is growing while it is looked at.
	maxSeen = 10_000
	// tick is the unit of start times in /proc.
	tick = 10 * time.Millisecond
)

// tree is a program that runs and everything it started.
type tree struct {
	tag    string
	origin origin
	since  uint64        // ticks after boot when the run began; whatever it starts is not older
	exited chan struct{} // closed when the leader has ended; its number stays reserved until it is reaped
	seen   []proc        // descendants that were known before the leader was asked to end
	spare  spare

	pid     int
	leading bool // the leader is not reaped yet
	retired bool
	foreign bool // a run of another process, known by its tag only
	pinned  bool // pid is still this run's: as its leader's number, or as that of a group that is not empty
}

func startTree(spec *Spec, files [3]*os.File) (*tree, error) {
	return grow(newTag(ownTag), spec, ownLeader(spec, files))
}

func grow(tag string, spec *Spec, from origin) (*tree, error) {
	t := &tree{tag: tag, origin: from, since: now(), spare: newSpare(spec.Spare), exited: make(chan struct{})}
	t.register()
	pid, err := from.start(tag)
	if err != nil {
		t.unregister()
		return nil, err
	}
	t.lead(pid)
	t.pinned = true
	if spec.Server != nil {
		t.retire()
	}
	go func() {
		defer close(t.exited)
		from.await(pid)
	}()
	return t, nil
}

// awaitExit returns when the child has ended, without reaping it.
func awaitExit(pid int) {
	for unix.Waitid(unix.P_PID, pid, nil, unix.WEXITED|unix.WNOWAIT, nil) == unix.EINTR {
	}
}

// now is the time as the kernel notes it for a process that starts.
func now() uint64 {
	var ts unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_BOOTTIME, &ts); err != nil {
		return 0
	}
	return uint64(ts.Nano() / int64(tick))
}

// Terminate asks the group to end, and returns when the leader and the group are gone or the grace is over.
func (t *tree) Terminate(grace time.Duration) {
	t.seen = t.descendants()
	unix.Kill(-t.pid, unix.SIGTERM)
	unix.Kill(-t.pid, unix.SIGCONT) // who is stopped shall hear it too
	over := time.NewTimer(grace)
	defer over.Stop()
	select {
	case <-t.exited:
	case <-over.C:
		return
	}
	for pause := time.Millisecond; t.groupAlive(); pause = min(2*pause, 50*time.Millisecond) {
		select {
		case <-time.After(pause):
		case <-over.C:
			return
		}
	}
}

// groupAlive looks at /proc, as the kernel counts the unreaped leader as a member.
func (t *tree) groupAlive() bool {
	alive := func(pid int) bool {
		p, err := readProc(pid)
		return err == nil && p.group == t.pid && !p.dead()
	}
	return procMounted() && (slices.ContainsFunc(t.seen, func(p proc) bool { return alive(p.pid) }) ||
		slices.ContainsFunc(processes(), alive))
}

// descendants lists what the leader started, without what is spared.
func (t *tree) descendants() []proc {
	var found []proc
	if !procMounted() {
		return nil
	}
	parents := []int{t.pid}
	for len(parents) > 0 && len(found) < maxSeen {
		parent := parents[0]
		parents = parents[1:]
		for _, child := range children(parent) {
			p, err := readProc(child)
			if err != nil || p.ppid != parent {
				continue
			}
			if _, spared, unsettled := t.spares(p); !spared && !unsettled {
				found = append(found, p)
				parents = append(parents, child)
			}
		}
	}
	return found
}

// End kills what is left of the tree and reaps the leader. cut means that the leader may still run; held is asked
// whether an output pipe is still open.
func (t *tree) End(cut bool, held func() bool) Ending {
	t.retire()
	if cut || held() {
		killed, survivors := t.sweep()
		e := t.collect()
		e.Killed = killed
		e.Survivors += survivors
		return e
	}
	// Whoever is left in the group is stopped before the leader is reaped: it stays, and so the number cannot be given
	// to somebody else.
	unix.Kill(-t.pid, unix.SIGSTOP)
	e := t.origin.reap(t.pid)
	t.forget()
	if t.leftBehind() {
		e.Killed, e.Survivors = t.sweep()
	}
	t.unregister()
	return e
}

// collect reaps the leader after a sweep. One that even SIGKILL did not end stays registered, so that no other run
// takes it for an orphan, until it ends after all.
func (t *tree) collect() Ending {
	reap := func() Ending {
		defer t.unregister()
		return t.origin.reap(t.pid)
	}
	select {
	case <-t.exited:
		return reap()
	default:
		go func() {
			<-t.exited
			reap()
		}()
		return Ending{ExitCode: -1, Signal: unix.SignalName(unix.SIGKILL), Survivors: 1}
	}
}

// leftBehind tells cheaply whether the reaped leader may have left processes behind.
func (t *tree) leftBehind() bool {
	t.pinned = unix.Kill(-t.pid, 0) != unix.ESRCH
	if t.pinned || !reaping.Load() {
		return t.pinned
	}
	// An orphan of ours would be our child. Usually there is no child at all.
	err := unix.Waitid(unix.P_ALL, 0, nil, unix.WEXITED|unix.WNOHANG|unix.WNOWAIT|unix.WALL, nil)
	return err != unix.ECHILD && len(adopted()) > 0
}
