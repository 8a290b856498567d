package process

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

func run(t *testing.T, spec Spec) Result {
	t.Helper()
	res, err := Run(context.Background(), spec)
	if err != nil {
		t.Fatal(err)
	}
	return res
}

func shell(script string) Spec {
	return Spec{Path: "/bin/sh", Argv: []string{"sh", "-c", script}, Env: []string{"PATH=/usr/bin:/bin", "A=b"}}
}

// The modes in which Run works: with and without adopted orphans. Subtests may be parallel among themselves.
func eachMode(t *testing.T, test func(t *testing.T, reaper bool)) {
	for name, on := range map[string]bool{"plain": false, "reaper": true} {
		t.Run(name, func(t *testing.T) {
			if err := setReaper(on); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() {
				if err := unix.Waitid(unix.P_ALL, 0, nil, unix.WEXITED|unix.WNOHANG|unix.WNOWAIT|unix.WALL, nil); err != unix.ECHILD {
					t.Errorf("children are left: %q, %v", stats(children(os.Getpid())), err)
				}
				setReaper(false)
			})
			test(t, on)
		})
	}
}

// stats is what the kernel says of processes.
func stats(pids []int) (list []string) {
	for _, pid := range pids {
		dir := filepath.Join("/proc", strconv.Itoa(pid))
		stat, _ := os.ReadFile(filepath.Join(dir, "stat")) // of one that has gone there is none
		line, _ := os.ReadFile(filepath.Join(dir, "cmdline"))
		list = append(list, string(stat)+string(line))
	}
	return list
}

func TestRun(t *testing.T) {
	dir := t.TempDir()
	tests := []struct {
		name, script   string
		change         func(*Spec)
		stdout, stderr string
		code           int
		signal         string
	}{
		{name: "output and exit code", script: "echo out; echo err >&2; exit 7", stdout: "out\n", stderr: "err\n", code: 7},
		{name: "killed by a signal", script: "kill -KILL $$", code: -1, signal: "SIGKILL"},
		{name: "environment is complete", script: "echo $A; unset A PATH PWD OLDPWD _ SHLVL RYE_RUN_ID; /usr/bin/env", stdout: "b\n"},
		{name: "directory", script: "pwd -P", change: func(s *Spec) { s.Dir = dir }, stdout: dir + "\n"},
		{name: "null device", script: "cat; echo end", stdout: "end\n"},
		{name: "stdin", script: "cat", change: func(s *Spec) { s.Stdin = []byte("text") }, stdout: "text"},
		{name: "argv[0]", script: "echo $0", change: func(s *Spec) { s.Argv = append(s.Argv, "name") }, stdout: "name\n"},
		{name: "no terminal", script: "(: </dev/tty) 2>/dev/null || echo none", stdout: "none\n"},
		{name: "leads its session", script: "set -- $(cat /proc/$$/stat); [ $1 = $5 ] && [ $1 = $6 ] && echo yes", stdout: "yes\n"},
		{name: "tag is replaced", script: `echo ${#RYE_RUN_ID}; env | grep -c RYE_RUN_ID; [ $RYE_RUN_ID != outer ] && echo new`,
			change: func(s *Spec) { s.Env = append(s.Env, "RYE_RUN_ID=outer") }, stdout: "16\n1\nnew\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			spec := shell(tt.script)
			if tt.change != nil {
				tt.change(&spec)
			}
			res := run(t, spec)
			if res.Stdout.String() != tt.stdout || res.Stderr.String() != tt.stderr || res.ExitCode != tt.code || res.Signal != tt.signal {
				t.Errorf("got %q, %q, %d %s", res.Stdout, res.Stderr, res.ExitCode, res.Signal)
			}
			if res.TimedOut || res.Cancelled != nil || res.Reaped != 0 || res.PID <= 0 || res.Duration <= 0 || res.MaxRSS <= 0 {
				t.Errorf("%+v", res)
			}
		})
	}
}

