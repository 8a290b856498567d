//go:build linux

package main

import (
	"bytes"
	"database/sql"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"syscall"
	"time"

	"github.com/ryeos/rye/pkg/process"
	"github.com/ryeos/rye/pkg/thread"
)

var reboot = figure{
	name: "R12",
	what: "%d detached runs; all of rye and of the tools killed at once and the boot id in the rows changed, as a reboot does; in half of " +
		"the rows the number of the runner is that of a living foreign process, in a quarter its start time as well",
	must: "`rye threads list` shows all of them as lost and none as running; no foreign process got a signal",
	full: 100, small: 12,
	run: rebootDuringRuns,
}

func init() {
	helpers["bystand"] = func([]string) error { return bystand() }
}

// bystand is a foreign process: it says which signals it gets, until its standard input ends.
func bystand() error {
	signals := make(chan os.Signal, 100)
	signal.Notify(signals)
	go func() {
		for got := range signals {
			if got != syscall.SIGURG { // the Go runtime sends it to its own threads
				fmt.Println(got)
			}
		}
	}()
	_, err := io.Copy(io.Discard, os.Stdin)
	return err
}

func rebootDuringRuns(b *binaries, count int) finding {
	r := newReport()
	w, err := b.newWorld(b.rye)
	if err != nil {
		return failed(err)
	}
	defer w.leave(r)
	l := &ledger{world: w}
	share(count, func(int) { l.launchLong(r, nil) })
	if err := l.powerOff(); err != nil {
		return failed(err)
	}
	foreign := make([]*bystander, min(count/2, 20))
	for i := range foreign {
		if foreign[i], err = b.newBystander(); err != nil {
			return failed(err)
		}
	}
	if err := l.changeBoot(foreign); err != nil {
		return failed(err)
	}
	l.check(r)
	if r.counts["ended lost"] != count {
		r.breakf("%d of %d threads are lost", r.counts["ended lost"], count)
	}
	for _, f := range foreign {
		if said := f.leave(); said != "" {
			r.breakf("a foreign process got signals: %q", said)
		}
	}
	return r.finding("%s; 0 of %d foreign processes got a signal", r.list("ended "), len(foreign))
}

// powerOff stops everything that lives in the world, so that nothing can react, and kills it.
func (w *world) powerOff() error {
	if !eventually(patience, func() bool {
		all := w.inhabitants()
		for pid := range all {
			syscall.Kill(pid, syscall.SIGSTOP)
		}
		return len(w.inhabitants()) == len(all)
	}) {
		return fmt.Errorf("the processes of the world do not stop")
	}
	for pid := range w.inhabitants() {
		kill(pid)
	}
	if !eventually(patience, func() bool { return len(w.inhabitants()) == 0 }) {
		return fmt.Errorf("the processes of the world do not end")
	}
	return nil
}

// changeBoot makes the rows those of another boot, and foreign processes the namesakes of half of the runners.
func (l *ledger) changeBoot(foreign []*bystander) error {
	return l.withDatabase(func(db *sql.DB) error {
		if _, err := db.Exec(`UPDATE threads SET pid_boot = 'another boot'`); err != nil {
			return err
		}
		for i, entry := range l.launches[:len(l.launches)/2] {
			id := foreign[i%len(foreign)].identity
			start := "pid_start"
			if i%2 == 0 {
				start = fmt.Sprint(id.Start)
			}
			if _, err := db.Exec(`UPDATE threads SET pid = ?, pid_start = `+start+` WHERE thread_id = ? AND status = ?`,
				id.PID, entry.id, thread.Running); err != nil {
				return err
			}
		}
		return nil
	})
}

// bystander is a running foreign process.
type bystander struct {
	cmd      *exec.Cmd
	stdin    io.Closer
	said     bytes.Buffer
	identity process.Identity
}

func (b *binaries) newBystander() (*bystander, error) {
	f := &bystander{cmd: exec.Command(b.self, "bystand")}
	stdin, err := f.cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	f.stdin, f.cmd.Stdout = stdin, &f.said
	if err := f.cmd.Start(); err != nil {
		return nil, err
	}
	f.identity, err = process.Identify(f.cmd.Process.Pid)
	return f, err
}

// leave ends it, and returns the signals that it got.
func (f *bystander) leave() string {
	f.stdin.Close()
	rescue := time.AfterFunc(patience, func() { f.cmd.Process.Kill() }) // it may have been stopped
	defer rescue.Stop()
	if err := f.cmd.Wait(); err != nil {
		return err.Error()
	}
	return f.said.String()
}
