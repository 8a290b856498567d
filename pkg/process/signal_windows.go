package process

import (
	"context"
	"fmt"
	"syscall"

	"golang.org/x/sys/windows"
)

// signal kills the process whatever it is asked for. The handle holds on to one process: as long as it is open, the number
// is not given again.
func (i Identity) signal(syscall.Signal) error {
	if i.PID <= 0 {
		return i.over()
	}
	handle, err := windows.OpenProcess(windows.PROCESS_TERMINATE, false, uint32(i.PID))
	if err == nil {
		defer windows.CloseHandle(handle)
	}
	if !i.Alive() {
		return i.over()
	}
	if err == nil {
		err = windows.TerminateProcess(handle, 1)
	}
	if err != nil {
		return fmt.Errorf("cannot end process %d: %w", i.PID, err)
	}
	return nil
}

func (i Identity) await(ctx context.Context) error { return i.poll(ctx) }