func TestRunCannotStart(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string, mode fs.FileMode) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
		return path
	}
	plain, orphan := write("plain", "x", 0o644), write("orphan", "#!/no/such/interpreter\n", 0o755)
	garbage := write("garbage", "\x00\x01", 0o755)
	cancelled, cancel := context.WithCancel(context.Background())
	cancel()
	argv := []string{"x"}
	tests := []struct {
		name    string
		ctx     context.Context
		spec    Spec
		is      error
		mention string
	}{
		{name: "missing", spec: Spec{Path: "/no/such/program", Argv: argv}, is: unix.ENOENT, mention: "/no/such/program"},
		{name: "not executable", spec: Spec{Path: plain, Argv: argv}, is: unix.EACCES, mention: plain},
		{name: "interpreter missing", spec: Spec{Path: orphan, Argv: argv}, is: unix.ENOENT, mention: "interpreter"},
		{name: "no program", spec: Spec{Path: garbage, Argv: argv}, is: unix.ENOEXEC},
		{name: "directory missing", spec: Spec{Path: "/bin/sh", Argv: argv, Dir: dir + "/none"}, is: unix.ENOENT, mention: "directory"},
		{name: "directory is a file", spec: Spec{Path: "/bin/sh", Argv: argv, Dir: plain}, is: unix.ENOTDIR, mention: "not a directory"},
		{name: "argument too long", spec: Spec{Path: "/bin/sh", Argv: []string{"sh", strings.Repeat("x", 1<<20)}}, is: unix.E2BIG},
		{name: "relative", spec: Spec{Path: "sh", Argv: argv}, mention: "absolute"},
		{name: "no argv", spec: Spec{Path: "/bin/sh"}, mention: "argv[0]"},
		{name: "NUL in argv", spec: Spec{Path: "/bin/sh", Argv: []string{"sh", "a\x00b"}}, is: unix.EINVAL},
		{name: "NUL in environment", spec: Spec{Path: "/bin/sh", Argv: argv, Env: []string{"A=\x00"}}, mention: "NUL"},
		{name: "negative limit", spec: Spec{Path: "/bin/sh", Argv: argv, Limit: -1}, mention: "negative"},
		{name: "cancelled before", ctx: cancelled, spec: Spec{Path: "/bin/sh", Argv: argv}, is: context.Canceled},
	}
	before := openFiles(t)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			ctx := tt.ctx
			if ctx == nil {
				ctx = context.Background()
			}
			res, err := Run(ctx, tt.spec)
			if err == nil || res.PID != 0 {
				t.Fatalf("started: %+v", res)
			}
			if tt.is != nil && !errors.Is(err, tt.is) || !strings.Contains(err.Error(), tt.mention) {
				t.Errorf("got %v", err)
			}
		})
	}
	eventually(t, "no file is left open", func() bool { return openFiles(t) <= before })
	if n := len(active.trees); n != 0 {
		t.Errorf("%d runs are still registered", n)
	}
}

func openFiles(t *testing.T) int {
	t.Helper()
	files, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	return len(files)
}

func TestManyRunsLeaveNothing(t *testing.T) {
	eachMode(t, func(t *testing.T, _ bool) {
		spec := Spec{Path: "/bin/true", Argv: []string{"true"}, Stdin: []byte("x")}
		run(t, spec)
		before := openFiles(t)
		for range 500 {
			if res := run(t, spec); res.ExitCode != 0 || res.Reaped != 0 {
				t.Fatalf("%+v", res)
			}
		}
		eventually(t, "no file is left open", func() bool { return openFiles(t) <= before })
		if left := children(os.Getpid()); len(left) > 0 {
			t.Errorf("children are left: %v", left)
		}
	})
}

// Children that other code of this process starts while a run is on are neither signalled nor collected.
func TestOthersAreLeftAlone(t *testing.T) {
	for _, on := range []bool{false, true} {
		setReaper(on)
		var other *exec.Cmd
		spec := shell("echo started; sleep 100 & sleep 100")
		spec.Timeout = 500 * time.Millisecond
		spec.Stdout = writerFunc(func(p []byte) (int, error) {
			other = startHelper(t, "sleeper", "other")
			return len(p), nil
		})
		run(t, spec)
		run(t, shell("sleep 100 & exit"))
		id, err := Identify(other.Process.Pid)
		if err != nil || !id.Alive() {
			t.Errorf("reaper %v: killed a process of other code", on)
		}
		other.Process.Kill()
		if err := other.Wait(); err == nil || !strings.Contains(err.Error(), "killed") {
			t.Errorf("reaper %v: its state was lost: %v", on, err)
		}
	}
	setReaper(false)
}

func TestBecomeReaper(t *testing.T) {
	defer setReaper(false)
	if err := BecomeReaper(); err != nil || !reaping.Load() {
		t.Fatal(err)
	}
	// A leftover that has left session, group and environment is known by being our child only.
	dir := t.TempDir()
	res := run(t, helperSpec("leader", dir, "cleared", "exit"))
	if id := identityOf(t, dir, "daemon"); id.Alive() || res.Reaped != 1 {
		t.Errorf("reaped %d, alive %v", res.Reaped, id.Alive())
	}
}

// A program that was just written may still be open for writing elsewhere for a moment.
func TestRunBusyFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "fresh")
	program, err := os.ReadFile("/bin/true")
	if err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY, 0o755)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.Write(program); err != nil {
		t.Fatal(err)
	}
	spec := Spec{Path: path, Argv: []string{"fresh"}}
	if _, err := Run(context.Background(), spec); !errors.Is(err, unix.ETXTBSY) {
		t.Errorf("while it stays open: %v", err)
	}
	time.AfterFunc(5*time.Millisecond, func() { f.Close() })
	if res := run(t, spec); res.ExitCode != 0 {
		t.Errorf("%+v", res)
	}
}
