package process

import (
	"context"
	"os"
	"os/exec"
	"syscall"
	"testing"
)

// detachRunner starts a process that runs a leader with a shape, and returns when the tree has grown.
func detachRunner(t *testing.T, dir, shape string) *Detached {
	t.Helper()
	d, err := Detach(helperProgram("runner", dir, shape))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { KillRun(detachedTag(dir)) })
	if _, err := d.Stdin.Write([]byte("begin\n")); err != nil { // as rye tells its runners what to do
		t.Fatal(err)
	}
	eventually(t, "the tree has grown", func() bool { return noted(dir, []string{"ready"}) })
	return d
}

// A process that is killed takes the leaders of its runs with it, and KillRun ends what those had started.
func TestKillRun(t *testing.T) {
	eachMode(t, func(t *testing.T, _ bool) {
		for _, tt := range treeTests {
			t.Run(tt.shape, func(t *testing.T) {
				dir := t.TempDir()
				runner := detachRunner(t, dir, tt.shape)
				if err := runner.Identity.Kill(); err != nil {
					t.Fatal(err)
				}
				finish(t, runner)
				ctx, cancel := context.WithTimeout(t.Context(), helperLife/4)
				defer cancel()
				if err := identityOf(t, dir, "leader").WaitGone(ctx); err != nil {
					t.Fatalf("the leader outlives the process that ran it: %v", err)
				}
				killed, survivors := KillRun(detachedTag(dir))
				if killed != tt.left || survivors != 0 {
					t.Errorf("killed %d of %d, %d survivors", killed, tt.left, survivors)
				}
				for _, name := range shapes[tt.shape].names {
					if identityOf(t, dir, name).Alive() {
						t.Errorf("%s is alive", name)
					}
				}
			})
		}
	})
}

// A runner that lives is part of its run, with all below it; nobody else is.
func TestKillRunSparesOthers(t *testing.T) {
	eachMode(t, func(t *testing.T, _ bool) {
		mine, launched := t.TempDir(), t.TempDir()
		runner := detachRunner(t, mine, "child")
		var others []*Detached
		for _, tag := range []string{detachedTag(mine) + "x", "x" + detachedTag(mine), "unrelated"} {
			p, _ := script(t, "read line")
			p.Tag = tag
			d, err := Detach(p)
			if err != nil {
				t.Fatal(err)
			}
			others = append(others, d)
		}
		// A process of the run that has itself detached something, and still lives.
		launcher := helperProgram("launcher", launched, "launched", "stay")
		launcher.Tag = detachedTag(mine)
		l, err := Detach(launcher)
		if err != nil {
			t.Fatal(err)
		}
		defer KillRun(detachedTag(launched))
		eventually(t, "it has launched", func() bool { return noted(launched, []string{"ready"}) })

		if killed, survivors := KillRun(detachedTag(mine)); killed != 4 || survivors != 0 {
			t.Errorf("killed %d, %d survivors", killed, survivors)
		}
		for _, id := range []Identity{runner.Identity, l.Identity, identityOf(t, mine, "leader"), identityOf(t, mine, "child")} {
			if id.Alive() {
				t.Errorf("%d is alive", id.PID)
			}
		}
		for _, name := range []string{"detached", "grandchild"} {
			if !identityOf(t, launched, name).Alive() {
				t.Errorf("%s is dead", name)
			}
		}
		for i, d := range others {
			if !d.Identity.Alive() {
				t.Errorf("bystander %d is dead", i)
			}
			finish(t, d)
		}
		finish(t, runner)
		finish(t, l)
		if killed, survivors := KillRun(detachedTag(launched)); killed != 2 || survivors != 0 {
			t.Errorf("killed %d afterwards, %d survivors", killed, survivors)
		}
		eventually(t, "no zombie is left", func() bool { return len(children(os.Getpid())) == 0 })
	})
}

// Only the tag counts: children of this process are nobody's orphans here, as they may be in a run that ends.
func TestKillRunNothing(t *testing.T) {
	eachMode(t, func(t *testing.T, _ bool) {
		dir := t.TempDir()
		argv := helperArgv("sleeper", dir, "other")
		other := exec.Command(argv[0], argv[1:]...)
		other.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
		if err := other.Start(); err != nil {
			t.Fatal(err)
		}
		defer other.Wait()
		defer other.Process.Kill()
		eventually(t, "it has started", func() bool { return noted(dir, []string{"other"}) })
		for _, tag := range []string{"", "nobody", "/"} {
			if killed, survivors := KillRun(tag); killed != 0 || survivors != 0 {
				t.Errorf("%q: killed %d, %d survivors", tag, killed, survivors)
			}
		}
		if !identityOf(t, dir, "other").Alive() {
			t.Error("a child was killed")
		}
	})
}

// What a run inside of a run leaves behind, because its process was killed, is the outer run's.
func TestNestedRun(t *testing.T) {
	eachMode(t, func(t *testing.T, _ bool) {
		for _, shape := range []string{"setsid", "daemon", "holds"} {
			t.Run(shape, func(t *testing.T) {
				dir := t.TempDir()
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				go func() {
					defer cancel()
					if waitUntil(func() bool { return noted(dir, []string{"ready"}) }) {
						identityOf(t, dir, "runner").Kill()
						identityOf(t, dir, "leader").WaitGone(ctx)
					}
				}()
				res, err := Run(ctx, inShell(helperSpec("runner", dir, shape), `"$@"; sleep 100`))
				if err != nil {
					t.Fatal(err)
				}
				if res.Cancelled == nil || res.Reaped < len(shapes[shape].names) || res.Survivors != 0 {
					t.Errorf("%+v", res)
				}
				for _, name := range append([]string{"runner", "leader"}, shapes[shape].names...) {
					if identityOf(t, dir, name).Alive() {
						t.Errorf("%s is alive", name)
					}
				}
			})
		}
	})
}
