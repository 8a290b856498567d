package thread

import (
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"testing"

	"github.com/ryeos/rye/pkg/process"
)

func init() {
	// orphan: runs the thread, starts a process in a session of its own, as a daemon would be, and stays.
	helpers["orphan"] = func(dir string, args []string) error {
		return withThread(dir, args[0], func(s *Store, id string) error {
			tool := exec.Command("sleep", "1000")
			tool.Env = append(os.Environ(), "RYE_RUN_ID="+s.RunTag(id)+"/0123456789abcdef")
			tool.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
			if err := tool.Start(); err != nil {
				return err
			}
			fmt.Println(tool.Process.Pid)
			select {}
		})
	}
}

// TestLeftoversOfAKilledRunner: the tool of a runner that was killed is gone when the thread is read, and that of another
// thread is not.
func TestLeftoversOfAKilledRunner(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	type run struct {
		id   string
		kill func()
		tool process.Identity
	}
	var runs []run
	for range 2 {
		id := register(t, s, New{}).ID
		cmd := helper(t, "orphan", dir, id)
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		kill := func() { cmd.Process.Kill(); cmd.Wait() }
		t.Cleanup(kill)
		var pid int
		if _, err := fmt.Fscan(out, &pid); err != nil {
			t.Fatalf("the runner says nothing: %v: %s", err, cmd.Stderr)
		}
		tool, err := process.Identify(pid)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if tool.Alive() {
				syscall.Kill(pid, syscall.SIGKILL)
			}
		})
		runs = append(runs, run{id, kill, tool})
	}
	runs[0].kill()
	if !runs[0].tool.Alive() {
		t.Fatal("the tool ended with its runner: there is nothing to test")
	}
	got := get(t, s, runs[0].id)
	if got.Status != Lost || got.Evidence.Killed != 1 || got.Evidence.Survivors != 0 || runs[0].tool.Alive() {
		t.Errorf("%s, evidence %+v, the tool lives: %t", got.Status, got.Evidence, runs[0].tool.Alive())
	}
	if other := get(t, s, runs[1].id); other.Status != Running || !runs[1].tool.Alive() {
		t.Errorf("the other thread is %s, its tool lives: %t", other.Status, runs[1].tool.Alive())
	}
}
