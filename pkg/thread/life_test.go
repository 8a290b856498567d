package thread

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/ryeos/rye/pkg/item"
	"github.com/ryeos/rye/pkg/process"
)

func TestLife(t *testing.T) {
	clock := newClock()
	s := openAt(t, t.TempDir(), clock.Now)
	thread := register(t, s, New{Item: "tool:rye/bash", Model: "m", Request: json.RawMessage(`{"command":"true"}`)})
	if thread.Status != Created || thread.Item != "tool:rye/bash" || thread.PID != os.Getpid() || string(thread.Request) != `{"command":"true"}` {
		t.Errorf("registered: %+v", thread)
	}
	clock.advance(time.Second)
	lock := begin(t, s, thread.ID)
	clock.advance(time.Minute)
	code := 3
	err := s.Finish(t.Context(), thread.ID, Outcome{Status: Error, Result: json.RawMessage(`{"n":1}`), ExitCode: &code, Error: "it broke", ErrorType: item.TypeFailed})
	if err != nil {
		t.Fatal(err)
	}
	if err := lock.Release(); err != nil {
		t.Fatal(err)
	}
	got := get(t, s, thread.ID)
	if got.Status != Error || *got.ExitCode != 3 || got.Error != "it broke" || got.ErrorType != item.TypeFailed {
		t.Errorf("finished: %+v", got)
	}
	if !got.CompletedAt.Equal(clock.Now()) || !got.UpdatedAt.Equal(got.CompletedAt) || got.StartedAt.Sub(got.CreatedAt) != time.Second {
		t.Errorf("times: created %v, started %v, completed %v, updated %v", got.CreatedAt, got.StartedAt, got.CompletedAt, got.UpdatedAt)
	}
	if result, err := s.Result(t.Context(), thread.ID); err != nil || string(result) != `{"n":1}` {
		t.Errorf("result %s, %v", result, err)
	}
	// Whoever comes second changes nothing.
	if err := s.Finish(t.Context(), thread.ID, Outcome{Status: Completed, Result: json.RawMessage(`2`)}); !errors.Is(err, ErrTransition) {
		t.Errorf("finishing twice: %v", err)
	}
	if result, _ := s.Result(t.Context(), thread.ID); string(result) != `{"n":1}` {
		t.Errorf("the second finish changed the result to %s", result)
	}
}

func TestRegisterRefuses(t *testing.T) {
	s := open(t, t.TempDir())
	register(t, s, New{ID: "a/b-1"})
	for name, test := range map[string]struct {
		n    New
		want error
		kind item.ErrorType
	}{
		"twice":            {New{ID: "a/b-1", Item: "tool:x"}, ErrExists, item.TypeUsage},
		"unknown parent":   {New{Parent: "none", Item: "tool:x"}, ErrNotFound, item.TypeNotFound},
		"unknown previous": {New{ContinuationOf: "none", Item: "tool:x"}, ErrNotFound, item.TypeNotFound},
		"leaves":           {New{ID: "../x", Item: "tool:x"}, nil, item.TypeUsage},
		"absolute":         {New{ID: "/x", Item: "tool:x"}, nil, item.TypeUsage},
		"the database":     {New{ID: DatabaseName + "-wal", Item: "tool:x"}, nil, item.TypeUsage},
		"no item":          {New{}, nil, item.TypeUsage},
		"no JSON":          {New{Item: "tool:x", Request: json.RawMessage("{")}, nil, item.TypeUsage},
	} {
		_, err := s.Register(t.Context(), test.n)
		if err == nil || item.TypeOf(err) != test.kind || test.want != nil && !errors.Is(err, test.want) {
			t.Errorf("%s: %v (%s)", name, err, item.TypeOf(err))
		}
	}
	if list, err := s.List(t.Context(), Filter{}); err != nil || len(list) != 1 {
		t.Errorf("%d threads, %v", len(list), err)
	}
	if entries, _ := os.ReadDir(s.dir); len(entries) != 4 { // a, and the three files of the database
		t.Errorf("a refused thread left its folder: %v", entries)
	}
}

func TestBeginRefusesWhatWasCancelled(t *testing.T) {
	s := open(t, t.TempDir())
	thread := register(t, s, New{})
	if running, err := s.RequestCancel(t.Context(), thread.ID); running || err != nil {
		t.Fatal(running, err)
	}
	lock, err := s.Lock(t.Context(), thread.ID)
	if err != nil {
		t.Fatal(err)
	}
	defer lock.Release()
	if err := s.Begin(t.Context(), lock); !errors.Is(err, ErrTransition) {
		t.Errorf("begin: %v", err)
	}
	if got := get(t, s, thread.ID); got.Status != Cancelled || !got.StartedAt.IsZero() {
		t.Errorf("the thread is %s", got.Status)
	}
}

func TestCancelMarksARunningThread(t *testing.T) {
	s := open(t, t.TempDir())
	thread := register(t, s, New{})
	begin(t, s, thread.ID)
	if running, err := s.RequestCancel(t.Context(), thread.ID); !running || err != nil {
		t.Fatal(running, err)
	}
	if got := get(t, s, thread.ID); got.Status != Running || got.CancelRequested.IsZero() {
		t.Errorf("%s, %v", got.Status, got.CancelRequested)
	}
}

