package runtime

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/ryeos/rye/pkg/process"
)

// The folder of a killed rye goes with the next run; that of a living one, and what is not ours, stays.
func TestSandboxFoldersOfTheDeadAreSwept(t *testing.T) {
	self, err := process.Identify(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	mine := fmt.Sprintf("run-%d-%d-1", self.PID, self.Start)
	reused := fmt.Sprintf("run-%d-%d-2", self.PID, self.Start+1)
	for _, name := range []string{mine, reused, "run-x", "other"} {
		if err := os.MkdirAll(filepath.Join(folder, name, "tmp"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	sweep(folder, self)
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	var left []string
	for _, e := range entries {
		left = append(left, e.Name())
	}
	if want := []string{"other", mine, "run-x"}; !slices.Equal(left, want) {
		t.Errorf("left %v, want %v", left, want)
	}
}
