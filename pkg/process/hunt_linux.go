package process

import (
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// killTime bounds the hunt for the rest of a tree. It is needed only if a process cannot be killed.
const killTime = 5 * time.Second

// hunt finds and kills what is left of a tree. What it finds is first stopped: a stopped process cannot fork away from
// the next look, and cannot be orphaned by the death of its parent before its own children were found.
type hunt struct {
	tree      *tree
	session   int // this process's, which can hold no process of a run of ours: there is no way back into a session
	deadline  time.Time
	caught    map[int]proc
	order     []proc       // of caught, for the walk down
	immune    map[int]proc // not ours to signal
	unsettled bool         // someone in the middle of an exec could not be judged
}

// sweep ends every process of the tree that it can find. It returns how many it killed, the leader not counted, and how
// many of those are still there because they cannot be killed.
func (t *tree) sweep() (killed, survivors int) {
	defer reapStrays()
	h := &hunt{tree: t, session: ownSession(), deadline: time.Now().Add(killTime), immune: map[int]proc{}}
	for {
		h.caught, h.order = map[int]proc{}, nil
		orphaned := !h.leaderAlive() // else zombies of the leader may still fall to us
		if t.leading {
			unix.Kill(-t.pid, unix.SIGSTOP)
		}
		h.freeze()
		if t.pinned {
			unix.Kill(-t.pid, unix.SIGKILL)
		}
		for _, p := range h.order {
			p.signal(unix.SIGKILL, nil)
		}
		killed += len(h.order)
		rest := h.bury()
		t.pinned = t.leading // a group without its leader ends here, and with it the claim to the number
		if len(h.order) == 0 && orphaned || time.Now().After(h.deadline) {
			return killed, rest + h.immuneAlive()
		}
	}
}

// freeze stops everything of the tree that it finds until there is nothing new.
func (h *hunt) freeze() {
	if !procMounted() {
		return
	}
	for retries := 0; time.Now().Before(h.deadline); {
		before := len(h.order)
		h.unsettled = false
		h.pass()
		if len(h.order) > before {
			continue
		}
		if !h.unsettled || retries == 20 {
			return
		}
		retries++
		time.Sleep(time.Millisecond)
	}
}

// pass looks once at everything that may belong to the tree.
func (h *hunt) pass() {
	for _, p := range h.tree.seen {
		h.seize(p.pid, func(q proc) bool { return q.start == p.start })
	}
	candidates := processes
	if reaping.Load() && !h.tree.foreign {
		candidates = adopted
	}
	for _, pid := range candidates() {
		h.seize(pid, h.owns)
	}
	if h.tree.leading {
		h.seizeChildren(h.tree.pid)
	}
	for i := 0; i < len(h.order) && time.Now().Before(h.deadline); i++ { // grows while it is walked
		h.seizeChildren(h.order[i].pid)
	}
}

func (h *hunt) seizeChildren(parent int) {
	for _, child := range children(parent) {
		h.seize(child, func(q proc) bool { return q.ppid == parent })
	}
}

// seize stops the process if it is one of the tree and notes it. A zombie that fell to us is collected.
func (h *hunt) seize(pid int, is func(proc) bool) {
	if h.tree.leading && pid == h.tree.pid || pid == os.Getpid() {
		return
	}
	p, err := readProc(pid)
	if err != nil || p.session == h.session || h.caught[pid].start == p.start || h.immune[pid].start == p.start || !is(p) {
		return
	}
	if p.dead() {
		if reaping.Load() {
			p.reap()
		}
		return
	}
	switch p.signal(unix.SIGSTOP, func(q proc) bool { return is(q) && !h.spared(q) }) {
	case nil:
		h.caught[pid] = p
		h.order = append(h.order, p)
	case unix.EPERM:
		h.immune[pid] = p
	}
}

// owns judges a process whose parent says nothing about it.
func (h *hunt) owns(p proc) bool {
	t := h.tree
	if p.start < t.since {
		return false
	}
	if t.pinned && (p.session == t.pid || p.group == t.pid) {
		return true
	}
	m, unsettled := p.marks()
	if within(m.tag, t.tag) || t.foreign && (names(m.tag, t.tag) || p.branded(t.tag)) {
		return true
	}
	if !t.foreign && reaping.Load() && p.ppid == os.Getpid() && t.abandoned(p, m.tag) {
		return true
	}
	h.unsettled = h.unsettled || unsettled
	return false
}

// bury waits until all that were killed are dead, collects those that are our children, and returns how many are not.
func (h *hunt) bury() (left int) {
	for pause := 50 * time.Microsecond; ; pause = min(2*pause, 5*time.Millisecond) {
		for pid, p := range h.caught {
			if h.gone(p) {
				delete(h.caught, pid)
			}
		}
		if len(h.caught) == 0 && !h.leaderAlive() || time.Now().After(h.deadline) {
			return len(h.caught)
		}
		time.Sleep(pause)
	}
}

func (h *hunt) gone(p proc) bool {
	leaderAlive := h.leaderAlive() // before the look at p: its children fall to us before its end is known
	q, err := readProc(p.pid)
	if err != nil || q.start != p.start {
		return true
	}
	if !q.dead() {
		return false
	}
	if !reaping.Load() {
		return true // whoever adopted it collects it
	}
	if q.ppid == os.Getpid() {
		return q.reap()
	}
	_, dying := h.caught[q.ppid] // it becomes our child when its parent is dead
	return !dying && !(q.ppid == h.tree.pid && leaderAlive)
}

func (h *hunt) leaderAlive() bool {
	select {
	case <-h.tree.exited:
		return false
	default:
		return true
	}
}

func (h *hunt) immuneAlive() (n int) {
	for _, p := range h.immune {
		if q, err := readProc(p.pid); err == nil && q.start == p.start && !q.dead() {
			n++
		}
	}
	return n
}
