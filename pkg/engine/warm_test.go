//go:build linux || darwin

package engine_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ryeos/rye/pkg/engine"
	"github.com/ryeos/rye/pkg/item"
	"github.com/ryeos/rye/pkg/process"
)

// number is a field of what a tool returned.
func number(t *testing.T, resp *item.Response, field string) int {
	t.Helper()
	var data map[string]any
	raw, _ := resp.Data.(json.RawMessage)
	if err := json.Unmarshal(raw, &data); err != nil || resp.Failed() {
		t.Fatalf("%s: %v", marshal(t, resp), err)
	}
	n, _ := data[field].(float64)
	return int(n)
}

// allGone asserts that a file names so many processes, and that all of them have ended.
func allGone(t *testing.T, file string, count int) {
	t.Helper()
	text, err := os.ReadFile(file)
	lines := strings.Fields(string(text))
	if err != nil || len(lines) != count {
		t.Errorf("%s holds %q, not %d processes: %v", file, text, count, err)
	}
	for _, line := range lines {
		var pid int
		fmt.Sscan(line, &pid)
		if id, err := process.Identify(pid); err == nil && id.Alive() {
			t.Errorf("process %d still runs", pid)
		}
	}
}

// awaitGone returns when a process has ended.
func awaitGone(t *testing.T, pid int) {
	t.Helper()
	ctx, stop := context.WithTimeout(t.Context(), 20*time.Second)
	defer stop()
	if id, err := process.Identify(pid); err == nil {
		if err := id.WaitGone(ctx); err != nil {
			t.Errorf("process %d: %v", pid, err)
		}
	}
}

const about = `
import os, random
def execute(p, _): return {"parent": os.getppid(), "pid": os.getpid(), "random": random.getrandbits(40), "n": p.get("n", 0)}`

func TestWarmShares(t *testing.T) {
	w := newWarmth(t)
	w.Project.Tool("a.py", function(about))
	w.Project.Tool("b.py", function(about))
	w.Project.Tool("other.py", function(about, `"preload": ["asyncio", "no_such_module"]`))
	first, _, _ := call(t, w.warm, item.Request{Ref: "tool:a"})
	second, _, _ := call(t, w.warm, item.Request{Ref: "tool:b"})
	if number(t, first, "parent") != number(t, second, "parent") || number(t, first, "pid") == number(t, second, "pid") {
		t.Errorf("no forks of one interpreter: %s, %s", marshal(t, first), marshal(t, second))
	}
	if number(t, first, "random") == number(t, second, "random") {
		t.Error("two calls draw the same random numbers")
	}
	third, _, _ := call(t, w.warm, item.Request{Ref: "tool:other"})
	if number(t, third, "parent") == number(t, first, "parent") {
		t.Error("a tool that wants other modules got the same interpreter")
	}
	w.warmly()
	if kept := w.warm.Kept(t.Context()); len(kept) != 2 {
		t.Errorf("%d keepers, not 2", len(kept))
	}
}

// Nothing is kept for an engine that was not told to, or for a tool that does not say so.
func TestWarmIsAskedFor(t *testing.T) {
	w := newWarmth(t)
	w.Project.Tool("a.py", function(about))
	w.Project.Tool("plain.py", strings.Replace(function(about), "True", "False", 1))
	w.Project.Tool("wrong.py", strings.Replace(function(about), "True", `"yes"`, 1))
	call(t, w.cold, item.Request{Ref: "tool:a"})
	call(t, w.warm, item.Request{Ref: "tool:plain"})
	if kept := w.warm.Kept(t.Context()); len(kept) != 0 {
		t.Errorf("kept: %+v", kept)
	}
	refused(t, execute(t, w.warm, item.Request{Ref: "tool:wrong"}), item.TypeChain, "config.warm must be true or false")
}

