//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/ryeos/rye/pkg/thread"
)

// obstacle is what is in the way of a deed.
type obstacle struct {
	name   string
	onDisk string                        // the part of the world on a disk of its own: home or project
	raise  func(w *world, d *disk) error // puts it there
	lift   func(w *world, d *disk) error // takes it away
	hamper []string                      // or what the helper hampered takes from the program
	says   []string                      // one of these is in every error
}

// trial is a deed with an obstacle in its way.
type trial struct {
	deed
	obstacle
}

// trials are all pairs.
func trials(obstacles []obstacle) (all []trial) {
	for _, o := range obstacles {
		for _, d := range deeds {
			all = append(all, trial{d, o})
		}
	}
	return all
}

// tally counts what came out of trials.
type tally struct {
	mu sync.Mutex
	finding
	template        *template
	b               *binaries
	done, refused   int
	completed, ends int // of detached runs
}

// run makes the trials, four at a time.
func (c *tally) run(all []trial) {
	work := make(chan trial)
	go func() {
		defer close(work)
		for _, t := range all {
			work <- t
		}
	}()
	var workers sync.WaitGroup
	for range 4 {
		workers.Go(func() {
			d, err := newDisk(c.b)
			for t := range work {
				if err := errors.Join(err, c.try(d, t)); err != nil {
					c.mu.Lock()
					c.breakf("%s, %s: %v", t.deed.name, t.obstacle.name, err)
					c.mu.Unlock()
				}
			}
		})
	}
	workers.Wait()
}

func (c *tally) try(d *disk, t trial) error {
	beside, err := os.MkdirTemp(c.b.dir, "beside-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(beside)
	if err := d.clear(); err != nil {
		return err
	}
	places := map[string]string{"home": beside, "project": beside, t.onDisk: d.dir}
	w, err := c.template.lay(t.deed, filepath.Join(places["home"], "home"), filepath.Join(places["project"], "project"))
	if err != nil {
		return err
	}
	before := w.files()
	if err := t.raise(w, d); err != nil {
		return err
	}
	a := w.attempt(c.b, t.hamper, t.args)
	var l launched
	if t.detached && a.code == 0 {
		err = a.decode(&l)
		awaitRunner(l.PID)
	}
	if err := errors.Join(err, t.lift(w, d)); err != nil {
		return err
	}
	return errors.Join(t.check(a), c.ended(w, t, l), c.whole(w, t, before), c.again(w, t, a))
}

// attempt runs rye, with something taken from it, for a minute at most.
func (w *world) attempt(b *binaries, hamper, args []string) answer {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	argv := append([]string{w.rye, "-o", "json"}, args...)
	if hamper != nil {
		argv = slices.Concat([]string{b.self, "hampered"}, hamper, argv)
	}
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Dir, cmd.Env, cmd.WaitDelay = w.project, w.env, time.Second
	if hamper != nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNS}
	}
	return await(cmd)
}

// awaitRunner gives a runner a moment to meet the obstacle.
func awaitRunner(pid int) {
	for deadline := time.Now().Add(300 * time.Millisecond); running(pid) && time.Now().Before(deadline); {
		time.Sleep(5 * time.Millisecond)
	}
}

func running(pid int) bool { return pid > 0 && syscall.Kill(pid, 0) == nil }

// check looks at the answer.
func (t trial) check(a answer) error {
	fault := a.fault()
	said := func(cause string) bool { return strings.Contains(a.stdout+a.stderr, cause) }
	if fault == "" && a.code != 0 && !slices.ContainsFunc(t.says, said) {
		fault = "it does not say why"
	}
	if fault != "" {
		return fmt.Errorf("%s: exit %d\n%.2000s%.2000s", fault, a.code, a.stdout, a.stderr)
	}
	return nil
}

// ended looks at the row of a detached run.
func (c *tally) ended(w *world, t trial, l launched) error {
	if l.ID == "" {
		return nil
	}
	rows, err := w.settled(time.Minute, l.ID)
	if err != nil {
		return err
	}
	row := rows[0]
	why := row.Error
	if row.Evidence != nil {
		why += row.Evidence.LogTails["runner.log"]
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	switch said := func(cause string) bool { return strings.Contains(why, cause) }; {
	case row.Status == thread.Completed:
		c.completed++
	case row.ErrorType != "internal" && slices.ContainsFunc(t.says, said), row.Status == thread.Lost && t.hamper != nil && slices.ContainsFunc(t.says, said):
		c.ends++
	default:
		return fmt.Errorf("the detached run is %s: %s %s %+v", row.Status, row.ErrorType, row.Error, row.Evidence)
	}
	return nil
}

// whole looks at what the deed has left.
func (c *tally) whole(w *world, t trial, before contents) error {
	if bad := unwhole(before, w.files(), c.template.after[t.deed.name]); len(bad) > 0 {
		return errors.New("half done: " + strings.Join(bad, ", "))
	}
	return w.integrity()
}

// again does the deed with nothing in its way.
func (c *tally) again(w *world, t trial, first answer) error {
	a := w.attempt(c.b, nil, t.args)
	if a.code != 0 {
		return fmt.Errorf("exit %d, and again with nothing in the way: exit %d\n%.2000s%.2000s", first.code, a.code, a.stdout, a.stderr)
	}
	if t.then != nil {
		if err := w.must(t.then...); err != nil {
			return err
		}
	}
	if t.detached {
		var l launched
		if err := a.decode(&l); err != nil {
			return err
		}
		if _, err := w.settled(time.Minute, l.ID); err != nil {
			return err
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if first.code == 0 {
		c.done++
	} else {
		c.refused++
	}
	return nil
}
