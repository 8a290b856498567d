package thread

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"sync"
	"testing"
)

func init() {
	helpers["storm"] = func(dir string, args []string) error { return storm(dir, args[0]) }
}

// storm registers, tells events and finishes from many goroutines, beginning with the first opening of the registry.
func storm(dir, name string) error {
	ctx := context.Background()
	errs := make(chan error, goroutines)
	for i := range goroutines {
		go func() {
			s, err := Open(ctx, dir, Options{})
			for n := 0; n < threadsEach && err == nil; n++ {
				id := fmt.Sprintf("%s-%d-%d", name, i, n)
				if _, err = s.Register(ctx, New{ID: id, Item: "tool:x"}); err != nil {
					break
				}
				if n == 0 { // one thread for all
					_, err = s.Register(ctx, New{ID: "shared", Item: "tool:x"})
					if errors.Is(err, ErrExists) {
						err = nil
					}
				}
				if err == nil {
					_, err = s.AppendEvent(ctx, "shared", "tick", id)
				}
				if err == nil {
					err = s.Finish(ctx, id, Outcome{Status: Error})
				}
			}
			errs <- err
		}()
	}
	var failed error
	for range goroutines {
		if err := <-errs; err != nil {
			failed = err
		}
	}
	return failed
}

const (
	processes   = 4
	goroutines  = 16
	threadsEach = 2
)

// TestProcessesShareTheRegistry: nobody is told that the database is busy, nothing is lost, and the events of a thread
// have no gap.
func TestProcessesShareTheRegistry(t *testing.T) {
	dir := t.TempDir()
	var running sync.WaitGroup
	for i := range processes {
		cmd := helper(t, "storm", dir, fmt.Sprintf("p%d", i))
		running.Go(func() { report(t, cmd) })
	}
	running.Wait()
	s := open(t, dir)
	list, err := s.List(t.Context(), Filter{Status: []Status{Error}, Limit: 1000})
	if want := processes * goroutines * threadsEach; err != nil || len(list) != want {
		t.Errorf("%d threads are left of %d, %v", len(list), want, err)
	}
	events, err := s.Events(t.Context(), "shared", 0, 1000)
	if err != nil {
		t.Fatal(err)
	}
	ticks := 0
	for i, e := range events {
		if e.Seq != int64(i+1) {
			t.Fatalf("event %d has the number %d", i+1, e.Seq)
		}
		if e.Type == "tick" {
			ticks++
		}
	}
	if ticks != processes*goroutines*threadsEach {
		t.Errorf("%d events of %d", ticks, processes*goroutines*threadsEach)
	}
	if later, err := s.Events(t.Context(), "shared", events[2].Seq, 2); err != nil || len(later) != 2 || later[0].Seq != 4 {
		t.Errorf("since %d: %v, %v", events[2].Seq, later, err)
	}
	if _, err := s.db.Exec(`UPDATE events SET type = 'x'`); err == nil {
		t.Error("events can be changed")
	}
}

func report(t *testing.T, cmd *exec.Cmd) {
	if err := cmd.Run(); err != nil {
		t.Errorf("%v: %s", err, cmd.Stderr)
	}
}
