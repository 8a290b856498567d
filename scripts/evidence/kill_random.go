//go:build linux

package main

import (
	"bytes"
	"flag"
	"fmt"
	"math/rand/v2"
	"os/exec"
	"time"

	"github.com/ryeos/rye/pkg/process"
)

// seed chooses the victims and the moments; 0 takes one from the clock. The kernel decides the rest.
var seed = flag.Uint64("seed", 0, "of the random kills; it is part of what they measured")

var randomKills = figure{
	name: "R1",
	what: "%d × `rye execute --async`; `kill -9` of the caller, the runner or the tool at a random moment, 4 at a time",
	must: "each answered launch has a row; fresh processes find every row at its end; completed ⇒ its result is recorded and it " +
		"took effect once; nothing took effect twice or without a row; lost ⇒ evidence; sound database; no process left",
	full: 10000, small: 48,
	run: killAtRandom,
}

// worldSize is how many launches share a registry.
const worldSize = 200

func killAtRandom(b *binaries, count int) finding {
	r := newReport()
	chosen := *seed
	if chosen == 0 {
		chosen = uint64(time.Now().UnixNano())
	}
	lives, err := b.measureLives(r)
	if err != nil {
		return failed(err)
	}
	for first := 0; first < count; first += worldSize {
		w, err := b.newWorld(b.rye)
		if err != nil {
			return failed(err)
		}
		l := &ledger{world: w}
		share(min(worldSize, count-first), func(n int) {
			k := killing{ledger: l, lives: lives, random: rand.New(rand.NewPCG(chosen, uint64(first+n)))}
			r.count(k.run(), 1)
		})
		l.check(r)
		l.leave(r)
	}
	return r.finding("seed %d: killed %s. Launches: %d answered, %d unanswered, of which %d have no row. Threads: %s; lost while %s. %d effects",
		chosen, r.list("killed "), r.counts["answered"], r.counts["unanswered"], r.counts["never registered"], r.list("ended "),
		r.list("lost from "), r.counts["effects"])
}

// lives are how long the victims live when nobody kills them.
type lives struct{ caller, runner time.Duration }

// measureLives measures them under the same load, so that the moments spread over whole lives.
func (b *binaries) measureLives(r *report) (lives, error) {
	w, err := b.newWorld(b.rye)
	if err != nil {
		return lives{}, err
	}
	l := &ledger{world: w}
	callers := make([]time.Duration, 2*workers)
	share(len(callers), func(n int) {
		token, began := newToken(), time.Now()
		l.answered(token, l.run("execute", "-o", "json", "--async", "tool:rye/bash", "--command", l.tool(token, "true")).stdout)
		callers[n] = time.Since(began)
	})
	records, err := l.read()
	var runners []time.Duration
	for _, t := range records {
		runners = append(runners, t.CompletedAt.Sub(t.CreatedAt))
	}
	l.leave(r)
	return lives{quantile(callers, 0.5), quantile(runners, 0.5)}, err
}

// killing is one launch of which something is killed.
type killing struct {
	*ledger
	lives
	random *rand.Rand
	work   time.Duration // of the tool

	cmd    *exec.Cmd
	ended  chan struct{} // when the caller has
	stdout bytes.Buffer
}

// victims may have ended before their moment has come; then nothing is killed.
var victims = []struct {
	name string
	kill func(*killing) error
}{{"callers", (*killing).killCaller}, {"runners", (*killing).killRunner}, {"tools", (*killing).killTool}}

// run returns what it did, for the report.
func (k *killing) run() string {
	token := newToken()
	k.work = time.Duration(k.random.IntN(20)) * time.Millisecond
	k.cmd = k.command("execute", "-o", "json", "--async", "tool:rye/bash",
		"--command", k.tool(token, fmt.Sprintf("sleep %.3f", k.work.Seconds())))
	k.cmd.Stdout, k.ended = &k.stdout, make(chan struct{})
	if err := k.cmd.Start(); err != nil {
		return "not started: " + err.Error()
	}
	go func() { k.cmd.Wait(); close(k.ended) }()
	victim := victims[k.random.IntN(len(victims))]
	err := victim.kill(k)
	<-k.ended
	k.answered(token, k.stdout.String())
	if err != nil {
		return "killed nothing, as the victim had ended"
	}
	return "killed " + victim.name
}

// moment waits for one in a life of this length, or a little later.
func (k *killing) moment(life time.Duration) {
	time.Sleep(time.Duration(k.random.Float64() * 1.1 * float64(life)))
}

func (k *killing) killCaller() error {
	k.moment(k.caller)
	return k.cmd.Process.Kill()
}

func (k *killing) killRunner() error {
	runner := k.findRunner()
	k.moment(k.runner + k.work)
	return runner.Kill()
}

func (k *killing) killTool() error {
	runner := k.findRunner()
	var tool process.Identity
	eventually(patience, func() bool {
		tool = child(runner.PID)
		return tool.PID != 0 || !runner.Alive()
	})
	k.moment(k.work + 5*time.Millisecond)
	return tool.Kill()
}

// findRunner sees the runner as soon as its caller has started it. One that was too quick to be seen is known to its caller.
func (k *killing) findRunner() (runner process.Identity) {
	eventually(patience, func() bool {
		runner = child(k.cmd.Process.Pid)
		select {
		case <-k.ended:
			return true
		default:
			return runner.PID != 0
		}
	})
	if runner.PID == 0 {
		runner, _ = process.Identify(parseAnswer(k.stdout.String()).pid)
	}
	return runner
}

// child is a child of a process, nobody if it has none.
func child(pid int) (found process.Identity) {
	for _, pid := range childrenOf(pid) {
		found, _ = process.Identify(pid)
	}
	return found
}
