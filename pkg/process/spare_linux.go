package process

import (
	"os"
	"strconv"
)

// spare is the executable whose detached copies a run leaves alone, as it was when the run began and as it is now: it may
// be replaced by another version meanwhile. The zero spare is none.
type spare struct {
	path  string
	first os.FileInfo
}

func newSpare(path string) spare {
	if path == "" {
		return spare{}
	}
	info, err := os.Stat(path)
	if err != nil {
		return spare{path: path}
	}
	return spare{path: path, first: info}
}

// runs reports whether the process pid executes the file.
func (s spare) runs(pid int) bool {
	if s.path == "" {
		return false
	}
	running, err := os.Stat("/proc/" + strconv.Itoa(pid) + "/exe")
	if err != nil {
		return false
	}
	if s.first != nil && os.SameFile(running, s.first) {
		return true
	}
	current, err := os.Stat(s.path)
	return err == nil && os.SameFile(running, current)
}

// spares reports whether p was started by Detach, and so is no part of the run although a process of the run started it.
// Anybody can set the marker, but not run rye and be something else. Who ends the run of another process cannot know the
// executable, which may be another version by now. unsettled: see marks.
func (t *tree) spares(p proc) (m marks, spared, unsettled bool) {
	if p.session != p.pid || !t.foreign && !t.spare.runs(p.pid) {
		return marks{}, false, false
	}
	m, unsettled = p.marks()
	return m, m.detached && !within(m.tag, t.tag), unsettled
}

// spared is asked before p is stopped. Who is in the middle of an exec may be about to become a detached program, and is
// looked at again.
func (h *hunt) spared(p proc) bool {
	m, spared, unsettled := h.tree.spares(p)
	if spared && reaping.Load() {
		p.attend(m.tag)
	}
	h.unsettled = h.unsettled || unsettled
	return spared || unsettled
}

// attend treats p, a detached program that was started inside of a run, as if this process had started it, if it has
// become its child.
func (p proc) attend(tag string) {
	orphans.Lock() // nobody collects it between the check and the registration
	defer orphans.Unlock()
	q, err := readProc(p.pid)
	if err != nil || q.start != p.start || q.ppid != os.Getpid() || isLeader(p.pid) {
		return
	}
	t := &tree{tag: tag, pid: p.pid, leading: true, retired: true}
	t.register()
	go t.attend()
}
