//go:build linux

package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/ryeos/rye/pkg/process"
	"github.com/ryeos/rye/pkg/thread"
)

// way is something that people do with detached runs. fail is what makes rye die on it, for the environment.
type way struct {
	name string
	walk func(l *ledger, r *report, fail []string)
}

// ways are sorted by how long they take.
var ways = []way{
	{"cancel a runner that does not answer", cancelStubborn},
	{"cancel", cancelRunning},
	{"a run that leaves children behind", func(l *ledger, _ *report, fail []string) {
		l.launch(fail, "sleep 600 & setsid sleep 600 & sleep 0.02")
	}},
	{"list after the runner was killed", listLost},
	{"prune", prune},
	{"a run inside of a run", launchInside},
	{"a state graph", walkGraph},
	{"a quick run", func(l *ledger, _ *report, fail []string) { l.launch(fail, "true") }},
	{"a run that fails", func(l *ledger, _ *report, fail []string) { l.launch(fail, "exit 3") }},
}

// launch starts a run and returns what its caller was told.
func (l *ledger) launch(fail []string, work string) launch {
	token := newToken()
	cmd := l.command("execute", "-o", "json", "--async", "tool:rye/bash", "--command", l.tool(token, work))
	cmd.Env = append(cmd.Env[:len(cmd.Env):len(cmd.Env)], fail...)
	return l.answered(token, await(cmd).stdout)
}

// launchLong starts a run that lasts, and returns when its tool has begun, or when its runner is gone.
func (l *ledger) launchLong(r *report, fail []string) (launch, process.Identity) {
	entry := l.launch(fail, "sleep 600 & sleep 600")
	if entry.id == "" {
		return entry, process.Identity{}
	}
	runner, _ := process.Identify(entry.pid)
	began := func() bool {
		effects, _ := os.ReadFile(l.effects())
		return strings.Contains(string(effects), entry.token) || !runner.Alive()
	}
	if !eventually(patience, began) {
		r.breakf("the tool of %s did not begin", entry.id)
	}
	return entry, runner
}

func (l *ledger) failing(fail []string, args ...string) answer {
	cmd := l.command(args...)
	cmd.Env = append(cmd.Env[:len(cmd.Env):len(cmd.Env)], fail...)
	return await(cmd)
}

func cancelRunning(l *ledger, r *report, fail []string) {
	if entry, _ := l.launchLong(r, fail); entry.id != "" {
		l.failing(fail, "threads", "cancel", entry.id)
	}
	r.expect("cancelling", l.cancelAll())
}

// cancelStubborn stops the runner before it is asked to end.
func cancelStubborn(l *ledger, r *report, fail []string) {
	entry, runner := l.launchLong(r, nil)
	if !runner.Alive() {
		r.breakf("there is no runner to stop")
		return
	}
	syscall.Kill(entry.pid, syscall.SIGSTOP)
	l.failing(fail, "threads", "cancel", "--grace", "50ms", entry.id)
	if runner.Alive() {
		syscall.Kill(entry.pid, syscall.SIGCONT)
	}
	r.expect("cancelling", l.cancelAll())
}

// cancelAll ends what a cancellation that was killed has not, and what was launched by a caller that was killed.
func (l *ledger) cancelAll() error {
	var active struct {
		Threads []thread.Thread `json:"threads"`
	}
	err := l.run("threads", "list", "-o", "json", "--active").decode(&active)
	for _, t := range active.Threads {
		l.run("threads", "cancel", "--grace", "1s", t.ID)
	}
	return err
}

func listLost(l *ledger, r *report, fail []string) {
	_, runner := l.launchLong(r, nil)
	r.expect("killing the runner", killOff(runner))
	l.failing(fail, "threads", "list")
}

// prune must be able to finish what a prune that was killed has begun.
func prune(l *ledger, r *report, fail []string) {
	l.launch(nil, "true")
	l.launch(nil, "exit 3")
	l.check(r)
	l.failing(fail, "threads", "prune", "--keep", "0")
	if a := l.run("threads", "prune", "--keep", "0"); a.code != 0 {
		r.breakf("pruning again: exit %d, %s", a.code, a.stderr)
	}
	rest, _ := filepath.Glob(filepath.Join(l.registry(), "*"))
	for _, path := range rest {
		if !strings.HasPrefix(filepath.Base(path), thread.DatabaseName) {
			r.breakf("%s is left behind by two prunes", path)
		}
	}
	if records, err := l.read(); err != nil || len(records) > 0 {
		r.breakf("%d threads are left by two prunes: %v", len(records), err)
	}
	l.launches = nil
	os.Remove(l.effects())
}

// launchInside dies in a rye that a tool has started.
func launchInside(l *ledger, _ *report, fail []string) {
	inner := fmt.Sprintf("env '%s' '%s' execute --async tool:rye/bash --command \"%s\" >/dev/null",
		strings.Join(fail, "' '"), l.rye, l.tool(newToken(), "sleep 0.02"))
	l.launch(nil, inner)
}

const oneNode = `version: "1.0.0"
tool_type: graph
executor_id: rye/core/runtimes/state-graph/runtime
category: flow
description: Does one thing
permissions: [rye.execute.tool.rye.bash]
config:
  start: work
  nodes:
    work:
      action: {item_id: tool:rye/bash, params: {command: "${inputs.command}"}}
      assign: {printed: "${result.stdout}"}
      next: done
    done: {type: return, output: {printed: "${state.printed}"}}
`

// walkGraph runs a graph in the foreground: the thread is that of the process that walks it.
func walkGraph(l *ledger, r *report, fail []string) {
	file := filepath.Join(l.project, ".ai", "tools", "flow", "one.yaml")
	r.expect("writing the graph", errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, []byte(oneNode), 0o644)))
	for _, args := range [][]string{{"keys", "generate"}, {"sign", "tool:flow/one"}} {
		if a := l.run(args...); a.code != 0 {
			r.breakf("rye %s: %s", strings.Join(args, " "), a.stderr)
		}
	}
	l.failing(fail, "graph", "run", "tool:flow/one", "--command", l.tool(newToken(), "true"))
}
