package engine_test

import (
	"context"
	"flag"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/ryeos/rye/internal/ryetest"
	"github.com/ryeos/rye/pkg/item"
)

// raceRuns is small in the suite; docs/performance.md has the figures of 10 000 and the command.
var raceRuns = flag.Int("race-runs", 150, "executions of the racer tests")

// race runs a signed tool many times while its file and an unsigned twin change places without pause, and counts what
// came out: the verified text, a refusal, or the text that nobody verified.
func race(t *testing.T, request item.Request, runs int) (good, refused, mixed int) {
	w := ryetest.New(t)
	signed := w.Project.Tool("racer.sh", "# __executor_id__ = \"rye/core/runtimes/bash/bash\"\necho verified\n")
	twin := w.Project.Write("twin.sh", "# __executor_id__ = \"rye/core/runtimes/bash/bash\"\necho planted\n")
	e := w.Engine()
	stop := make(chan struct{})
	var racer sync.WaitGroup
	racer.Go(func() {
		for {
			select {
			case <-stop:
				return
			case <-time.After(rand.N(2 * time.Millisecond)): // about as long as one run, so that every step is hit
			}
			if err := unix.Renameat2(unix.AT_FDCWD, signed, unix.AT_FDCWD, twin, unix.RENAME_EXCHANGE); err != nil {
				t.Errorf("exchanging the files: %v", err)
				return
			}
		}
	})
	defer racer.Wait()
	defer close(stop)
	request.Ref = "tool:racer"
	for range runs {
		var out strings.Builder
		resp := e.Execute(context.Background(), request, &out, nil)
		switch {
		case strings.Contains(out.String(), "planted"):
			mixed++
		case resp.Failed() && resp.ErrorType == item.TypeIntegrity:
			refused++
		case !resp.Failed() && out.String() == "verified\n":
			good++
		default:
			t.Fatalf("unexpected: %s %s %q", resp.Status, resp.Error, out.String())
		}
	}
	return good, refused, mixed
}

// With a pin, what runs is what was verified, whatever happens to the files.
func TestPinnedRunsNeverMix(t *testing.T) {
	good, refused, mixed := race(t, item.Request{Pin: true}, *raceRuns)
	t.Logf("pinned: %d verified, %d refused, %d mixed of %d", good, refused, mixed, *raceRuns)
	if mixed > 0 {
		t.Errorf("%d of %d runs executed bytes that were not verified", mixed, *raceRuns)
	}
	if good == 0 || refused == 0 {
		t.Errorf("the race did not happen: %d verified, %d refused", good, refused)
	}
}

// Without a pin the interpreter opens the file again after verification. This measures the window; it asserts only
// that the race took place.
func TestUnpinnedWindowIsMeasured(t *testing.T) {
	good, refused, mixed := race(t, item.Request{}, *raceRuns)
	t.Logf("not pinned: %d verified, %d refused, %d mixed of %d", good, refused, mixed, *raceRuns)
	if good+mixed == 0 || refused == 0 {
		t.Errorf("the race did not happen: %d verified, %d mixed, %d refused", good, mixed, refused)
	}
}

// A changed or enlarged private copy is refused, not used.
func TestPinnedCopyIsChecked(t *testing.T) {
	w := ryetest.New(t)
	w.Project.Tool("pkg/main.py", "__executor_id__ = \"rye/core/runtimes/python/script\"\nimport helper\nprint(helper.TEXT)\n")
	w.Project.Dependency(".ai/tools/pkg/__init__.py", "")
	w.Project.Dependency(".ai/tools/pkg/helper.py", "TEXT = 'helped'\n")
	e := w.Engine()
	run := func() *item.Response {
		return e.Execute(context.Background(), item.Request{Ref: "tool:pkg/main", Pin: true}, nil, nil)
	}
	resp := run()
	if resp.Failed() || !strings.Contains(resp.Data.(*item.Streams).Stdout, "helped") {
		t.Fatalf("%s %+v", resp.Error, resp.Data)
	}
	spoilPinned(t, w.Cache)
	if resp := run(); !resp.Failed() || resp.ErrorType != item.TypeIntegrity || len(resp.Hints) == 0 {
		t.Errorf("a spoilt copy was used: %s %s", resp.Status, resp.Error)
	}
}

// spoilPinned adds a module to the pinned copy, as an intruder in the cache would.
func spoilPinned(t *testing.T, cache string) {
	t.Helper()
	var folders []string
	err := filepath.WalkDir(filepath.Join(cache, "pinned"), func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() && d.Name() == "pkg" {
			folders = append(folders, path)
		}
		return err
	})
	if err != nil || len(folders) != 1 {
		t.Fatalf("pinned folders %v, %v", folders, err)
	}
	if err := os.Chmod(folders[0], 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folders[0], "json.py"), []byte("planted = True\n"), 0o600); err != nil {
		t.Fatal(err)
	}
}
