//go:build linux || darwin

package runtime

import (
	"errors"
	"fmt"
	"net"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// child is a forked interpreter that waits to be told what to run.
type child struct {
	pid  int
	link *link
}

// source is something that the interpreter was made from. info is nil if it was not there.
type source struct {
	path string
	info os.FileInfo
}

func (s source) changed() bool {
	now, err := os.Stat(s.path)
	if err != nil || s.info == nil {
		return (err == nil) != (s.info != nil)
	}
	return !os.SameFile(now, s.info) || now.Size() != s.info.Size() || !now.ModTime().Equal(s.info.ModTime())
}

// make tells the interpreter what it is for, and has the first child ready. It releases the lock.
func (h *Host) make(w Warm) {
	defer h.mu.Unlock()
	answer, _, err := h.ask(append([]string{"code", w.Code}, w.Preload...))
	if err != nil {
		return
	}
	if answer[0] != "made" {
		h.gone, h.able = strings.Join(answer, " "), false
		h.stop()
		return
	}
	for _, path := range answer[1:] {
		info, _ := os.Stat(path)
		h.from = append(h.from, source{path, info})
	}
	h.next, _ = h.fork()
}

// prepare has a child ready for the next call.
func (h *Host) prepare() {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.next == nil {
		h.next, _ = h.fork()
	}
}

// take gives a child to a call.
func (h *Host) take() (*child, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if c := h.next; c != nil {
		h.next = nil
		return c, nil
	}
	return h.fork()
}

// fork makes a child. The caller holds the lock.
func (h *Host) fork() (*child, error) {
	answer, files, err := h.ask([]string{"fork"})
	defer closeAll(files)
	if err != nil {
		return nil, err
	}
	if len(answer) != 2 || answer[0] != "forked" || len(files) != 1 {
		return nil, errors.New(strings.Join(answer, " "))
	}
	c := &child{link: &link{}}
	if c.pid, err = strconv.Atoi(answer[1]); err != nil {
		return nil, err
	}
	conn, err := net.FileConn(files[0])
	if err != nil {
		return nil, err
	}
	c.link.conn = conn.(*net.UnixConn)
	return c, nil
}

// ask puts a question to the interpreter, which is over if it does not answer. The caller holds the lock.
func (h *Host) ask(question []string) (answer []string, files []*os.File, err error) {
	if h.gone != "" {
		return nil, nil, errors.New(h.gone)
	}
	answer, files, err = h.link.ask(question)
	if err != nil {
		h.gone = "the interpreter does not answer: " + err.Error()
		h.stop()
		return nil, nil, errors.New(h.gone)
	}
	h.able = true
	return answer, files, nil
}

// ask sends a message and reads the answer.
func (l *link) ask(question []string, files ...*os.File) (answer []string, with []*os.File, err error) {
	l.conn.SetDeadline(time.Now().Add(forkTime))
	if err := l.send(question, files...); err != nil {
		return nil, nil, err
	}
	return l.receive()
}

// forking is the start of one program by a host.
type forking struct {
	host    *Host
	request []string
	files   []*os.File
}

// Fork tells a child what to run. It waits at its gate then.
func (f *forking) Fork() (int, error) {
	c, err := f.host.take()
	if err != nil {
		return 0, err
	}
	defer c.link.conn.Close()
	if i := slices.IndexFunc(f.host.from, source.changed); i >= 0 {
		f.host.retire()
		f.discard(c)
		return 0, errors.New(f.host.from[i].path + " has changed since the interpreter was started")
	}
	answer, files, err := c.link.ask(f.request, f.files...)
	closeAll(files)
	if err == nil && answer[0] == "started" {
		return c.pid, nil
	}
	f.discard(c)
	if err == nil {
		err = errors.New(strings.Join(answer, " "))
	}
	return 0, err
}

// discard ends a child that has not begun. Its number stays until it is reaped.
func (f *forking) discard(c *child) {
	unix.Kill(c.pid, unix.SIGKILL)
	f.Reap(c.pid)
}

// Reap collects a child that has ended.
func (f *forking) Reap(pid int) (status unix.WaitStatus, usage unix.Rusage, err error) {
	f.host.mu.Lock()
	defer f.host.mu.Unlock()
	answer, _, err := f.host.ask([]string{"reap", strconv.Itoa(pid)})
	if err != nil {
		return status, usage, err
	}
	var raw uint32
	var user, system int64
	if n, _ := fmt.Sscan(strings.Join(answer[1:], " "), &raw, &user, &system, &usage.Maxrss); n != 4 {
		return status, usage, fmt.Errorf("the interpreter says %q", answer)
	}
	usage.Utime, usage.Stime = unix.NsecToTimeval(user*1000), unix.NsecToTimeval(system*1000)
	return unix.WaitStatus(raw), usage, nil
}

// retire ends the host when the runs that it has begun are over. The caller is one.
func (h *Host) retire() {
	h.count.Lock()
	defer h.count.Unlock()
	h.retired = true
}

func (h *Host) enter() {
	h.count.Lock()
	defer h.count.Unlock()
	h.runs++
}

func (h *Host) leave() {
	h.count.Lock()
	defer h.count.Unlock()
	if h.runs--; h.runs == 0 && h.retired {
		h.end()
	}
}
