//go:build linux

package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/ryeos/rye/pkg/process"
)

var orphans = figure{
	name: "R4",
	what: "%d runs of a tool that starts children in six ways (`&`; double fork; setsid; nohup; a daemon with a session of its own, a double " +
		"fork, no environment and closed descriptors; disown), ended in turn in seven ways; every tenth ignores SIGTERM",
	must: "none of its processes is alive; when rye itself gets `kill -9` in the foreground: the tool is dead, what the tool " +
		"started is counted",
	full: 10000, small: 14,
	run: leaveNoOrphans,
}

// brood is one tool with its children.
type brood struct {
	*world
	r        *report
	mark     string // in the command line of each of them
	started  string // the file into which each writes a line when it has begun
	stubborn bool
}

// ending is a way to end a run. It returns when rye says that the run is over.
type ending struct {
	name string
	end  func(*brood)
}

var endings = []ending{
	{"the tool ended by itself", func(b *brood) { await(b.execute("exit 0")) }},
	{"--timeout", func(b *brood) { await(b.execute("wait", "--timeout", "500ms")) }},
	{"SIGTERM to rye", func(b *brood) { b.signal(syscall.SIGTERM) }},
	{"SIGINT to rye", func(b *brood) { b.signal(syscall.SIGINT) }},
	{"rye threads cancel", func(b *brood) {
		id, _ := b.detach()
		b.expectExit("threads", "cancel", "--grace", "2s", id)
	}},
	{"kill -9 of the runner and rye threads list", func(b *brood) {
		_, runner := b.detach()
		b.r.expect("killing the runner", killOff(runner))
		b.expectExit("threads", "list")
	}},
	{foregroundKill, func(b *brood) { b.signal(syscall.SIGKILL) }},
}

// foregroundKill leaves nobody who could end what the tool has started.
const foregroundKill = "kill -9 of rye in the foreground"

func leaveNoOrphans(b *binaries, count int) finding {
	r := newReport()
	for first := 0; first < count; first += worldSize {
		w, err := b.newWorld(b.rye)
		if err != nil {
			return failed(err)
		}
		share(min(worldSize, count-first), func(n int) {
			n += first
			brood := &brood{world: w, r: newReport(), mark: fmt.Sprintf("600.%06d%07d", os.Getpid()%1e6, n), stubborn: n/len(endings)%10 == 9}
			brood.started = filepath.Join(w.home, brood.mark)
			how := endings[n%len(endings)]
			how.end(brood)
			brood.count(how.name)
			r.add(brood.r, how.name+": ")
		})
		w.leave(r)
	}
	return r.finding("%d children started; alive afterwards: %s; %s left: %s", r.counts["started"], r.list("alive "), foregroundKill, r.list("left "))
}

// kinds are shell commands that start a child in one way each; CHILD is its command.
var kinds = []struct{ name, start string }{
	{"forked", "sh -c CHILD &"},
	{"forked twice", "( ( sh -c CHILD & ) & )"},
	{"in a session of its own", "setsid sh -c CHILD &"},
	{"with nohup", "nohup sh -c CHILD >/dev/null 2>&1 &"},
	{"daemons", "setsid env -i sh -c 'sh -c \"$0\" &' CHILD <&- >&- 2>&- &"},
	{"disowned", "sh -c CHILD & disown"},
}

// script starts all children, and goes on with last when they have begun.
func (b *brood) script(last string) string {
	var text strings.Builder
	if b.stubborn {
		text.WriteString("trap '' TERM\n")
	}
	for i, kind := range kinds {
		child := fmt.Sprintf("'echo %d >> %s; exec sleep %s%d'", i, b.started, b.mark, i)
		text.WriteString(strings.ReplaceAll(kind.start, "CHILD", child) + "\n")
	}
	fmt.Fprintf(&text, "until [ \"$(wc -l < %s)\" -ge %d ]; do sleep 0.01; done 2>/dev/null\n%s # %s", b.started, len(kinds), last, b.mark)
	return text.String()
}

func (b *brood) execute(last string, flags ...string) *exec.Cmd {
	return b.command(append(append([]string{"execute", "-o", "json"}, flags...), "tool:rye/bash", "--command", b.script(last))...)
}

// begun is how many children have begun.
func (b *brood) begun() int {
	data, _ := os.ReadFile(b.started)
	return bytes.Count(data, []byte("\n"))
}

func (b *brood) awaitBegin() {
	if !eventually(patience, func() bool { return b.begun() >= len(kinds) }) {
		b.r.breakf("only %d children have begun", b.begun())
	}
}

// signal sends a signal to a rye in the foreground.
func (b *brood) signal(sig syscall.Signal) {
	cmd := b.execute("wait")
	if err := cmd.Start(); err != nil {
		b.r.breakf("%v", err)
		return
	}
	b.awaitBegin()
	cmd.Process.Signal(sig)
	cmd.Wait()
}

// detach starts the tool without waiting for it, and returns when all its children have begun.
func (b *brood) detach() (id string, runner process.Identity) {
	a := await(b.execute("wait", "--async"))
	told := parseAnswer(a.stdout)
	runner, err := process.Identify(told.pid)
	b.r.expect("launching: "+a.stdout+a.stderr, err)
	b.awaitBegin()
	return told.id, runner
}

func (b *brood) expectExit(args ...string) {
	if a := b.run(args...); a.code != 0 {
		b.r.breakf("rye %s: exit %d: %s%s", strings.Join(args, " "), a.code, a.stdout, a.stderr)
	}
}

// count looks who is alive, and ends those.
func (b *brood) count(how string) {
	b.r.count("started", b.begun())
	foreground := how == foregroundKill
	if foreground { // the kernel does it, in a moment
		eventually(patience, func() bool { return !b.leaderAlive() })
		// A process in the middle of an exec has no command line by which it could be found.
		eventually(patience, func() bool { return len(processes("sleep "+b.mark)) >= len(kinds) })
	}
	for pid, line := range processes(b.mark) {
		kind := "the tool"
		for i, k := range kinds {
			if strings.Contains(line, fmt.Sprintf("sleep %s%d", b.mark, i)) {
				kind = k.name
			}
		}
		if foreground && kind != "the tool" {
			b.r.count("left "+kind, 1)
		} else {
			b.r.count("alive "+kind, 1)
			b.r.breakf("process %d is alive (%s): %.200s", pid, kind, line)
		}
		kill(pid)
	}
	eventually(5*time.Second, func() bool { return len(processes(b.mark)) == 0 })
	os.Remove(b.started)
}

// leaderAlive reports whether the tool itself is there, which has all of the script in its command line.
func (b *brood) leaderAlive() bool {
	for _, line := range processes(b.mark) {
		if strings.Contains(line, "until [") && !strings.Contains(line, "execute") {
			return true
		}
	}
	return false
}
