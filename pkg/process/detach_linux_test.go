package process

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"golang.org/x/sys/unix"
)

// script is a program to detach that writes to a log.
func script(t *testing.T, text string) (p Program, log string) {
	t.Helper()
	log = filepath.Join(t.TempDir(), "log")
	file, err := os.Create(log)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { file.Close() })
	return Program{Path: "/bin/sh", Argv: []string{"sh", "-c", text}, Env: []string{"PATH=/usr/bin:/bin"}, Tag: "tag", Log: file}, log
}

// finish closes the input of a detached program and waits until it is over and collected.
func finish(t *testing.T, p *Detached) {
	t.Helper()
	if err := p.Stdin.Close(); err != nil {
		t.Error(err)
	}
	if err := p.Identity.WaitGone(t.Context()); err != nil {
		t.Error(err)
	}
	eventually(t, "it left no zombie", func() bool { return !slices.Contains(children(os.Getpid()), p.Identity.PID) })
}

func TestDetach(t *testing.T) {
	dir := t.TempDir()
	tests := []struct {
		name, script, input, want string
		change                    func(*Program)
	}{
		{name: "standard streams", script: "echo out; echo err >&2; cat", input: "in\n", want: "out\nerr\nin\n"},
		{name: "session", script: "set -- $(cat /proc/$$/stat); [ $1 = $5 ] && [ $1 = $6 ] && echo yes", want: "yes\n"},
		{name: "no terminal", script: "(: </dev/tty) 2>/dev/null || echo none", want: "none\n"},
		{name: "directory", script: "pwd -P", want: dir + "\n", change: func(p *Program) { p.Dir = dir }},
		{name: "descriptors", script: "ls /proc/$$/fd", want: "0\n1\n2\n"},
		{name: "marks", script: "echo $RYE_RUN_ID $RYE_DETACHED; env | grep -c RYE_", want: "tag 1\n2\n",
			change: func(p *Program) { p.Env = append(p.Env, "RYE_RUN_ID=outer", "RYE_DETACHED=no") }},
		{name: "environment is complete", script: "unset PWD OLDPWD _ SHLVL RYE_RUN_ID RYE_DETACHED; /usr/bin/env",
			want: "PATH=/usr/bin:/bin\n"},
		{name: "no log", script: "echo lost; echo kept >" + dir + "/kept", change: func(p *Program) { p.Log = nil }},
	}
	left, err := unix.Dup(2) // as a program that starts rye may leave one open
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(left)
	before := openFiles(t)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p, log := script(t, tt.script)
			if tt.change != nil {
				tt.change(&p)
			}
			d, err := Detach(p)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := d.Stdin.Write([]byte(tt.input)); err != nil && !errors.Is(err, unix.EPIPE) {
				t.Error(err)
			}
			finish(t, d)
			if got, err := os.ReadFile(log); err != nil || string(got) != tt.want {
				t.Errorf("got %q, %v", got, err)
			}
		})
	}
	if _, err := os.Stat(filepath.Join(dir, "kept")); err != nil {
		t.Error(err)
	}
	eventually(t, "no file is left open", func() bool { return openFiles(t) <= before })
}

func TestDetachCannotStart(t *testing.T) {
	tests := []struct {
		name    string
		change  func(*Program)
		is      error
		mention string
	}{
		{name: "missing", change: func(p *Program) { p.Path = "/no/such/program" }, is: unix.ENOENT, mention: "/no/such/program"},
		{name: "directory missing", change: func(p *Program) { p.Dir = "/no/such/dir" }, is: unix.ENOENT, mention: "directory"},
		{name: "relative", change: func(p *Program) { p.Path = "sh" }, mention: "absolute"},
		{name: "no argv", change: func(p *Program) { p.Argv = nil }, mention: "argv[0]"},
		{name: "NUL", change: func(p *Program) { p.Env = []string{"A=\x00"} }, mention: "NUL"},
		{name: "no tag", change: func(p *Program) { p.Tag = "" }, mention: "tag"},
		{name: "long tag", change: func(p *Program) { p.Tag = strings.Repeat("x", maxProgramTag+1) }, mention: "tag"},
		{name: "NUL in tag", change: func(p *Program) { p.Tag = "a\x00b" }, mention: "NUL"},
	}
	before := openFiles(t)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := Program{Path: "/bin/sh", Argv: []string{"sh"}, Tag: "tag"}
			tt.change(&p)
			d, err := Detach(p)
			if err == nil {
				t.Fatalf("started: %+v", d)
			}
			if tt.is != nil && !errors.Is(err, tt.is) || !strings.Contains(err.Error(), tt.mention) {
				t.Errorf("got %v", err)
			}
		})
	}
	eventually(t, "no file is left open", func() bool { return openFiles(t) <= before })
	if n := len(active.trees); n != 0 {
		t.Errorf("%d programs are still registered", n)
	}
}

// Runs of the same process that end at any moment take no detached program, young or old, for an orphan of theirs.
func TestDetachBesideRuns(t *testing.T) {
	eachMode(t, func(t *testing.T, _ bool) {
		stop := make(chan struct{})
		var runs sync.WaitGroup
		for range 3 {
			runs.Go(func() {
				for {
					select {
					case <-stop:
						return
					default:
					}
					if _, err := Run(context.Background(), shell("setsid sleep 100 & exit")); err != nil {
						t.Error(err)
						return
					}
				}
			})
		}
		var programs []*Detached
		for range 100 {
			p, _ := script(t, "read line")
			d, err := Detach(p)
			if err != nil {
				t.Fatal(err)
			}
			programs = append(programs, d)
		}
		close(stop)
		runs.Wait()
		run(t, shell("setsid sleep 100 & exit"))
		KillRun("another")
		for i, d := range programs {
			if !d.Identity.Alive() {
				t.Errorf("program %d was killed", i)
			}
			finish(t, d)
		}
	})
}
