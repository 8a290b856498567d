//go:build linux || darwin

package keeper

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// TestRace: however many want a keeper at the same moment, one is started.
func TestRace(t *testing.T) {
	o := world(t)
	var all sync.WaitGroup
	var mu sync.Mutex
	counts, pids := map[int]bool{}, map[int]bool{}
	for range 50 {
		all.Go(func() {
			conn, err := Dial(t.Context(), o)
			if err != nil {
				t.Error(err)
				return
			}
			defer conn.Close()
			var pid, count int
			fmt.Fprintln(conn, "count")
			fmt.Fscanln(conn, &pid, &count)
			mu.Lock()
			defer mu.Unlock()
			pids[pid], counts[count] = true, true
		})
	}
	all.Wait()
	if len(pids) != 1 || counts[0] || len(List(t.Context(), o.Dir)) != 1 {
		t.Errorf("keepers %v gave %v", pids, counts)
	}
}

func TestIdle(t *testing.T) {
	o := world(t)
	o.Idle = 50 * time.Millisecond
	busy, pid, _ := call(t, o, "wait")
	call(t, o, "")
	busy.Close()
	gone(t, pid)
	if _, err := os.Lstat(socketOf(o)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the socket is still there: %v", err)
	}
	if _, again, _ := call(t, o, ""); again == pid {
		t.Error("the keeper that has ended was found again")
	}
}

// TestBusyStays: a keeper does not leave while somebody is connected.
func TestBusyStays(t *testing.T) {
	o := world(t)
	o.Idle = 20 * time.Millisecond
	conn, pid, _ := call(t, o, "wait")
	conn.SetReadDeadline(time.Now().Add(10 * o.Idle))
	if _, err := conn.Read(make([]byte, 1)); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("the keeper %d has left: %v", pid, err)
	}
}

func TestKilled(t *testing.T) {
	o := world(t)
	_, pid, _ := call(t, o, "")
	syscall.Kill(pid, syscall.SIGKILL)
	gone(t, pid)
	if _, err := os.Lstat(socketOf(o)); err != nil {
		t.Fatal("there is no stale socket to replace")
	}
	if _, again, count := call(t, o, ""); again == pid || count != 1 {
		t.Errorf("process %d gave %d", again, count)
	}
}

// TestDisplaced: a keeper whose socket was taken away leaves that of the next one alone.
func TestDisplaced(t *testing.T) {
	o := world(t)
	o.Idle = 300 * time.Millisecond
	busy, first, _ := call(t, o, "wait")
	if err := os.Remove(socketOf(o)); err != nil {
		t.Fatal(err)
	}
	o.Idle = time.Minute
	_, second, _ := call(t, o, "")
	if first == second {
		t.Fatal("the keeper was found without its socket")
	}
	busy.Close()
	gone(t, first)
	if _, pid, count := call(t, o, ""); pid != second || count != 2 {
		t.Errorf("process %d gave %d", pid, count)
	}
}

func TestStop(t *testing.T) {
	o := world(t)
	_, pid, _ := call(t, o, "wait")
	list := List(t.Context(), o.Dir)
	if len(list) != 1 || list[0].PID != pid || list[0].Active != 1 || list[0].Name != o.Name {
		t.Fatalf("got %+v", list)
	}
	if err := Stop(t.Context(), list[0]); err != nil {
		t.Fatal(err)
	}
	gone(t, pid)
	if list := List(t.Context(), o.Dir); len(list) != 0 {
		t.Errorf("still there: %+v", list)
	}
}

// TestStopStuck: who does not answer any more is known all the same, and ended.
func TestStopStuck(t *testing.T) {
	o := world(t)
	_, pid, _ := call(t, o, "")
	stopped(t, pid)
	list := List(t.Context(), o.Dir)
	if len(list) != 1 || list[0].PID != pid || !list[0].Stuck {
		t.Fatalf("got %+v", list)
	}
	if _, err := Dial(t.Context(), o); err == nil || !strings.Contains(err.Error(), "does not answer") {
		t.Errorf("got %v", err)
	}
	if err := Stop(t.Context(), list[0]); err != nil {
		t.Fatal(err)
	}
	gone(t, pid)
}

func TestCannotStart(t *testing.T) {
	o := world(t)
	o.What = []byte(`"fail"`)
	if _, err := Dial(t.Context(), o); err == nil || !strings.Contains(err.Error(), "cannot find the thing") {
		t.Errorf("got %v", err)
	}
	o.Program.Path = filepath.Join(t.TempDir(), "absent")
	if _, err := Dial(t.Context(), o); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v", err)
	}
}

