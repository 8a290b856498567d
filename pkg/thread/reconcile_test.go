package thread

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/ryeos/rye/pkg/process"
)

func init() {
	// run: takes a thread over, says so and stays until it is killed.
	helpers["run"] = func(dir string, args []string) error {
		return withThread(dir, args[0], func(s *Store, id string) error {
			os.Stdout.WriteString("running\n")
			select {}
		})
	}
}

// runElsewhere makes another process run the thread and returns what kills it and waits for its death.
func runElsewhere(t *testing.T, dir, id string) (kill func()) {
	t.Helper()
	cmd := helper(t, "run", dir, id)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	kill = sync.OnceFunc(func() { cmd.Process.Kill(); cmd.Wait() })
	t.Cleanup(kill)
	if _, err := out.Read(make([]byte, 8)); err != nil {
		t.Fatalf("the runner says nothing: %v: %s", err, cmd.Stderr)
	}
	return kill
}

func TestKilledRunnerIsLost(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	thread := register(t, s, New{})
	kill := runElsewhere(t, dir, thread.ID)
	if got := get(t, s, thread.ID); got.Status != Running || got.PID == os.Getpid() {
		t.Fatalf("%s by %d", got.Status, got.PID)
	}
	if _, err := s.AppendEvent(t.Context(), thread.ID, "step", map[string]int{"n": 1}); err != nil {
		t.Fatal(err)
	}
	log := strings.Repeat("x", 3000) + "the last words \xff"
	if err := os.WriteFile(filepath.Join(s.Dir(thread.ID), "stderr.log"), []byte(log), 0o600); err != nil {
		t.Fatal(err)
	}
	kill()

	got := get(t, s, thread.ID)
	if got.Status != Lost || got.ExitCode != nil || got.CompletedAt.IsZero() || got.Evidence == nil {
		t.Fatalf("%+v", got)
	}
	e := got.Evidence
	if e.Was != Running || e.Lock != "free" || e.PID != got.PID || e.LastEvent == nil || e.LastEvent.Type != "step" || string(e.LastEvent.Payload) != `{"n":1}` {
		t.Errorf("evidence: %+v", e)
	}
	if tail := e.LogTails["stderr.log"]; !strings.HasSuffix(tail, "the last words \uFFFD") || len(tail) > tailLength+3 {
		t.Errorf("the tail has %d bytes and ends in %q", len(tail), tail[max(0, len(tail)-20):])
	}
	// What is settled stays.
	if again, err := s.Reconcile(t.Context()); err != nil || len(again) > 0 {
		t.Errorf("settled again: %v, %v", again, err)
	}
	if err := s.Finish(t.Context(), thread.ID, Outcome{Status: Completed, Result: json.RawMessage("1")}); !errors.Is(err, ErrTransition) {
		t.Errorf("a lost thread was finished: %v", err)
	}
}

// TestEveryReadReconciles: no way of reading shows a phantom.
func TestEveryReadReconciles(t *testing.T) {
	for name, read := range map[string]func(s *Store, id string) (Thread, error){
		"get":    func(s *Store, id string) (Thread, error) { return s.Get(t.Context(), id) },
		"prefix": func(s *Store, id string) (Thread, error) { return s.Get(t.Context(), id[:8]) },
		"wait":   func(s *Store, id string) (Thread, error) { return s.Wait(t.Context(), id) },
		"list": func(s *Store, id string) (Thread, error) {
			list, err := s.List(t.Context(), Filter{Status: []Status{Lost}})
			return append(list, Thread{})[0], err
		},
		"children": func(s *Store, id string) (Thread, error) {
			list, err := s.Children(t.Context(), "parent", Filter{})
			return append(list, Thread{})[0], err
		},
	} {
		s := open(t, t.TempDir())
		register(t, s, New{ID: "parent"})
		thread := register(t, s, New{Parent: "parent"})
		begin(t, s, thread.ID).Release() // the runner is gone, though its process is not
		if got, err := read(s, thread.ID); err != nil || got.ID != thread.ID || got.Status != Lost {
			t.Errorf("%s: %s is %q, %v", name, got.ID, got.Status, err)
		}
	}
}

