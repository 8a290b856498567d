package process

import (
	"context"
	"fmt"

	"golang.org/x/sys/unix"
)

// signal has nothing to hold on to a process between the check and the signal.
func (i Identity) signal(sig unix.Signal) error {
	if !i.Alive() {
		return i.over()
	}
	switch err := unix.Kill(i.PID, sig); {
	case err == unix.ESRCH:
		return i.over()
	case err != nil:
		return fmt.Errorf("cannot signal process %d: %w", i.PID, err)
	}
	return nil
}

func (i Identity) await(ctx context.Context) error { return i.poll(ctx) }
