package process

import (
	"context"
	"os"
	"slices"
	"testing"
	"time"
)

// inShell makes a program a child of the leader, which runs the script with the program as "$@".
func inShell(spec Spec, script string) Spec {
	spec.Argv = append([]string{"sh", "-c", script, "sh"}, spec.Argv...)
	spec.Spare, spec.Path = spec.Path, "/bin/sh"
	return spec
}

// runUntil cancels the run when somebody has left the note, unless the run ends before.
func runUntil(t *testing.T, dir, name string, spec Spec) Result {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go func() {
		waitUntil(func() bool { return noted(dir, []string{name}) || ctx.Err() != nil })
		cancel()
	}()
	spec.Dir = dir
	res, err := Run(ctx, spec)
	if err != nil {
		t.Fatal(err)
	}
	return res
}

// What a tool has detached is no part of the run that the tool is part of, however the run ends, and whether or not the
// process that detached it still lives.
func TestSpare(t *testing.T) {
	tests := []struct {
		name, how, script, until string
	}{
		{"launcher ends the run", "exit", `"$@"`, "never"},
		{"launcher has ended", "exit", `"$@"; : >ended; sleep 100`, "ended"},
		{"launcher lives", "stay", `"$@" & wait`, "ready"},
		{"launcher leads", "stay", `exec "$@"`, "ready"},
	}
	eachMode(t, func(t *testing.T, _ bool) {
		for _, tt := range tests {
			t.Run(tt.name, func(t *testing.T) {
				dir := t.TempDir()
				defer KillRun(detachedTag(dir))
				spec := inShell(helperSpec("launcher", dir, "launched", tt.how), tt.script)
				res := runUntil(t, dir, tt.until, spec)
				if identityOf(t, dir, "launcher").Alive() || res.Survivors != 0 {
					t.Errorf("the launcher lives, or %d survivors", res.Survivors)
				}
				run(t, shell("setsid sleep 100 & exit")) // later runs do not take it for theirs either
				for _, name := range []string{"detached", "grandchild"} {
					if !identityOf(t, dir, name).Alive() {
						t.Errorf("%s is dead", name)
					}
				}
				detached := identityOf(t, dir, "detached")
				if err := detached.Kill(); err != nil {
					t.Error(err)
				}
				eventually(t, "it left no zombie", func() bool {
					return !detached.Alive() && !slices.Contains(children(os.Getpid()), detached.PID)
				})
				if killed, survivors := KillRun(detachedTag(dir)); killed != 1 || survivors != 0 {
					t.Errorf("killed %d afterwards, %d survivors", killed, survivors)
				}
			})
		}
	})
}

// Neither the marker alone spares a process, nor the executable.
func TestSpareNobodyElse(t *testing.T) {
	tests := []struct {
		name, script string
		program      func(dir string) Spec
		dead         []string
	}{
		{"another executable", `setsid env RYE_DETACHED=1 RYE_RUN_ID=other sleep 140.25 &
			until grep -q sleep /proc/$!/comm; do :; done; : >ready; wait`,
			func(dir string) Spec { return helperSpec("sleeper", dir) }, nil},
		{"no marker", `env RYE_RUN_ID=other "$@"`,
			func(dir string) Spec { return helperSpec("leader", dir, "setsid", "stay") }, []string{"child"}},
		{"no session", `env RYE_DETACHED=1 RYE_RUN_ID=other "$@" & wait`,
			func(dir string) Spec { return helperSpec("sleeper", dir, "ready", "deaf") }, []string{"ready"}},
		{"tag of the run", `setsid env RYE_DETACHED=1 "$@" & wait`,
			func(dir string) Spec { return helperSpec("sleeper", dir, "ready") }, []string{"ready"}},
	}
	eachMode(t, func(t *testing.T, _ bool) {
		for _, tt := range tests {
			t.Run(tt.name, func(t *testing.T) {
				dir := t.TempDir()
				spec := inShell(tt.program(dir), tt.script)
				spec.Grace = time.Millisecond
				if res := runUntil(t, dir, "ready", spec); res.Reaped == 0 || res.Survivors != 0 {
					t.Errorf("reaped %d, %d survivors", res.Reaped, res.Survivors)
				}
				for _, name := range tt.dead {
					if identityOf(t, dir, name).Alive() {
						t.Errorf("%s is alive", name)
					}
				}
				if left := running("140.25"); len(left) > 0 {
					t.Errorf("still running: %v", left)
				}
			})
		}
		t.Run("nothing to spare", func(t *testing.T) {
			dir := t.TempDir()
			defer KillRun(detachedTag(dir))
			spec := inShell(helperSpec("launcher", dir, "launched", "stay"), `"$@" & wait`)
			spec.Spare = ""
			runUntil(t, dir, "ready", spec)
			for _, name := range []string{"launcher", "detached", "grandchild"} {
				if identityOf(t, dir, name).Alive() {
					t.Errorf("%s is alive", name)
				}
			}
		})
	})
}

// An executable that was replaced while the run was on is still recognised, and so is the one in its place.
func TestSpareReplaced(t *testing.T) {
	path := t.TempDir() + "/program"
	link := func(to string) {
		t.Helper()
		os.Remove(path)
		if err := os.Symlink(to, path); err != nil {
			t.Fatal(err)
		}
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name, before, after string
		want                bool
	}{
		{"same", self, self, true},
		{"old", self, "/bin/sh", true},
		{"new", "/bin/sh", self, true},
		{"removed", self, "/no/such/file", true},
		{"another", "/bin/sh", "/bin/sh", false},
	} {
		link(tt.before)
		s := newSpare(path)
		link(tt.after)
		if got := s.runs(os.Getpid()); got != tt.want {
			t.Errorf("%s: %v", tt.name, got)
		}
	}
	if newSpare("").runs(os.Getpid()) {
		t.Error("no path spares a process")
	}
}
