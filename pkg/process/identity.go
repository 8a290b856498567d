package process

import (
	"context"
	"fmt"
	"os"
	"syscall"
	"time"
)

// Identity names one process for good: its number is given again after its death, its number and start time together are
// not, and Boot tells the two of them from those of another boot of the machine.
type Identity struct {
	PID   int
	Start uint64 // the kernel's start time; its unit depends on the system
	Boot  string
}

// Alive reports whether the process still runs. A zombie is dead, and so is a process that cannot be looked at.
func (i Identity) Alive() bool {
	now, dead, err := lookAt(i.PID)
	return err == nil && !dead && now == i
}

// Identify returns the identity of the process that has the number pid now. The error wraps fs.ErrNotExist if there is none.
func Identify(pid int) (Identity, error) {
	i, _, err := lookAt(pid)
	return i, err
}

// Terminate asks the process to end: with SIGTERM; on Windows, which knows no such request, it kills it. The error wraps
// os.ErrProcessDone if the process is over. Whoever has its number now is never reached.
func (i Identity) Terminate() error { return i.signal(syscall.SIGTERM) }

// Kill ends the process. The error wraps os.ErrProcessDone if it is over.
func (i Identity) Kill() error { return i.signal(syscall.SIGKILL) }

// WaitGone returns when the process is over, or with the context's cause when that ends before. A zombie is over.
func (i Identity) WaitGone(ctx context.Context) error { return i.await(ctx) }

// poll waits for the end of the process by asking again and again.
func (i Identity) poll(ctx context.Context) error {
	for pause := time.Millisecond; i.Alive(); pause = min(2*pause, 50*time.Millisecond) {
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	return nil
}

func (i Identity) over() error { return fmt.Errorf("process %d: %w", i.PID, os.ErrProcessDone) }