// What a call runs is what is there and signed when it is made.
func TestWarmVerifies(t *testing.T) {
	w := newWarmth(t)
	w.Project.Dependency(".ai/tools/pack/__init__.py", "")
	w.Project.Dependency(".ai/tools/pack/lib/helper.py", "value = 1\n")
	tool := strings.Replace(function("import helper\ndef execute(p, _): return {'value': helper.value}"), `__category__ = ""`, `__category__ = "pack"`, 1)
	w.Project.Tool("pack/use.py", tool)
	value := func() int {
		resp, _, _ := call(t, w.warm, item.Request{Ref: "tool:pack/use"})
		return number(t, resp, "value")
	}
	if got := value(); got != 1 {
		t.Errorf("got %d", got)
	}
	w.Project.Dependency(".ai/tools/pack/lib/helper.py", "value = 22\n")
	if got := value(); got != 22 {
		t.Errorf("a changed module: got %d", got)
	}
	w.Project.Tool("pack/use.py", strings.Replace(tool, "helper.value}", "-helper.value}", 1))
	if got := value(); got != -22 {
		t.Errorf("a changed tool: got %d", got)
	}
	w.warmly()
	w.Project.Dependency(".ai/tools/pack/json.py", "raise SystemExit('not the real one')\n")
	resp := execute(t, w.warm, item.Request{Ref: "tool:pack/use"})
	refused(t, resp, item.TypeFailed, "exited with code 1: not the real one")
	w.coldly("has a module that is imported already")
	w.Project.Write(".ai/tools/pack/json.py", "")
	if resp := execute(t, w.warm, item.Request{Ref: "tool:pack/use"}); resp.ErrorType != item.TypeIntegrity {
		t.Errorf("with an unsigned module: %s", marshal(t, resp))
	}
}

func TestWarmParallel(t *testing.T) {
	w := newWarmth(t)
	w.Project.Tool("a.py", function(about))
	var calls sync.WaitGroup
	for n := range 50 {
		calls.Go(func() {
			resp := w.warm.Execute(t.Context(), item.Request{Ref: "tool:a", Parameters: map[string]any{"n": n}}, nil, nil)
			if resp.Failed() || !strings.Contains(marshal(t, resp), fmt.Sprintf(`"n":%d}`, n)) {
				t.Errorf("call %d: %s", n, marshal(t, resp))
			}
		})
	}
	calls.Wait()
	w.warmly()
	if k := w.keeper(); k.Calls < 50 {
		t.Errorf("%+v", k)
	}
}

// A daemon that leaves session, parent and environment ends with its call, as long as that is the only one.
func TestWarmLeavesNothing(t *testing.T) {
	w := newWarmth(t)
	pids := w.Project.Write("pids", "")
	w.Project.Tool("daemon.py", function(`
import os
def execute(p, _):
    r, done = os.pipe()
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            open(p["pids"], "a").write("%d\n" % os.getpid())
            os.close(1); os.close(2); os.close(3)
            os.execve("/bin/sh", ["sh", "-c", "sleep 100"], {})
        os._exit(0)
    os.close(done)
    os.read(r, 1)  # until the daemon has become the shell
    return 1`))
	resp, _, _ := call(t, w.warm, item.Request{Ref: "tool:daemon", Parameters: map[string]any{"pids": pids}})
	if resp.Failed() || resp.Metadata.Reaped == 0 {
		t.Errorf("%s", marshal(t, resp))
	}
	allGone(t, pids, 1)
	w.warmly()
}

const sleeper = `
import os, subprocess, sys, time
def execute(p, _):
    child = subprocess.Popen(["sleep", "100"], start_new_session=True)
    open(p["pids"], "a").write("%d\n%d\n" % (os.getpid(), child.pid))
    print("begun", flush=True)
    time.sleep(100)`

// duringCall does something while the tool sleeps.
func duringCall(t *testing.T, w *warmth, what func(cancel context.CancelCauseFunc)) (*item.Response, string) {
	t.Helper()
	pids := w.Project.Write("pids", "")
	w.Project.Tool("sleeper.py", function(sleeper))
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	said, says := io.Pipe()
	ended := make(chan *item.Response, 1)
	go func() {
		defer says.Close()
		ended <- w.warm.Execute(ctx, item.Request{Ref: "tool:sleeper", Parameters: map[string]any{"pids": pids}}, nil, says)
	}()
	if _, err := io.ReadFull(said, make([]byte, len("begun\n"))); err != nil {
		t.Fatalf("it did not begin: %s", marshal(t, <-ended))
	}
	go io.Copy(io.Discard, said)
	w.warmly()
	what(cancel)
	return <-ended, pids
}

func TestWarmCancel(t *testing.T) {
	w := newWarmth(t)
	resp, pids := duringCall(t, w, func(cancel context.CancelCauseFunc) { cancel(errors.New("enough")) })
	refused(t, resp, item.TypeInterrupted, "interrupted: enough")
	allGone(t, pids, 2)
	w.keeper() // which serves the next call
	w.warmly()
}

