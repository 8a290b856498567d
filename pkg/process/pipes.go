package process

import (
	"bytes"
	"errors"
	"io"
	"os"
	"sync"
	"sync/atomic"
	"time"
)

// bufferSize is what one read takes from a pipe. maxPipe is the most that a pipe holds (Linux lets a program ask for
// that much), and so the most that can be left to read in one that nobody writes to any more.
const (
	bufferSize = 32 << 10
	maxPipe    = 1 << 20
)

var buffers = sync.Pool{New: func() any { return new([bufferSize]byte) }}

// pipes connects this process to a program's standard streams.
type pipes struct {
	child          [3]*os.File // the program's ends
	stdin          *os.File    // nil when the program reads the null device
	stdout, stderr *stream
	input          io.Reader

	busy    atomic.Int32  // readers that still run
	done    chan struct{} // closed when both have ended
	written chan struct{} // closed when stdin is written; nil without stdin
	failed  chan error    // errors of live writers
}

// stream is one output of the program.
type stream struct {
	name  string
	file  *os.File
	live  io.Writer
	mu    sync.Mutex
	out   Output
	ended bool // nothing is added any more
}

func openPipes(spec *Spec) (*pipes, error) {
	p := &pipes{
		stdout: &stream{name: "stdout", live: spec.Stdout, out: newOutput(spec.Limit)},
		stderr: &stream{name: "stderr", live: spec.Stderr, out: newOutput(spec.Limit)},
		input:  spec.Input,
		done:   make(chan struct{}),
		failed: make(chan error, 2),
	}
	var errs [3]error
	if p.input == nil && len(spec.Stdin) > 0 {
		p.input = bytes.NewReader(spec.Stdin)
	}
	switch {
	case spec.Server != nil:
		p.child[0] = spec.Server
	case p.input == nil:
		p.child[0], errs[0] = os.Open(os.DevNull)
	default:
		p.child[0], p.stdin, errs[0] = os.Pipe()
		p.written = make(chan struct{})
	}
	p.stdout.file, p.child[1], errs[1] = os.Pipe()
	p.stderr.file, p.child[2], errs[2] = os.Pipe()
	if err := errors.Join(errs[:]...); err != nil {
		p.closeChild()
		p.stdin.Close()
		p.stdout.file.Close()
		p.stderr.file.Close()
		return nil, err
	}
	return p, nil
}

func (p *pipes) closeChild() {
	for _, f := range p.child {
		f.Close()
	}
}

// pump starts to move bytes in both directions.
func (p *pipes) pump() {
	p.busy.Store(2)
	for _, s := range []*stream{p.stdout, p.stderr} {
		go func() {
			s.read(p.failed)
			if p.busy.Add(-1) == 0 {
				close(p.done)
			}
		}()
	}
	if p.stdin != nil {
		go func() {
			defer close(p.written)
			io.Copy(p.stdin, p.input) // a program may close its input early: that is its own affair
			p.stdin.Close()
		}()
	}
}

func (s *stream) read(failed chan<- error) {
	buf := buffers.Get().(*[bufferSize]byte)
	defer buffers.Put(buf)
	for {
		n, err := s.file.Read(buf[:])
		s.take(buf[:n], failed)
		if errors.Is(err, os.ErrDeadlineExceeded) {
			s.readRest(buf[:], failed)
			return
		}
		if err != nil {
			return
		}
	}
}

// readRest takes what the pipe holds although the time to wait for more is over: a live writer may have used that time.
func (s *stream) readRest(buf []byte, failed chan<- error) {
	for left := maxPipe; left > 0; {
		s.file.SetReadDeadline(time.Now().Add(10 * time.Millisecond))
		n, err := s.file.Read(buf[:min(left, len(buf))])
		s.take(buf[:n], failed)
		if err != nil {
			return
		}
		left -= n
	}
}

func (s *stream) take(p []byte, failed chan<- error) {
	if len(p) == 0 {
		return
	}
	s.mu.Lock()
	if !s.ended {
		s.out.write(p)
	}
	s.mu.Unlock()
	if s.live == nil {
		return
	}
	n, err := s.live.Write(p)
	if err == nil && n < len(p) {
		err = io.ErrShortWrite
	}
	if err != nil {
		s.live = nil // the rest is still captured, so that the program is not stuck while it is asked to end
		failed <- &WriteError{Stream: s.name, Err: err}
	}
}

// seal ends the capture and returns it, also while the reader is stuck in a live writer.
func (s *stream) seal() Output {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ended = true
	return s.out
}

// limitReads lets the readers wait for at most d from now for output that may never come.
func (p *pipes) limitReads(d time.Duration) {
	for _, s := range []*stream{p.stdout, p.stderr} {
		s.file.SetReadDeadline(time.Now().Add(d)) // unsupported on Windows: there close ends the wait
	}
}

func (p *pipes) waitFor(d time.Duration) {
	timer := time.NewTimer(d + d/10) // readers whose time is over shall have the chance to say so
	defer timer.Stop()
	select {
	case <-p.done:
	case <-timer.C:
	}
}

// close releases our ends. Where a goroutine may still be stuck in one of them, the close does not wait for it.
func (p *pipes) close() {
	release := func(f *os.File, idle <-chan struct{}) {
		select {
		case <-idle:
			f.Close()
		default:
			go f.Close()
		}
	}
	release(p.stdout.file, p.done)
	release(p.stderr.file, p.done)
	if p.stdin != nil {
		release(p.stdin, p.written)
	}
}