// TestWhoIsBehindAThread has no running helper: the rows say what the launcher or the runner was.
func TestWhoIsBehindAThread(t *testing.T) {
	self, err := process.Identify(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	later, rebooted := self, self
	later.Start++
	rebooted.Boot += "x"
	for name, test := range map[string]struct {
		status Status
		runner process.Identity
		lock   lockState
		want   Status
	}{
		"launcher lives":             {Created, self, lockMissing, Created},
		"launcher gone":              {Created, later, lockMissing, Lost},
		"launcher gone, lock taken":  {Created, later, lockHeld, Created},
		"launcher of another boot":   {Created, rebooted, lockMissing, Lost},
		"nobody recorded":            {Created, process.Identity{}, lockMissing, Lost},
		"lock held":                  {Running, later, lockHeld, Running}, // from a container, numbers look wrong
		"lock free":                  {Running, self, lockFree, Lost},     // runs end in a process that goes on
		"lock removed, runner there": {Running, self, lockMissing, Running},
		"lock removed, pid reused":   {Running, later, lockMissing, Lost},
		"lock removed, rebooted":     {Running, rebooted, lockMissing, Lost},
		"suspended":                  {Suspended, process.Identity{}, lockFree, Suspended},
		"at its end":                 {Killed, later, lockFree, Killed},
	} {
		s := open(t, t.TempDir())
		thread := register(t, s, New{})
		if test.lock != lockMissing {
			lock, err := s.Lock(t.Context(), thread.ID)
			if err != nil {
				t.Fatal(err)
			}
			defer lock.Release()
			if test.lock == lockFree {
				lock.Release()
			}
		}
		sqlExec(t, s, `UPDATE threads SET status = ?, pid = ?, pid_start = ?, pid_boot = ?`,
			test.status, test.runner.PID, int64(test.runner.Start), test.runner.Boot)
		if got := get(t, s, thread.ID); got.Status != test.want {
			t.Errorf("%s: %s, want %s", name, got.Status, test.want)
		}
	}
}

// TestSettleComparesAndSwaps: what changed between the look and the verdict is not settled.
func TestSettleComparesAndSwaps(t *testing.T) {
	s := open(t, t.TempDir())
	thread := register(t, s, New{})
	begin(t, s, thread.ID).Release()
	seen, err := s.find(t.Context(), thread.ID)
	if err != nil {
		t.Fatal(err)
	}
	seen.Evidence = s.missing(seen)
	if seen.Evidence == nil {
		t.Fatal("the runner is not missed")
	}
	if err := s.Suspend(t.Context(), thread.ID, ""); err != nil {
		t.Fatal(err)
	}
	begin(t, s, thread.ID) // running again, by the same process
	err = s.write(t.Context(), "test", normal, func(tx *tx) error {
		if settled, err := tx.settle(seen, func(Thread) { t.Error("what it left was ended") }); settled || err != nil {
			t.Errorf("settled: %v, %v", settled, err)
		}
		return nil
	})
	if got := get(t, s, thread.ID); err != nil || got.Status != Running {
		t.Errorf("%s, %v", got.Status, err)
	}
}

// TestReadersRace: many readers find the same loss; one tells it, and there is one event of it.
func TestReadersRace(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	thread := register(t, s, New{})
	begin(t, s, thread.ID).Release()
	var told sync.Map
	var readers sync.WaitGroup
	for i := range 8 {
		other := open(t, dir)
		readers.Go(func() {
			settled, err := other.Reconcile(t.Context())
			if err != nil {
				t.Error(err)
			}
			if len(settled) > 0 {
				told.Store(i, settled)
			}
		})
	}
	readers.Wait()
	n := 0
	told.Range(func(any, any) bool { n++; return true })
	events, err := s.Events(t.Context(), thread.ID, 0, 10)
	if n != 1 || err != nil || len(events) != 3 { // created, running, lost
		t.Errorf("%d readers settled it, %d events, %v", n, len(events), err)
	}
}

// TestReadersNeverSeeAPhantom: also the reader who comes second, while the first is settling, is told the truth.
func TestReadersNeverSeeAPhantom(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	for range 5 {
		thread := register(t, s, New{})
		begin(t, s, thread.ID).Release()
		var readers sync.WaitGroup
		for range 8 {
			readers.Go(func() {
				if got, err := s.Get(t.Context(), thread.ID); err != nil || got.Status != Lost {
					t.Errorf("%s, %v", got.Status, err)
				}
			})
		}
		readers.Wait()
	}
}

func TestProbeDoesNotDisturbTheRunner(t *testing.T) {
	s := open(t, t.TempDir())
	thread := register(t, s, New{})
	stop := make(chan struct{})
	var readers sync.WaitGroup
	for range 4 {
		readers.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
					s.probe(thread.ID)
				}
			}
		})
	}
	for range 50 {
		lock, err := s.Lock(t.Context(), thread.ID)
		if err != nil {
			t.Fatal(err)
		}
		lock.Release()
	}
	close(stop)
	readers.Wait()
}