// What ends the keeper in the middle of a call ends the call, which says so.
func TestWarmKeeperDies(t *testing.T) {
	for name, end := range map[string]func(*testing.T, *warmth, engine.Kept){
		"killed": func(t *testing.T, _ *warmth, k engine.Kept) {
			id, err := process.Identify(k.PID)
			if err == nil {
				err = id.Kill()
			}
			if err != nil {
				t.Error(err)
			}
		},
		"stopped": func(t *testing.T, w *warmth, k engine.Kept) {
			if err := w.warm.StopKept(context.Background(), k); err != nil {
				t.Error(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWarmth(t)
			var keeper engine.Kept
			resp, pids := duringCall(t, w, func(context.CancelCauseFunc) {
				keeper = w.keeper()
				end(t, w, keeper)
			})
			refused(t, resp, item.TypeUnavailable, "the kept interpreter")
			allGone(t, pids, 2)
			awaitGone(t, keeper.PID)
			w.Project.Tool("a.py", function(about))
			again, _, _ := call(t, w.warm, item.Request{Ref: "tool:a"})
			awaitGone(t, number(t, again, "pid"))
			w.warmly()
			w.stop()
			awaitGone(t, number(t, again, "parent"))
		})
	}
}

// An interpreter that was killed is replaced, and one whose files have changed.
func TestWarmInterpreterEnds(t *testing.T) {
	w := newWarmth(t)
	w.Project.Tool("a.py", function(about))
	first, _, _ := call(t, w.warm, item.Request{Ref: "tool:a"})
	keeper, parent := w.keeper(), number(t, first, "parent")
	id, err := process.Identify(parent)
	if err == nil {
		err = id.Kill()
	}
	if err != nil {
		t.Fatal(err)
	}
	awaitGone(t, keeper.PID)
	second, _, _ := call(t, w.warm, item.Request{Ref: "tool:a"})
	if number(t, second, "parent") == parent {
		t.Error("the interpreter that was killed has a child")
	}
	w.warmly()
}

// A virtual environment into which something was installed has another interpreter.
func TestWarmEnvironmentChanges(t *testing.T) {
	w := newWarmth(t)
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(python, "-m", "venv", "--without-pip", w.Project.Path(".venv")).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	w.Project.Tool("a.py", function(about+"\nimport importlib.util\n"+
		`def execute(p, _): return {"parent": os.getppid(), "found": int(importlib.util.find_spec("extra") is not None)}`))
	first, _, _ := call(t, w.warm, item.Request{Ref: "tool:a"})
	w.warmly()
	packages, err := filepath.Glob(w.Project.Path(".venv/lib/python*/site-packages"))
	if err != nil || len(packages) != 1 {
		t.Fatal(packages, err)
	}
	keeper, extra := w.keeper(), t.TempDir()
	if err := errors.Join(os.WriteFile(filepath.Join(extra, "extra.py"), nil, 0o644),
		os.WriteFile(filepath.Join(packages[0], "more.pth"), []byte(extra+"\n"), 0o644)); err != nil {
		t.Fatal(err)
	}
	second, _, _ := call(t, w.warm, item.Request{Ref: "tool:a"})
	w.coldly("has changed since the interpreter was started")
	awaitGone(t, keeper.PID)
	third, _, _ := call(t, w.warm, item.Request{Ref: "tool:a"})
	w.warmly()
	if number(t, first, "found") != 0 || number(t, second, "found") != 1 || number(t, third, "found") != 1 {
		t.Errorf("%s, %s, %s", marshal(t, first), marshal(t, second), marshal(t, third))
	}
}

func TestWarmIdleEnd(t *testing.T) {
	w := newWarmth(t)
	brief := w.Engine(func(o *engine.Options) {
		o.Binary, _ = os.Executable()
		o.PythonKeepAlive = 200 * time.Millisecond
		o.Note = w.note
	})
	w.Project.Tool("a.py", function(about))
	resp := execute(t, brief, item.Request{Ref: "tool:a"})
	w.warmly()
	awaitGone(t, number(t, resp, "parent"))
	if kept := brief.Kept(t.Context()); len(kept) != 0 {
		t.Errorf("kept: %+v", kept)
	}
}

func TestWarmInSandboxIsCold(t *testing.T) {
	w := newWarmth(t)
	w.Project.Tool("a.py", function(about))
	resp := execute(t, w.warm, item.Request{Ref: "tool:a", Sandbox: true})
	if resp.Failed() && resp.ErrorType != item.TypePermission {
		t.Errorf("%s", marshal(t, resp))
	}
	if kept := w.warm.Kept(t.Context()); len(kept) != 0 {
		t.Errorf("kept: %+v", kept)
	}
}
