package thread

import (
	"os"
	"testing"

	"github.com/ryeos/rye/pkg/process"
)

// TestLeftoversAreEndedOnce: before a thread that ran on this boot is settled as lost, and never otherwise.
func TestLeftoversAreEndedOnce(t *testing.T) {
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
		want   int
	}{
		"killed":          {Running, later, lockFree, 1},
		"lock removed":    {Running, later, lockMissing, 1},
		"alive":           {Running, self, lockHeld, 0},
		"never began":     {Created, later, lockMissing, 0},
		"before the boot": {Running, rebooted, lockFree, 0},
		"suspended":       {Suspended, later, lockFree, 0},
	} {
		s := open(t, t.TempDir())
		var tags []string
		s.endRun = func(tag string) (int, int) { tags = append(tags, tag); return 3, 1 }
		id := register(t, s, New{}).ID
		if test.lock != lockMissing {
			lock, err := s.Lock(t.Context(), id)
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
		get(t, s, id)
		got := get(t, s, id)
		if len(tags) != test.want || test.want == 1 && tags[0] != s.RunTag(id) {
			t.Errorf("%s: ended %v", name, tags)
		}
		if test.want == 1 && (got.Evidence.Killed != 3 || got.Evidence.Survivors != 1) {
			t.Errorf("%s: evidence %+v", name, got.Evidence)
		}
	}
}
