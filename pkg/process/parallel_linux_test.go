package process

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"testing"
)

// Runs side by side: each ends its own processes and none of another run's.
func TestParallelRuns(t *testing.T) {
	if err := setReaper(true); err != nil {
		t.Fatal(err)
	}
	defer setReaper(false)
	const runs = 20
	names := shapes["crowd"].names
	dirs := make([]string, runs)
	ended := make([]chan Result, runs)
	for i := range runs {
		dirs[i], ended[i] = t.TempDir(), make(chan Result, 1)
		go func() {
			res, err := Run(context.Background(), helperSpec("leader", dirs[i], "crowd", "go"))
			if err != nil {
				t.Error(err)
			}
			ended[i] <- res
		}()
	}
	for _, dir := range dirs {
		eventually(t, "a tree has grown", func() bool { return noted(dir, []string{"ready"}) })
	}
	release := func(from, to int) {
		for i := from; i < to; i++ {
			if err := os.WriteFile(filepath.Join(dirs[i], "go"), nil, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		for i := from; i < to; i++ {
			if res := <-ended[i]; res.ExitCode != 0 || res.Survivors != 0 {
				t.Errorf("run %d: %+v", i, res)
			}
		}
	}
	// A daemon without any mark may belong to a run that still goes on; the others are known.
	release(0, runs/2)
	for i, dir := range dirs {
		for _, name := range names {
			id := identityOf(t, dir, name)
			if i < runs/2 && name != "daemon" && id.Alive() {
				t.Errorf("%s of ended run %d is alive", name, i)
			}
			if i >= runs/2 && !id.Alive() {
				t.Errorf("%s of run %d is dead, but the run goes on", name, i)
			}
		}
	}
	release(runs/2, runs)
	for i, dir := range dirs {
		for _, name := range names {
			if identityOf(t, dir, name).Alive() {
				t.Errorf("%s of run %d is alive", name, i)
			}
		}
	}
	if left := children(os.Getpid()); len(left) > 0 {
		t.Errorf("children are left: %v", left)
	}
}

// An orphan without marks falls to the last run that it may come from.
func TestAbandoned(t *testing.T) {
	orphan := proc{pid: 900, ppid: os.Getpid(), group: 890, session: 880, start: 100}
	tests := []struct {
		name  string
		other tree
		tag   string
		want  bool
	}{
		{name: "other run is younger", other: tree{pid: 1, since: 101}, want: true},
		{name: "other run is as old", other: tree{pid: 1, since: 100}},
		{name: "other run is older", other: tree{pid: 1, since: 99}},
		{name: "other run is over", other: tree{pid: 1, since: 99, retired: true}, want: true},
		{name: "tag of another run", other: tree{pid: 1, since: 101}, tag: "other"},
		{name: "tag below another run", other: tree{pid: 1, since: 99, retired: true}, tag: "other/inner"},
		{name: "tag of a run that is ending", other: tree{pid: 1, since: 99, retired: true}, tag: "other"},
		{name: "tag of nobody", other: tree{pid: 1, since: 101}, tag: "nobody", want: true},
		{name: "leader of another run", other: tree{pid: 900, since: 101, retired: true}},
		{name: "group of another run", other: tree{pid: 890, since: 101, retired: true}},
		{name: "session of another run", other: tree{pid: 880, since: 101, retired: true}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			mine := &tree{pid: 2, since: 50, tag: "mine"}
			tt.other.tag = "other"
			for _, o := range []*tree{mine, &tt.other} {
				o.register()
				defer o.unregister()
			}
			if got := mine.abandoned(orphan, tt.tag); got != tt.want {
				t.Errorf("got %v", got)
			}
		})
	}
}

// A zombie is not collected while it may be the leader of a run that is just being started.
func TestMayLead(t *testing.T) {
	zombie := proc{pid: 900, start: 100}
	for name, tt := range map[string]struct {
		other tree
		want  bool
	}{
		"leader":                 {tree{pid: 900, leading: true, since: 50}, true},
		"number of an old group": {tree{pid: 900, since: 50}, false},
		"other leader":           {tree{pid: 901, leading: true, since: 50}, false},
		"run that starts":        {tree{since: 100}, true},
		"run that starts later":  {tree{since: 101}, false},
	} {
		tt.other.register()
		if got := zombie.mayLead(); got != tt.want {
			t.Errorf("%s: %v", name, got)
		}
		tt.other.unregister()
	}
}

// A zombie that is older than the run that finds it is collected too: a server that runs for months must not gather them.
func TestOldZombie(t *testing.T) {
	if err := setReaper(true); err != nil {
		t.Fatal(err)
	}
	defer setReaper(false)
	dir := t.TempDir()
	cmd := exec.Command("/bin/sh", append([]string{"-c", `setsid "$@" & wait`, "sh"}, helperArgv("forker", dir, "old")...)...)
	if err := cmd.Run(); err != nil {
		t.Fatal(err)
	}
	old := identityOf(t, dir, "old")
	eventually(t, "a later run would be younger", func() bool { return now() > old.Start })
	if err := errors.Join(old.Kill(), old.WaitGone(t.Context())); err != nil {
		t.Fatal(err)
	}
	if !slices.Contains(children(os.Getpid()), old.PID) {
		t.Fatal("it did not fall to this process")
	}
	if res := run(t, shell("exit")); res.Reaped != 0 {
		t.Errorf("killed %d", res.Reaped)
	}
	if slices.Contains(children(os.Getpid()), old.PID) {
		t.Error("it is still there")
	}
}

// Many short runs at once that each leave something behind.
func TestParallelLeftovers(t *testing.T) {
	eachMode(t, func(t *testing.T, reaper bool) {
		nap := fmt.Sprintf("130.%d", os.Getpid())
		var all sync.WaitGroup
		for range 8 {
			all.Go(func() {
				for range 10 {
					script := "sleep " + nap + " & setsid sleep " + nap + " & exit 5"
					res, err := Run(context.Background(), shell(script))
					if err != nil || res.ExitCode != 5 || res.Survivors != 0 {
						t.Errorf("%+v, %v", res, err)
					}
				}
			})
		}
		all.Wait()
		if left := running(nap); len(left) > 0 {
			t.Errorf("still running: %v", left)
		}
	})
}
