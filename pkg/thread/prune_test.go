package thread

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// exists tells whether a path below the registry's folder is there.
func exists(s *Store, elements ...string) bool {
	_, err := os.Lstat(filepath.Join(append([]string{s.dir}, elements...)...))
	return !errors.Is(err, fs.ErrNotExist)
}

func prune(t *testing.T, s *Store, age time.Duration, keep, want int) {
	t.Helper()
	if n, err := s.Prune(t.Context(), age, keep); n != want || err != nil {
		t.Errorf("pruned %d, %v; want %d", n, err, want)
	}
}

func TestPrune(t *testing.T) {
	clock := newClock()
	s := openAt(t, t.TempDir(), clock.Now)
	for _, id := range []string{"d/old-1", "d/old-2", "parent", "active"} {
		register(t, s, New{ID: id})
	}
	register(t, s, New{ID: "child", Parent: "parent"})
	begin(t, s, "child")
	for _, id := range []string{"d/old-1", "d/old-2", "parent"} {
		if err := s.Finish(t.Context(), id, Outcome{Status: Cancelled}); err != nil {
			t.Fatal(err)
		}
	}
	clock.advance(time.Hour)
	prune(t, s, 2*time.Hour, 0, 0)  // too young
	prune(t, s, time.Minute, 10, 0) // among the newest
	prune(t, s, time.Minute, 4, 1)
	if exists(s, "d", "old-1") || !exists(s, "d", "old-2") {
		t.Error("the oldest was to go")
	}
	prune(t, s, time.Minute, 0, 1)
	if exists(s, "d") {
		t.Error("the empty folder above is left behind")
	}
	if list, err := s.List(t.Context(), Filter{}); err != nil || ids(list) != "child active parent" {
		t.Errorf("left: %s, %v; a parent goes after its children, and nothing that is active", ids(list), err)
	}
	finish(t, s, "child")
	clock.advance(time.Hour)
	prune(t, s, time.Minute, 0, 2)
	if n := count(t, s, "events"); n != 1 {
		t.Errorf("%d events are left, active has one", n)
	}
}

func count(t *testing.T, s *Store, table string) (n int) {
	t.Helper()
	if err := s.db.QueryRow(`SELECT count(*) FROM ` + table).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

// TestPruneStaysInside: a thread whose id starts with that of another keeps its folder, and links are not followed.
func TestPruneStaysInside(t *testing.T) {
	clock := newClock()
	outside := t.TempDir()
	if err := os.WriteFile(filepath.Join(outside, "precious"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	s := openAt(t, t.TempDir(), clock.Now)
	register(t, s, New{ID: "a"})
	register(t, s, New{ID: "a/b-1"})
	register(t, s, New{ID: "linked"})
	for _, file := range []string{filepath.Join(s.Dir("a"), "stdout.log"), filepath.Join(s.Dir("a/b-1"), "stdout.log")} {
		if err := os.WriteFile(file, []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(outside, filepath.Join(s.Dir("linked"), "link")); err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{"a", "linked"} {
		if err := s.Finish(t.Context(), id, Outcome{Status: Error}); err != nil {
			t.Fatal(err)
		}
	}
	clock.advance(time.Hour)
	prune(t, s, 0, 0, 2)
	if exists(s, "a", "stdout.log") || !exists(s, "a", "b-1", "stdout.log") || exists(s, "linked") {
		t.Error("the folders are not as they should be")
	}
	if _, err := os.Stat(filepath.Join(outside, "precious")); err != nil {
		t.Errorf("pruning left the registry: %v", err)
	}
}

// TestPrunable: a trial says what Prune then does, in all its rounds, and does nothing.
func TestPrunable(t *testing.T) {
	clock := newClock()
	s := openAt(t, t.TempDir(), clock.Now)
	register(t, s, New{ID: "grandparent"})
	register(t, s, New{ID: "parent", Parent: "grandparent"})
	register(t, s, New{ID: "child", Parent: "parent"})
	register(t, s, New{ID: "active"})
	begin(t, s, "active")
	for _, id := range []string{"grandparent", "parent", "child"} {
		if err := s.Finish(t.Context(), id, Outcome{Status: Error}); err != nil {
			t.Fatal(err)
		}
	}
	clock.advance(time.Hour)
	for _, test := range []struct {
		age         time.Duration
		keep, limit int
		want        string
	}{
		{0, 0, 10, "child parent grandparent"}, {0, 0, 2, "child parent"}, {0, 0, 0, ""},
		{2 * time.Hour, 0, 10, ""}, {0, 2, 10, ""}, {0, 10, 10, ""},
	} {
		got, err := s.Prunable(t.Context(), test.age, test.keep, test.limit)
		if err != nil || strings.Join(got, " ") != test.want {
			t.Errorf("%+v: %v, %v", test, got, err)
		}
	}
	if n, left := count(t, s, "threads"), count(t, s, "removals"); n != 4 || left != 0 || !exists(s, "child") {
		t.Errorf("the trial left %d threads and %d removals", n, left)
	}
	prune(t, s, 0, 0, 3)
}

// TestPruneSparesWhatCameBack: a Prune died between the rows and the folders, and the id was given again.
func TestPruneSparesWhatCameBack(t *testing.T) {
	clock := newClock()
	s := openAt(t, t.TempDir(), clock.Now)
	register(t, s, New{ID: "again"})
	begin(t, s, "again")
	register(t, s, New{ID: "old"})
	if err := s.Finish(t.Context(), "old", Outcome{Status: Error}); err != nil {
		t.Fatal(err)
	}
	sqlExec(t, s, `INSERT INTO removals VALUES ('again')`)
	clock.advance(time.Hour)
	prune(t, s, 0, 0, 1)
	if got := get(t, s, "again"); got.Status != Running || !exists(s, "again") {
		t.Errorf("again is %s", got.Status)
	}
}
