package graph_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/ryeos/rye/internal/graphtest"
	"github.com/ryeos/rye/pkg/graph"
	"github.com/ryeos/rye/pkg/item"
)

func open(t testing.TB, path string) *graph.FileJournal {
	t.Helper()
	j, err := graph.OpenJournal(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { j.Close() })
	return j
}

func contents(t testing.TB, j graph.Journal) string {
	t.Helper()
	var all []string
	for record, err := range j.Records() {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, string(record))
	}
	return strings.Join(all, " ")
}

// journals are all that there are: each keeps the same promises.
func journals(t *testing.T) map[string]graph.Journal {
	return map[string]graph.Journal{"memory": &graphtest.Journal{}, "file": open(t, filepath.Join(t.TempDir(), "journal"))}
}

func TestJournal(t *testing.T) {
	for name, j := range journals(t) {
		t.Run(name, func(t *testing.T) {
			for _, step := range []struct{ op, want string }{{"1", "1"}, {"2", "1 2"}, {"=3", "3"}, {"4", "3 4"}, {"=5", "5"}, {"=6", "6"}} {
				var err error
				if record, replace := strings.CutPrefix(step.op, "="); replace {
					err = j.Replace([]byte(record))
				} else {
					err = j.Append([]byte(step.op))
				}
				if got := contents(t, j); err != nil || got != step.want {
					t.Errorf("after %s: %q, want %q: %v", step.op, got, step.want, err)
				}
			}
		})
	}
}

// TestJournalConcurrency: nothing is lost and nothing is mixed when many append at once.
func TestJournalConcurrency(t *testing.T) {
	for name, j := range journals(t) {
		t.Run(name, func(t *testing.T) {
			var group sync.WaitGroup
			for writer := range 20 {
				group.Go(func() {
					for n := range 10 {
						if err := j.Append(fmt.Appendf(nil, "%d-%d", writer, n)); err != nil {
							t.Error(err)
						}
					}
				})
			}
			group.Wait()
			next := map[string]int{}
			for _, record := range strings.Fields(contents(t, j)) {
				writer, n, _ := strings.Cut(record, "-")
				if n != fmt.Sprint(next[writer]) {
					t.Fatalf("writer %s: %s comes after %d", writer, n, next[writer])
				}
				next[writer]++
			}
			if len(next) != 20 || next["7"] != 10 {
				t.Errorf("kept %v", next)
			}
		})
	}
}

// TestFileJournalTorn cuts a journal at every byte: what was whole is there, what was not is gone, and it goes on.
func TestFileJournalTorn(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal")
	j := open(t, path)
	for _, record := range []string{`{"a":1}`, `{"b":"ü"}`, `{"c":3}`} {
		if err := j.Append([]byte(record)); err != nil {
			t.Fatal(err)
		}
	}
	j.Close()
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for size := range whole {
		if err := os.WriteFile(path, whole[:size], 0o600); err != nil {
			t.Fatal(err)
		}
		j := open(t, path)
		want := strings.Fields(`{"a":1} {"b":"ü"} {"c":3}`)[:bytes.Count(whole[:size], []byte("\n"))]
		if got := contents(t, j); got != strings.Join(want, " ") {
			t.Fatalf("cut at %d: %s", size, got)
		}
		if err := j.Append([]byte("next")); err != nil {
			t.Fatal(err)
		}
		if got := contents(t, j); got != strings.Join(append(want, "next"), " ") {
			t.Fatalf("cut at %d and continued: %s", size, got)
		}
		j.Close()
	}
}

// TestFileJournalDamage changes each byte: a change in the last line may look like a write that never ended, any other
// is noticed.
func TestFileJournalDamage(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal")
	j := open(t, path)
	for _, record := range []string{`{"a":1}`, `{"b":2}`} {
		if err := j.Append([]byte(record)); err != nil {
			t.Fatal(err)
		}
	}
	j.Close()
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for i := range bytes.IndexByte(whole, '\n') + 1 {
		changed := bytes.Clone(whole)
		changed[i] ^= 1
		if err := os.WriteFile(path, changed, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := graph.OpenJournal(path); item.TypeOf(err) != item.TypeIntegrity {
			t.Fatalf("byte %d changed: %v", i, err)
		}
	}
}

func TestFileJournalLock(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal")
	j := open(t, path)
	if _, err := graph.OpenJournal(path); item.TypeOf(err) != item.TypeUnavailable {
		t.Errorf("a second process may have it, too: %v", err)
	}
	if err := j.Replace([]byte("1")); err != nil { // which makes another file
		t.Fatal(err)
	}
	if _, err := graph.OpenJournal(path); item.TypeOf(err) != item.TypeUnavailable {
		t.Errorf("a second process may have it after a checkpoint: %v", err)
	}
	j.Close()
	if err := j.Append([]byte("2")); !errors.Is(err, os.ErrClosed) {
		t.Errorf("a closed journal takes records: %v", err)
	}
	if got := contents(t, open(t, path)); got != "1" {
		t.Errorf("kept %q", got)
	}
}

// TestFileJournalRun: a run in one process, taken up in another.
func TestFileJournalRun(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal")
	g := parse(t, fmt.Sprintf(each, "parallel: true,"))
	opts := options()
	ctx, cancel := context.WithCancel(context.Background())
	w := &graphtest.World{Answer: func(a graph.Action) (any, error) {
		if a.Params["it"] == "c" {
			cancel()
			return nil, ctx.Err()
		}
		return graphtest.Echo(a)
	}}
	j := open(t, path)
	opts.Journal = j
	wantJSON(t, g.Run(ctx, opts, w), `{"status": "cancelled"}`)
	j.Close()

	j = open(t, path)
	opts.Journal, opts.Resume, opts.Retry = j, true, true
	w.Answer = nil
	wantJSON(t, g.Run(context.Background(), opts, w), `{"status": "completed"}`)
	snapshot, err := graph.Inspect(j)
	if err != nil {
		t.Fatal(err)
	}
	wantJSON(t, snapshot, `{"graph_run_id": "run", "status": "completed", "step_count": 1, "current_node": "done"}`)
}

// FuzzFileJournal: whatever the file holds, opening it ends, and what it gives survives being appended to.
func FuzzFileJournal(f *testing.F) {
	f.Add([]byte("a3a6bf43 00000002 {}\n"))
	f.Add([]byte("a3a6bf43 00000002 {}\na3a6bf43 00000002 {}"))
	f.Add([]byte("\n\n\x00"))
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, data []byte) {
		path := filepath.Join(dir, "journal")
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		j, err := graph.OpenJournal(path)
		if err != nil {
			return
		}
		before := contents(t, j)
		if err := j.Append([]byte("{}")); err != nil {
			t.Fatal(err)
		}
		if err := j.Close(); err != nil {
			t.Fatal(err)
		}
		if after := contents(t, open(t, path)); strings.TrimSpace(before+" {}") != after {
			t.Fatalf("%q became %q", before, after)
		}
	})
}