func TestSuspendAndResume(t *testing.T) {
	s := open(t, t.TempDir())
	thread := register(t, s, New{})
	lock := begin(t, s, thread.ID)
	if err := s.Suspend(t.Context(), thread.ID, "waits for approval"); err != nil {
		t.Fatal(err)
	}
	lock.Release()
	// Nobody is behind a suspended thread, and that is no loss.
	if got, err := s.Wait(t.Context(), thread.ID); err != nil || got.Status != Suspended || got.Error != "waits for approval" {
		t.Errorf("%s %q, %v", got.Status, got.Error, err)
	}
	begin(t, s, thread.ID)
	if got := get(t, s, thread.ID); got.Status != Running || got.PID != os.Getpid() {
		t.Errorf("%s by %d", got.Status, got.PID)
	}
}

func TestOneRunner(t *testing.T) {
	s := open(t, t.TempDir())
	thread := register(t, s, New{})
	lock := begin(t, s, thread.ID)
	if _, err := s.Lock(t.Context(), thread.ID); !errors.Is(err, ErrLocked) {
		t.Errorf("a second runner got the lock: %v", err)
	}
	lock.Release()
	second, err := s.Lock(t.Context(), thread.ID)
	if err != nil {
		t.Fatalf("the lock was released and is held: %v", err)
	}
	second.Release()
}

func TestAssign(t *testing.T) {
	s := open(t, t.TempDir())
	thread := register(t, s, New{})
	runner := process.Identity{PID: 1, Start: 1, Boot: "other"}
	if err := s.Assign(t.Context(), thread.ID, runner); err != nil {
		t.Fatal(err)
	}
	if got, err := s.find(t.Context(), thread.ID); err != nil || got.Runner != runner {
		t.Errorf("%+v, %v", got.Runner, err)
	}
	begun := register(t, s, New{})
	begin(t, s, begun.ID)
	if err := s.Assign(t.Context(), begun.ID, runner); !errors.Is(err, ErrTransition) {
		t.Errorf("a running thread was given another runner: %v", err)
	}
	if err := s.Assign(t.Context(), "none", runner); !errors.Is(err, ErrNotFound) {
		t.Errorf("unknown thread: %v", err)
	}
}

func TestContinue(t *testing.T) {
	s := open(t, t.TempDir())
	first := register(t, s, New{ID: "d/d-1"})
	begin(t, s, first.ID)
	second, err := s.Continue(t.Context(), New{ID: "d/d-2", Item: "directive:d", ContinuationOf: first.ID})
	if err != nil {
		t.Fatal(err)
	}
	begin(t, s, second.ID)
	finish(t, s, second.ID)
	third := register(t, s, New{ID: "d/d-3", ContinuationOf: second.ID}) // resumed after its end
	for _, id := range []string{first.ID, second.ID, third.ID} {
		chain, err := s.Chain(t.Context(), id)
		if err != nil || ids(chain) != "d/d-1 d/d-2 d/d-3" {
			t.Errorf("chain of %s: %s, %v", id, ids(chain), err)
		}
	}
	got := get(t, s, first.ID)
	if got.Status != Continued || got.ContinuedBy != second.ID || got.CompletedAt.IsZero() {
		t.Errorf("the first is %s, continued by %s", got.Status, got.ContinuedBy)
	}
	// Neither half happens alone.
	if _, err := s.Continue(t.Context(), New{ID: "d/d-4", Item: "directive:d", ContinuationOf: first.ID}); !errors.Is(err, ErrTransition) {
		t.Errorf("continuing twice: %v", err)
	}
	if _, err := s.find(t.Context(), "d/d-4"); !errors.Is(err, ErrNotFound) {
		t.Errorf("the refused continuation is registered: %v", err)
	}
	if _, err := os.Stat(filepath.Join(s.dir, "d", "d-4")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the refused continuation has a folder: %v", err)
	}
}

func TestUsage(t *testing.T) {
	s := open(t, t.TempDir())
	thread := register(t, s, New{})
	want := Usage{Turns: 1, InputTokens: 2, OutputTokens: 3, Spawned: 4, SpendMicros: 1_500_000}
	if err := s.SetUsage(t.Context(), thread.ID, want); err != nil {
		t.Fatal(err)
	}
	if got := get(t, s, thread.ID).Usage; got != want {
		t.Errorf("%+v", got)
	}
	var spend float64
	if err := s.db.QueryRow(`SELECT spend FROM threads`).Scan(&spend); err != nil || spend != 1.5 {
		t.Errorf("spend %v, %v", spend, err)
	}
}

func TestWait(t *testing.T) {
	s := open(t, t.TempDir())
	thread := register(t, s, New{})
	begin(t, s, thread.ID)
	for _, most := range []time.Duration{0, 20 * time.Millisecond} {
		ctx, cancel := context.WithTimeout(t.Context(), most)
		if got, err := s.Wait(ctx, thread.ID); item.TypeOf(err) != item.TypeTimeout || got.Status != Running {
			t.Errorf("after %s: %s, %v", most, got.Status, err)
		}
		cancel()
	}
	done := make(chan Thread)
	go func() {
		got, _ := s.Wait(t.Context(), thread.ID)
		done <- got
	}()
	finish(t, s, thread.ID)
	select {
	case got := <-done:
		if got.Status != Completed {
			t.Errorf("the wait ended with %s", got.Status)
		}
	case <-time.After(10 * time.Second):
		t.Error("the wait does not end")
	}
	late, cancel := context.WithTimeout(t.Context(), 0)
	defer cancel()
	if got, err := s.Wait(late, thread.ID); err != nil || got.Status != Completed {
		t.Errorf("waiting no time for a thread at its end: %s, %v", got.Status, err)
	}
}
