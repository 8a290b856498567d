package thread

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ryeos/rye/pkg/record"
)

func init() {
	helpers["life"] = func(dir string, _ []string) error { return life(dir) }
	helpers["check"] = func(dir string, _ []string) error { return check(dir) }
}

// recordOf is a document of a thread.
func recordOf(thread string) record.Key {
	return record.Key{Thread: thread, Bucket: "state", Name: "n"}
}

// withThread opens the registry, takes a thread over and begins it.
func withThread(dir, id string, f func(s *Store, id string) error) error {
	s, err := Open(context.Background(), dir, Options{})
	if err != nil {
		return err
	}
	lock, err := s.Lock(context.Background(), id)
	if err != nil {
		return err
	}
	if err := s.Begin(context.Background(), lock); err != nil {
		return err
	}
	return errors.Join(f(s, id), lock.Release(), s.Close())
}

// life goes through everything that writes. What was acknowledged is noted in a file, as a user would remember it.
func life(dir string) error {
	ctx := context.Background()
	s, err := Open(ctx, dir, Options{})
	if err != nil {
		return err
	}
	note := func(what string) { appendLine(filepath.Join(dir, "acknowledged"), what) }
	var held Reservation
	steps := []struct {
		name string
		do   func() error
	}{
		{"old", func() error { _, err := s.Register(ctx, New{ID: "old", Item: "tool:x"}); return err }},
		{"old recorded", func() error {
			return s.Records().Update(ctx, func(tx record.Tx) error { return tx.Put(recordOf("old"), []byte("done")) })
		}},
		{"old finished", func() error { return s.Finish(ctx, "old", Outcome{Status: Error}) }},
		{"pruned", func() error { _, err := s.Prune(ctx, -time.Hour, 0); return err }},
		{"parent", func() error { _, err := s.Register(ctx, New{ID: "parent", Item: "directive:p"}); return err }},
		{"parent budget", func() error { return s.CreateBudget(ctx, "parent", "", Amounts{Spend: 100}) }},
		{"child", func() error {
			_, err := s.Register(ctx, New{ID: "child", Item: "tool:c", Parent: "parent"})
			return err
		}},
		{"child budget", func() error { return s.CreateBudget(ctx, "child", "parent", Amounts{Spend: 60}) }},
		{"assigned", func() error {
			t, err := s.find(ctx, "child")
			return errors.Join(err, s.Assign(ctx, "child", t.Runner))
		}},
		{"ran", func() error {
			return withThread(dir, "child", func(s *Store, id string) (err error) {
				note("began")
				for n := range 3 {
					if _, err := s.AppendEvent(ctx, id, "step", n); err != nil {
						return err
					}
					note("event")
				}
				if err := s.SetUsage(ctx, id, Usage{Turns: 1}); err != nil {
					return err
				}
				if held, err = s.Reserve(ctx, id, Amounts{Spend: 40}); err != nil {
					return err
				}
				if _, err = s.Settle(ctx, held, Amounts{Spend: 30}); err != nil {
					return err
				}
				note("settled")
				if err := s.Records().Update(ctx, func(tx record.Tx) error {
					return errors.Join(tx.Put(recordOf(id), []byte("done")), tx.Put(recordOf(""), []byte("done")))
				}); err != nil {
					return err
				}
				note("recorded")
				if held, err = s.Reserve(ctx, id, Amounts{Spend: 20}); err != nil {
					return err
				}
				return s.Finish(ctx, id, Outcome{Status: Completed, Result: json.RawMessage(`"done"`)})
			})
		}},
		{"continued", func() error {
			if err := withThread(dir, "parent", func(s *Store, id string) error {
				_, err := s.Continue(ctx, New{ID: "next", Item: "directive:p", ContinuationOf: id})
				return err
			}); err != nil {
				return err
			}
			_, err := s.RequestCancel(ctx, "next")
			return err
		}},
	}
	for _, step := range steps {
		if err := step.do(); err != nil {
			return fmt.Errorf("%s: %w", step.name, err)
		}
		note(step.name)
	}
	return s.Close()
}

