package process

import (
	"fmt"
	"os"
	"runtime"
	"testing"

	"golang.org/x/sys/unix"
)

// The end of a thread of this process is no reason for the kernel to kill a leader that was started on it.
func TestLeaderOutlivesThread(t *testing.T) {
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	type started struct{ tid, pid int }
	ready := make(chan started)
	for { // the first thread cannot be ended: the goroutine that gets it keeps it meanwhile
		go func() {
			runtime.LockOSThread() // the thread ends with the goroutine
			tid := unix.Gettid()
			if tid == os.Getpid() {
				runtime.UnlockOSThread()
				ready <- started{}
				return
			}
			spec := Spec{Path: "/bin/sleep", Argv: []string{"sleep", "100"}}
			pid, err := startLeader(&spec, "tag", [3]*os.File{null, null, null})
			if err != nil {
				t.Error(err)
			}
			ready <- started{tid, pid}
		}()
		s := <-ready
		if s.tid == 0 {
			continue
		}
		if s.pid == 0 {
			return
		}
		eventually(t, "the thread has ended", func() bool {
			_, err := os.Stat(fmt.Sprintf("/proc/self/task/%d", s.tid))
			return os.IsNotExist(err)
		})
		unix.Kill(s.pid, unix.SIGTERM)
		if e := reapLeader(s.pid); e.Signal != "SIGTERM" {
			t.Errorf("ended by %q", e.Signal)
		}
		return
	}
}
