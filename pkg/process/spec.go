package process

import (
	"context"
	"fmt"
	"io"
	"os"
	"time"
)

const (
	// DefaultLimit is how many bytes of each stream a Result keeps when Spec.Limit is 0.
	DefaultLimit = 10 << 20
	// DefaultGrace is the time between asking and killing when Spec.Grace is 0.
	DefaultGrace = 2 * time.Second
)

// Spec is a program to run.
type Spec struct {
	Path string   // absolute path of the program
	Argv []string // with argv[0]
	Env  []string // "K=V", complete: nothing is inherited; RYE_RUN_ID is set by Run and RYE_DETACHED is removed
	Dir  string   // "" means the directory of this process

	// Stdin is written while the output is read, so neither waits for the other (spec/rye-core §12 B10). Empty means the
	// null device. A program that does not read it is no error.
	Stdin []byte

	// Input, in place of Stdin, is what a program reads with which this process talks while it runs: it is copied as it
	// comes, and its end is the end of standard input. Whoever gives it must end it, at the latest when the run is over.
	Input io.Reader

	// Server, in place of Stdin, is one end of a socket: it becomes the program's standard input, and is closed here. It is for
	// a program that forks others when it is told to, over the other end. Each of those is a run of its own, see Adopt, and
	// the program itself is never held to have started a process that has lost its parent.
	Server *os.File

	// Starter, unless nil, may start the program in place of this process.
	Starter Starter

	// Stdout and Stderr receive a live copy, byte for byte and in order. The two are written by different goroutines.
	// A write error ends the run as a cancellation does; a slow writer slows the program down.
	Stdout, Stderr io.Writer

	Limit   int           // bytes kept of each stream, half from its head and half from its tail; 0 means DefaultLimit
	Timeout time.Duration // 0 means none
	Grace   time.Duration // between SIGTERM and SIGKILL; 0 means DefaultGrace; see StopError

	// Spare is the absolute path of a program, rye itself, whose copies that Detach has started are no part of the run,
	// nor is what those have started. "" spares nothing.
	Spare string
}

// Result is how a run ended.
type Result struct {
	PID      int
	ExitCode int    // -1 when a signal ended the program
	Signal   string // its name ("SIGKILL"), or ""

	Stdout, Stderr Output

	TimedOut  bool  // Spec.Timeout was over before the program had ended and its output was delivered
	Cancelled error // what cut the run short: the context's cause, or the *WriteError of a live writer

	Duration  time.Duration // until the program and what it left were gone
	Reaped    int           // processes the program had started and that had to be killed
	Survivors int           // processes that could not be killed (other user, stuck in the kernel); normally 0

	// What the program and the children it waited for used. MaxRSS is in bytes, 0 where the system does not tell; Linux
	// counts in what this process had in memory when it started the program.
	UserTime, SystemTime time.Duration
	MaxRSS               int64
}

// settled checks the spec and fills in its defaults.
func (s Spec) settled() (Spec, error) {
	if err := checkCommand(s.Path, s.Argv, s.Env); err != nil {
		return s, err
	}
	if s.Input != nil && len(s.Stdin) > 0 {
		return s, fmt.Errorf("cannot start %s: it can have Stdin or Input, not both", s.Path)
	}
	if s.Limit < 0 || s.Timeout < 0 || s.Grace < 0 {
		return s, fmt.Errorf("cannot start %s: limit %d, timeout %v and grace %v must not be negative",
			s.Path, s.Limit, s.Timeout, s.Grace)
	}
	if s.Limit == 0 {
		s.Limit = DefaultLimit
	}
	if s.Grace == 0 {
		s.Grace = DefaultGrace
	}
	return s, nil
}

// WriteError is the error of a live writer: somebody's disk is full, or nobody reads any more.
type WriteError struct {
	Stream string // "standard output" or "standard error"
	Err    error
}

func (e *WriteError) Error() string { return fmt.Sprintf("cannot pass on %s: %v", e.Stream, e.Err) }

func (e *WriteError) Unwrap() error { return e.Err }

// interrupts is what can cut a run short.
type interrupts struct {
	ctx     context.Context
	timeout <-chan time.Time
	failed  <-chan error
}

// await waits for done. It returns true, and notes the reason in res, if the run is cut short before.
func (i interrupts) await(done <-chan struct{}, res *Result) bool {
	select {
	case <-done: // an end that has already come wins over an interruption
		return false
	default:
	}
	select {
	case <-done:
		return false
	case <-i.ctx.Done():
		res.Cancelled = context.Cause(i.ctx)
	case <-i.timeout:
		res.TimedOut = true
	case err := <-i.failed:
		res.Cancelled = err
	}
	return true
}
