//go:build linux || darwin

package runtime

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"github.com/ryeos/rye/pkg/process"
)

const (
	// forkTime bounds the wait for an answer of the interpreter, which may still be starting.
	forkTime = 10 * time.Second
	// roomForTag is as much of the interpreter's environment as its children overwrite with what pkg/process finds them by.
	roomForTag = 1200
)

// Host keeps an interpreter and runs forks of it for those who connect.
type Host struct {
	end  context.CancelFunc // of the host
	stop context.CancelFunc // of the interpreter
	over chan struct{}      // closed when the interpreter has ended

	mu   sync.Mutex // one question to the interpreter at a time
	link *link
	gone string   // why it can fork no more
	able bool     // it has answered; one that never does is not started again for each call
	next *child   // forked before it is needed; nil for none
	from []source // what the interpreter was made from

	count   sync.Mutex // guards what follows
	runs    int
	retired bool
}

// NewHost starts the interpreter, which ends with the context. end is called when a new host would do better.
func NewHost(ctx context.Context, w Warm, end context.CancelFunc) (*Host, error) {
	h := &Host{end: end, over: make(chan struct{})}
	ctx, h.stop = context.WithCancel(ctx)
	ours, theirs, err := socketPair()
	if err != nil {
		return nil, err
	}
	h.link = &link{conn: ours}
	spec := process.Spec{
		Path: w.Program, Argv: w.argv(), Env: append([]string{"RYE_ROOM=" + strings.Repeat("-", roomForTag)}, w.Env...), Dir: "/",
		Server: theirs, Limit: 64 << 10, Grace: time.Millisecond,
	}
	go func() {
		defer close(h.over)
		result, err := process.Run(ctx, spec)
		ours.Close() // ends a question that waits for its answer
		h.mu.Lock()
		defer h.mu.Unlock()
		h.gone = fmt.Sprintf("the interpreter ended: %v %s", err, strings.TrimSpace(result.Stderr.String()))
		if h.able {
			end()
		}
	}()
	if _, err := io.WriteString(ours, zygote); err != nil {
		return nil, err
	}
	h.mu.Lock() // no fork before it is made
	go h.make(w)
	return h, nil
}

// Wait returns when the interpreter is over.
func (h *Host) Wait() { <-h.over }

// socketPair is a socket's two ends, one to talk on and one to hand over.
func socketPair() (*net.UnixConn, *os.File, error) {
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM, 0)
	if err != nil {
		return nil, nil, err
	}
	for _, fd := range fds {
		unix.CloseOnExec(fd)
	}
	ours, theirs := os.NewFile(uintptr(fds[0]), "socket"), os.NewFile(uintptr(fds[1]), "socket")
	defer ours.Close()
	conn, err := net.FileConn(ours)
	if err != nil {
		theirs.Close()
		return nil, nil, err
	}
	return conn.(*net.UnixConn), theirs, nil
}

// Serve runs one program for who has connected. Whoever disconnects before it has ended, ends it.
func (h *Host) Serve(ctx context.Context, conn *net.UnixConn) {
	h.enter()
	defer h.leave()
	l := &link{conn: conn}
	defer context.AfterFunc(ctx, func() { conn.SetReadDeadline(time.Unix(1, 0)) })()
	parts, files, err := l.receive()
	if err != nil || len(parts) < 4 || len(files) != maxFiles {
		closeAll(files)
		return
	}
	run, err := process.Adopt(&forking{h, append([]string{"start"}, parts[2:]...), files}, parts[0], parts[1])
	closeAll(files)
	if err != nil {
		l.send([]string{"no", err.Error()})
		return
	}
	if l.send([]string{"started", strconv.Itoa(run.PID())}) != nil {
		run.End(true, nil)
		return
	}
	told := make(chan struct{})
	go func() {
		defer close(told)
		<-run.Exited()
		l.send([]string{"exited"})
	}()
	e, asked := obey(l, run)
	if asked {
		<-told // in this order
		text, _ := json.Marshal(e)
		l.send([]string{"ended", string(text)})
	}
	h.prepare()
}

// obey does what the caller wants of the run, and ends it.
func obey(l *link, run process.Started) (e process.Ending, asked bool) {
	for {
		parts, _, err := l.receive()
		switch {
		case err == nil && len(parts) == 2 && parts[0] == "terminate":
			grace, _ := strconv.ParseInt(parts[1], 10, 64)
			run.Terminate(time.Duration(grace))
			l.send([]string{"terminated"})
		case err == nil && len(parts) == 2 && parts[0] == "end":
			cut := parts[1] == "true"
			return run.End(cut, func() bool { return cut }), true
		default: // nobody is there any more
			return run.End(true, nil), false
		}
	}
}
