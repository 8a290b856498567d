package process

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"
)

// treeTest is a shape of tree, with what must be known of its end.
type treeTest struct {
	shape string
	// left is how many processes a normal end leaves to kill. hidden trees are out of sight after a normal end without a
	// reaper: outside of the group and without the output pipes. untraceable ones are out of sight always then.
	left                int
	hidden, untraceable bool
	deaf                bool // the grace is used up
}

var treeTests = []treeTest{
	{shape: "alone"},
	{shape: "child", left: 1},
	{shape: "grandchild", left: 2},
	{shape: "setsid", left: 1, hidden: true},
	{shape: "daemon", left: 1, hidden: true},
	{shape: "cleared", left: 1, untraceable: true},
	{shape: "nohup", left: 1},
	{shape: "deaf", left: 1, deaf: true},
	{shape: "holds", left: 2},
	{shape: "stopped", left: 1},
	{shape: "headless", left: 1, hidden: true},
	{shape: "crowd", left: 4, untraceable: true},
}

var errStop = errors.New("stop")

// Whatever a tree looks like and however the run ends: when Run returns, everything the program started is dead.
func TestTrees(t *testing.T) {
	eachMode(t, func(t *testing.T, reaper bool) {
		for _, tt := range treeTests {
			for _, end := range []string{"exit", "cancel", "timeout"} {
				if !reaper && (tt.untraceable || tt.hidden && end == "exit") {
					continue // the documented limits
				}
				t.Run(tt.shape+"/"+end, func(t *testing.T) { tt.run(t, end) })
			}
		}
	})
}

func (tt treeTest) run(t *testing.T, end string) {
	grace := 30 * time.Second // that it is not used up shows that the end of the group was noticed
	if tt.deaf {
		grace = 50 * time.Millisecond
	}
	var res Result
	var dir string
	switch end {
	case "exit":
		dir = t.TempDir()
		res = run(t, helperSpec("leader", dir, tt.shape, "exit"))
		if res.ExitCode != 0 || res.Reaped != tt.left || res.TimedOut || res.Cancelled != nil {
			t.Errorf("exit %d, reaped %d of %d, %q", res.ExitCode, res.Reaped, tt.left, res.Stderr)
		}
	case "cancel":
		dir = t.TempDir()
		ctx, cancel := context.WithCancelCause(context.Background())
		go func() {
			waitUntil(func() bool { return noted(dir, []string{"ready"}) })
			cancel(errStop)
		}()
		spec := helperSpec("leader", dir, tt.shape, "stay")
		spec.Grace = grace
		var err error
		if res, err = Run(ctx, spec); err != nil {
			t.Fatal(err)
		}
		if res.Cancelled != errStop || res.TimedOut {
			t.Errorf("cancelled by %v", res.Cancelled)
		}
	case "timeout":
		// The time that a tree needs to grow is not known: one that was too young is grown again.
		for timeout := 100 * time.Millisecond; dir == "" || !noted(dir, []string{"ready"}); timeout *= 2 {
			if timeout > time.Minute {
				t.Fatal("never ready")
			}
			dir = t.TempDir()
			spec := helperSpec("leader", dir, tt.shape, "stay")
			spec.Grace, spec.Timeout = grace, timeout
			res = run(t, spec)
		}
		if !res.TimedOut || res.Cancelled != nil {
			t.Errorf("timed out %v, cancelled by %v", res.TimedOut, res.Cancelled)
		}
	}
	tt.checkEnd(t, end, dir, res)
}

func (tt treeTest) checkEnd(t *testing.T, end, dir string, res Result) {
	if leader := identityOf(t, dir, "leader"); leader.PID != res.PID {
		t.Errorf("pid %d, leader %d", res.PID, leader.PID)
	}
	for _, name := range append([]string{"leader"}, shapes[tt.shape].names...) {
		if id := identityOf(t, dir, name); id.Alive() {
			t.Errorf("%s is alive: %+v", name, id)
		}
	}
	if res.Survivors != 0 {
		t.Errorf("%d survivors", res.Survivors)
	}
	if end == "exit" {
		return
	}
	want := "SIGTERM"
	if tt.deaf {
		want = "SIGKILL"
	}
	if res.Signal != want || res.ExitCode != -1 {
		t.Errorf("ended by %q, exit %d", res.Signal, res.ExitCode)
	}
	if res.Duration > 20*time.Second {
		t.Errorf("took %v", res.Duration)
	}
}

// A tree that grows while it is killed.
func TestForkLoop(t *testing.T) {
	eachMode(t, func(t *testing.T, _ bool) {
		dir := t.TempDir()
		nap := fmt.Sprintf("120.%d", os.Getpid())
		spec := shell(`trap '' TERM; i=0
			while [ $i -lt 400 ]; do (sleep ` + nap + ` & sleep ` + nap + `) & i=$((i+1)); [ $i = 40 ] && : >ready; done; wait`)
		spec.Dir, spec.Grace = dir, time.Millisecond
		ctx, cancel := context.WithCancel(context.Background())
		go func() {
			waitUntil(func() bool { return noted(dir, []string{"ready"}) })
			cancel()
		}()
		res, err := Run(ctx, spec)
		if err != nil {
			t.Fatal(err)
		}
		if res.Reaped < 40 || res.Survivors != 0 {
			t.Errorf("reaped %d, survivors %d", res.Reaped, res.Survivors)
		}
		if left := running(nap); len(left) > 0 {
			t.Errorf("still running: %v", left)
		}
	})
}

// running lists the processes with an argument.
func running(arg string) (found []int) {
	for _, pid := range processes() {
		line, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
		if err == nil && strings.Contains(string(line), "\x00"+arg+"\x00") {
			found = append(found, pid)
		}
	}
	return found
}

func BenchmarkRunTrue(b *testing.B) {
	for name, on := range map[string]bool{"plain": false, "reaper": true} {
		b.Run(name, func(b *testing.B) {
			setReaper(on)
			defer setReaper(false)
			spec := Spec{Path: "/bin/true", Argv: []string{"true"}}
			for b.Loop() {
				if res, err := Run(context.Background(), spec); err != nil || res.ExitCode != 0 {
					b.Fatal(res, err)
				}
			}
		})
	}
}

// BenchmarkBareTrue is what BenchmarkRunTrue is compared with: the same program without capture and without care.
func BenchmarkBareTrue(b *testing.B) {
	for b.Loop() {
		p, err := os.StartProcess("/bin/true", []string{"true"}, &os.ProcAttr{Env: []string{}})
		if err != nil {
			b.Fatal(err)
		}
		if _, err := p.Wait(); err != nil {
			b.Fatal(err)
		}
	}
}
