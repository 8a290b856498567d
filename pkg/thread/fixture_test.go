package thread

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"
)

// helpers are what this test binary does when it runs as another process. They get the registry's folder and arguments.
var helpers = map[string]func(dir string, args []string) error{}

func TestMain(m *testing.M) {
	name := os.Getenv("RYE_TEST_HELPER")
	if name == "" {
		os.Exit(m.Run())
	}
	crashPoint = func(point string) {
		if file := os.Getenv("RYE_TEST_CRASH_LIST"); file != "" {
			appendLine(file, point)
		}
		if point == os.Getenv("RYE_TEST_CRASH_AT") {
			dieHard()
		}
	}
	if err := helpers[name](os.Args[1], os.Args[2:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// dieHard ends the process as kill -9 does: nothing deferred runs, nothing is flushed.
func dieHard() {
	self, err := os.FindProcess(os.Getpid())
	if err == nil {
		err = self.Kill()
	}
	if err != nil {
		panic(err)
	}
	select {} // the signal is on its way
}

func appendLine(file, line string) {
	f, err := os.OpenFile(file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err == nil {
		_, err = fmt.Fprintln(f, line)
		f.Close()
	}
	if err != nil {
		panic(err)
	}
}

// helper makes this test binary run as another process.
func helper(t testing.TB, name, dir string, args ...string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	t.Cleanup(cancel)
	cmd := exec.CommandContext(ctx, self, append([]string{dir}, args...)...)
	cmd.Env = append(os.Environ(), "RYE_TEST_HELPER="+name)
	cmd.Stderr = &bytes.Buffer{}
	return cmd
}

func mustRun(t testing.TB, cmd *exec.Cmd) {
	t.Helper()
	if err := cmd.Run(); err != nil {
		t.Fatalf("helper: %v: %s", err, cmd.Stderr)
	}
}

// clock stands still until it is moved.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func newClock() *clock { return &clock{now: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)} }

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

func open(t testing.TB, dir string) *Store {
	t.Helper()
	return openAt(t, dir, nil)
}

func openAt(t testing.TB, dir string, now func() time.Time) *Store {
	t.Helper()
	s, err := Open(t.Context(), dir, Options{Now: now})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func register(t testing.TB, s *Store, n New) Thread {
	t.Helper()
	if n.Item == "" {
		n.Item = "tool:my/echo"
	}
	thread, err := s.Register(t.Context(), n)
	if err != nil {
		t.Fatal(err)
	}
	return thread
}

// begin makes a registered thread running, by this process.
func begin(t testing.TB, s *Store, id string) *Lock {
	t.Helper()
	lock, err := s.Lock(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { lock.Release() })
	if err := s.Begin(t.Context(), lock); err != nil {
		t.Fatal(err)
	}
	return lock
}

// finish ends a thread as completed.
func finish(t testing.TB, s *Store, id string) {
	t.Helper()
	if err := s.Finish(t.Context(), id, Outcome{Status: Completed}); err != nil {
		t.Fatal(err)
	}
}

func get(t testing.TB, s *Store, id string) Thread {
	t.Helper()
	thread, err := s.Get(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	return thread
}

// sqlExec goes around the package.
func sqlExec(t testing.TB, s *Store, query string, args ...any) {
	t.Helper()
	if _, err := s.db.ExecContext(t.Context(), query, args...); err != nil {
		t.Fatal(err)
	}
}

func ids(threads []Thread) string {
	var list []string
	for _, t := range threads {
		list = append(list, t.ID)
	}
	return strings.Join(list, " ")
}
