//go:build linux || darwin

package runtime

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/ryeos/rye/pkg/process"
)

// answerTime bounds the wait for a keeper's answers, besides the time that it was given.
const answerTime = 15 * time.Second

// warmStart starts the program of a plan as a fork of the interpreter that is kept for it.
type warmStart struct {
	ctx  context.Context
	dial Dial
	cold func(error)
	lost error // why nobody knows how the program would have ended
}

// starter is what runs the plan warm; nil when it cannot.
func (p *Plan) starter(ctx context.Context) *warmStart {
	if p.Warm == nil || p.Dial == nil || p.Sandbox != nil {
		return nil
	}
	return &warmStart{ctx: ctx, dial: p.Dial, cold: p.Cold}
}

// Start has no error: a call that cannot be warm is cold. The forked program waits at a gate, of which this process has the
// only key: until it has been opened, nothing has begun, whatever became of the keeper, and a program that can no longer be
// let in ends.
func (w *warmStart) Start(spec *process.Spec, tag string, files [3]*os.File) process.Started {
	f, err := w.fork(spec, tag, files)
	if err != nil {
		w.cold(err)
		return nil // not a Started that holds no fork
	}
	return f
}

func (w *warmStart) fork(spec *process.Spec, tag string, files [3]*os.File) (*fork, error) {
	wait, gate, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer gate.Close()
	conn, err := w.dial(w.ctx)
	if err != nil {
		wait.Close()
		return nil, err
	}
	f := &fork{link: &link{conn: conn}, start: w, tag: tag, exited: make(chan struct{}), answers: make(chan []string, 1)}
	conn.SetDeadline(time.Now().Add(answerTime))
	err = f.link.send(request(spec, tag), files[0], files[1], files[2], wait)
	wait.Close()
	if err == nil {
		f.pid, err = f.link.started()
	}
	if err == nil {
		conn.SetDeadline(time.Time{})
		_, err = gate.Write([]byte{1})
	}
	if err != nil {
		conn.Close()
		return nil, err
	}
	f.identity, _ = process.Identify(f.pid)
	go f.listen()
	return f, nil
}

// request is what a keeper needs to know of a run, and passes on to the interpreter but for the first two.
func request(spec *process.Spec, tag string) []string {
	arguments := spec.Argv[3:] // after the interpreter, -c and the loader
	parts := append([]string{tag, spec.Spare, spec.Dir, strconv.Itoa(len(arguments))}, arguments...)
	parts = append(parts, process.TagKey+"="+tag)
	for _, variable := range spec.Env {
		if name, _, _ := strings.Cut(variable, "="); name != process.TagKey && name != process.DetachedKey {
			parts = append(parts, variable)
		}
	}
	return parts
}

// started reads the answer to a request.
func (l *link) started() (pid int, err error) {
	parts, files, err := l.receive()
	closeAll(files)
	if err != nil {
		return 0, err
	}
	if len(parts) != 2 || parts[0] != "started" {
		return 0, errors.New(strings.Join(parts, " "))
	}
	return strconv.Atoi(parts[1])
}

// fork is a program that a keeper has started and will end.
type fork struct {
	link     *link
	start    *warmStart
	tag      string
	pid      int
	identity process.Identity

	exited  chan struct{}
	answers chan []string // closed when the keeper is lost
}

func (f *fork) PID() int                { return f.pid }
func (f *fork) Exited() <-chan struct{} { return f.exited }

func (f *fork) listen() {
	over := false
	for {
		parts, files, err := f.link.receive()
		closeAll(files)
		switch {
		case err == nil && parts[0] == "exited":
			over = true
			close(f.exited)
		case err == nil:
			f.answers <- parts
		default:
			close(f.answers)
			if !over {
				close(f.exited)
			}
			return
		}
	}
}

func (f *fork) Terminate(grace time.Duration) {
	if f.link.send([]string{"terminate", strconv.FormatInt(int64(grace), 10)}) == nil {
		f.answer(grace + answerTime)
	}
}

// answer waits for the keeper. None means that it is lost.
func (f *fork) answer(most time.Duration) []string {
	timer := time.NewTimer(most)
	defer timer.Stop()
	select {
	case parts := <-f.answers:
		return parts
	case <-timer.C:
		return nil
	}
}

// End ends the run itself where the keeper cannot any more.
func (f *fork) End(cut bool, held func() bool) (e process.Ending) {
	defer f.link.conn.Close()
	err := f.link.send([]string{"end", strconv.FormatBool(cut || held())})
	if err == nil {
		err = errors.New("its keeper ended")
		if answer := f.answer(answerTime); len(answer) == 2 && answer[0] == "ended" {
			err = json.Unmarshal([]byte(answer[1]), &e)
		}
	}
	if err == nil {
		return e
	}
	f.start.lost = err
	e = process.Ending{ExitCode: -1}
	if f.identity.PID != 0 {
		f.identity.Kill()
	}
	e.Killed, e.Survivors = process.KillRun(f.tag)
	return e
}