// check is the fresh process: it opens what is left, reads it, and says what is wrong.
func check(dir string) error {
	ctx := context.Background()
	s, err := Open(ctx, dir, Options{})
	if err != nil {
		return err
	}
	defer s.Close()
	data, _ := os.ReadFile(filepath.Join(dir, "acknowledged"))
	acknowledged := map[string]int{}
	for line := range strings.Lines(string(data)) {
		acknowledged[strings.TrimSpace(line)]++
	}
	threads, err := s.List(ctx, Filter{})
	if err != nil {
		return err
	}
	var wrong []error
	complain := func(bad bool, format string, args ...any) {
		if bad {
			wrong = append(wrong, fmt.Errorf(format, args...))
		}
	}
	found := map[string]Thread{}
	for _, t := range threads {
		found[t.ID] = t
		complain(!t.Status.Terminal(), "%s is %s and its process is dead", t.ID, t.Status)
		result, err := s.Result(ctx, t.ID)
		complain(err != nil || (result != nil) != (t.Status == Completed), "%s is %s with the result %s: %v", t.ID, t.Status, result, err)
		if lines, err := s.Budget(ctx, t.ID); err == nil {
			complain(lines[Spend].Reserved != 0, "%s still reserves %d", t.ID, lines[Spend].Reserved)
			complain(acknowledged["settled"] > 0 && lines[Spend].Used != 30, "%s used %d", t.ID, lines[Spend].Used)
		}
		events, err := s.Events(ctx, t.ID, 0, 100)
		steps := 0
		for i, e := range events {
			complain(e.Seq != int64(i+1), "event %d of %s has the number %d", i+1, t.ID, e.Seq)
			if e.Type == "step" {
				steps++
			}
		}
		complain(err != nil || t.ID == "child" && steps < acknowledged["event"], "%d of %d events are left: %v", steps, acknowledged["event"], err)
	}
	_, oldThere := found["old"]
	complain(oldThere && acknowledged["pruned"] > 0, "what was pruned is back")
	complain(acknowledged["ran"] > 0 && found["child"].Status != Completed, "child is %s", found["child"].Status)
	complain(acknowledged["continued"] > 0 && (found["parent"].Status != Continued || found["next"].Status != Cancelled), "the continuation is lost")
	complain((found["parent"].Status == Continued) != (found["next"].ID != ""), "one half of the continuation is there")
	for _, name := range []string{"parent", "child"} {
		complain(acknowledged[name] > 0 && found[name].ID == "", "%s is gone", name)
	}
	complain(s.Records().View(ctx, func(r record.Reader) error {
		one, err := r.Get(recordOf("child"))
		other, otherErr := r.Get(recordOf(""))
		old, oldErr := r.Get(recordOf("old"))
		complain(string(one) != string(other), "one half of the records is there: %q, %q", one, other)
		complain(acknowledged["recorded"] > 0 && string(one) != "done", "the record is %q", one)
		complain(acknowledged["old recorded"] > 0 && (old != nil) != oldThere, "the record of old is %q", old)
		return errors.Join(err, otherErr, oldErr)
	}) != nil, "the records cannot be read")
	var integrity string
	err = s.db.QueryRowContext(ctx, `PRAGMA integrity_check`).Scan(&integrity)
	complain(err != nil || integrity != "ok", "integrity: %s, %v", integrity, err)
	again, err := s.Reconcile(ctx)
	complain(err != nil || len(again) > 0, "reconciling twice settles %v: %v", again, err)
	// And life goes on.
	_, err = s.Register(ctx, New{ID: "another", Item: "tool:x"})
	complain(err != nil, "the next thread: %v", err)
	if err == nil {
		err = s.Finish(ctx, "another", Outcome{Status: Error})
		complain(err != nil, "it cannot finish: %v", err)
		_, err = s.Prune(ctx, -time.Hour, 0)
		complain(err != nil, "pruning: %v", err)
		var cut int
		err = s.db.QueryRowContext(ctx, `SELECT count(*) FROM buckets WHERE thread_id IS NULL`).Scan(&cut)
		complain(err != nil || cut > 0, "%d buckets of no thread are left behind: %v", cut, err)
		entries, _ := os.ReadDir(dir)
		for _, e := range entries {
			complain(e.IsDir(), "the folder %s is left behind", e.Name())
		}
	}
	return errors.Join(wrong...)
}

// TestCrash kills a process at each of its crash points, in turn, and has another one look at what is left.
func TestCrash(t *testing.T) {
	list := filepath.Join(t.TempDir(), "points")
	cmd := helper(t, "life", t.TempDir())
	cmd.Env = append(cmd.Env, "RYE_TEST_CRASH_LIST="+list)
	mustRun(t, cmd)
	data, err := os.ReadFile(list)
	if err != nil {
		t.Fatal(err)
	}
	points := map[string]bool{}
	for line := range strings.Lines(string(data)) {
		points[strings.TrimSpace(line)] = true
	}
	if len(points) < 30 {
		t.Errorf("only %d crash points: %v", len(points), points)
	}
	for point := range points {
		t.Run(strings.ReplaceAll(point, " ", "_"), func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			cmd := helper(t, "life", dir)
			cmd.Env = append(cmd.Env, "RYE_TEST_CRASH_AT="+point)
			if err := cmd.Run(); err == nil || cmd.ProcessState.Exited() {
				t.Fatalf("the process was not killed: %v: %s", err, cmd.Stderr)
			}
			mustRun(t, helper(t, "check", dir))
		})
	}
}