// TestPlanted: what is no keeper's is not talked to, and stays as it is.
func TestPlanted(t *testing.T) {
	for name, plant := range map[string]func(t *testing.T, o Options){
		"file": func(t *testing.T, o Options) { must(t, os.WriteFile(socketOf(o), nil, 0o600)) },
		"link": func(t *testing.T, o Options) {
			elsewhere := filepath.Join(t.TempDir(), "s")
			l, err := net.Listen("unix", elsewhere)
			must(t, err)
			t.Cleanup(func() { l.Close() })
			must(t, os.Symlink(elsewhere, socketOf(o)))
		},
		"folder": func(t *testing.T, o Options) { must(t, os.Mkdir(socketOf(o), 0o700)) },
		"lock":   func(t *testing.T, o Options) { must(t, os.Symlink("/dev/null", filepath.Join(o.Dir, "lock"))) },
		"other protocol": func(t *testing.T, o Options) {
			l, err := net.Listen("unix", socketOf(o))
			must(t, err)
			t.Cleanup(func() { l.Close() })
			go func() {
				if conn, err := l.Accept(); err == nil {
					conn.Write([]byte("220 hello"))
				}
			}()
		},
		"open folder": func(t *testing.T, o Options) { must(t, os.Chmod(o.Dir, 0o755)) },
		"linked folder": func(t *testing.T, o Options) {
			must(t, os.Rename(o.Dir, o.Dir+"-moved"))
			must(t, os.Symlink(o.Dir+"-moved", o.Dir))
		},
	} {
		t.Run(name, func(t *testing.T) {
			o := world(t)
			plant(t, o)
			before, _ := os.Lstat(socketOf(o))
			if _, err := Dial(t.Context(), o); err == nil {
				t.Fatal("it was talked to")
			} else if strings.Contains(err.Error(), "did not start") {
				t.Errorf("a keeper was started: %v", err)
			}
			if after, _ := os.Lstat(socketOf(o)); before != nil && !os.SameFile(before, after) {
				t.Error("it was replaced")
			}
		})
	}
}

// TestOtherUsers: neither a folder nor a process of another user is trusted.
func TestOtherUsers(t *testing.T) {
	o := world(t)
	info, err := os.Stat(o.Dir)
	must(t, err)
	if checkFolder(info, os.Geteuid()) != nil || checkFolder(info, os.Geteuid()+1) == nil {
		t.Error("the owner of a folder does not count")
	}
	conn, err := Dial(t.Context(), o)
	must(t, err)
	defer conn.Close()
	if checkPeer(conn, os.Geteuid()) != nil || checkPeer(conn, os.Geteuid()+1) == nil {
		t.Error("the user at the other end does not count")
	}
}

// TestModes: nobody else can reach a socket.
func TestModes(t *testing.T) {
	o := world(t)
	call(t, o, "")
	for file, want := range map[string]fs.FileMode{o.Dir: fs.ModeDir | 0o700, socketOf(o): fs.ModeSocket | 0o600} {
		info, err := os.Lstat(file)
		must(t, err)
		if info.Mode() != want {
			t.Errorf("%s has the mode %s, want %s", file, info.Mode(), want)
		}
	}
}

// TestLetsGo: a keeper holds no pipe of who has started it, and is in no session of theirs.
func TestLetsGo(t *testing.T) {
	o := world(t)
	_, pid, _ := call(t, o, "")
	if sid, err := unix.Getsid(pid); err != nil || sid != pid {
		t.Errorf("the keeper %d is in the session %d, %v", pid, sid, err)
	}
	for fd := range 3 {
		if target, err := os.Readlink(fmt.Sprintf("/proc/%d/fd/%d", pid, fd)); err == nil && fd > 0 && target != os.DevNull {
			t.Errorf("descriptor %d is %s", fd, target)
		}
	}
}

func TestKeys(t *testing.T) {
	binary := filepath.Join(t.TempDir(), "rye")
	must(t, os.WriteFile(binary, []byte("one"), 0o700))
	key := func(parts ...string) string {
		k, err := Key(binary, parts...)
		must(t, err)
		return k
	}
	seen := map[string]bool{key("a", "b"): true}
	if !seen[key("a", "b")] {
		t.Error("the same things have two keys")
	}
	must(t, os.WriteFile(binary, []byte("another"), 0o700))
	for _, k := range []string{key("a", "b"), key("ab", ""), key("", "ab"), key("ab"), key("b", "a")} {
		if seen[k] || checkKey(k) != nil {
			t.Errorf("%s is no key, or that of something else", k)
		}
		seen[k] = true
	}
	for _, k := range []string{"", "x", "../../etc/passwd", strings.Repeat("0", 31), strings.Repeat("0", 64)} {
		if checkKey(k) == nil {
			t.Errorf("%q is a key", k)
		}
	}
}

// TestFolder: the runtime folder is taken only if it is the user's alone.
func TestFolder(t *testing.T) {
	runtimeDir, cache := t.TempDir(), t.TempDir()
	for mode, want := range map[fs.FileMode]string{0o700: filepath.Join(runtimeDir, "rye"), 0o755: filepath.Join(cache, "kept")} {
		must(t, os.Chmod(runtimeDir, mode))
		if got, err := Folder(runtimeDir, cache); got != want || err != nil {
			t.Errorf("mode %o: got %s, %v", mode, got, err)
		}
	}
	if got, err := Folder("relative", cache); got != filepath.Join(cache, "kept") || err != nil {
		t.Errorf("got %s, %v", got, err)
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
