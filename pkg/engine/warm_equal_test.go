//go:build linux || darwin

package engine_test

import (
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/ryeos/rye/pkg/item"
)

// equalities are functions whose calls can be seen from outside in everything that a process does.
var equalities = []struct{ name, body string }{
	{"result", `
def execute(p, project): return {"p": p, "project": project}`},
	{"nothing", `
def execute(p, _): pass`},
	{"print", `
import sys
def execute(p, _):
    print("out"); print("err", file=sys.stderr); sys.stdout.write("end")
    return [1, 2]`},
	{"raise", `
def inner(): raise ValueError("wrong")
def execute(p, _): inner()`},
	{"chained", `
def execute(p, _):
    try: {}["a"]
    except KeyError as e: raise RuntimeError("again") from e`},
	{"broken", `
def execute(p, _:
`},
	{"no execute", `
other = 1`},
	{"exit code", `
import sys
def execute(p, _): sys.exit(7)`},
	{"exit text", `
import sys
def execute(p, _): sys.exit("so long")`},
	{"exit nothing", `
import sys
def execute(p, _): sys.exit()`},
	{"exit at once", `
import os
def execute(p, _): os._exit(9)`},
	{"exit before", `
raise SystemExit(5)`},
	{"killed", `
import os
def execute(p, _): os.kill(os.getpid(), 9)`},
	{"terminated", `
import os
def execute(p, _): os.kill(os.getpid(), 15)`},
	{"interrupted", `
def execute(p, _): raise KeyboardInterrupt`},
	{"abort", `
import os
def execute(p, _): os.abort()`},
	{"much", `
def execute(p, _):
    for n in range(200000): print("line", n)
    return "x" * 3000000`},
	{"not json", `
class Odd:
    def __repr__(self): return "odd"
def execute(p, _): return {"a": Odd()}`},
	{"circle", `
def execute(p, _):
    a = []; a.append(a); return a`},
	{"coroutine", `
import asyncio
async def execute(p, _):
    await asyncio.sleep(0.001); return {"a": 1}`},
	{"environment", `
import os
def execute(p, _):
    return {k: v for k, v in os.environ.items() if k != "RYE_RUN_ID"} | {"order": [k for k in os.environ]}`},
	{"child's environment", `
import subprocess
def execute(p, _): return sorted(l for l in subprocess.check_output(["env"], text=True).splitlines() if "RYE_RUN_ID" not in l)`},
	{"interpreter", `
import sys, os, locale
def execute(p, _):
    return {"argv": sys.argv, "path": sys.path, "orig": getattr(sys, "orig_argv", 0), "flags": str(sys.flags), "exe": sys.executable,
        "prefix": [sys.prefix, sys.base_prefix], "cwd": os.getcwd(), "enc": [sys.stdout.encoding, sys.stdin.errors, sys.getfilesystemencoding()],
        "buffered": [sys.stdout.line_buffering, sys.stdout.write_through, sys.stderr.line_buffering], "warn": sys.warnoptions,
        "pyc": [sys.pycache_prefix, sys.dont_write_bytecode], "locale": locale.setlocale(locale.LC_ALL), "hook": sys.excepthook is sys.__excepthook__,
        "main": sorted(vars(sys.modules["__main__"])), "name": sys.modules["__main__"].__name__, "tool": sys.modules["tool"].__file__,
        "trace": sys.gettrace(), "interval": sys.getswitchinterval(), "recursion": sys.getrecursionlimit()}`},
	{"process", `
import os, signal, resource
def execute(p, _):
    fds = sorted(int(n) for n in os.listdir("/dev/fd"))
    signals = {s: str(signal.getsignal(s)) for s in signal.valid_signals() if s not in (32, 33)}
    os.umask(mask := os.umask(0))
    return {"leads": [os.getpid() == os.getsid(0), os.getpid() == os.getpgrp()], "fds": fds, "tty": [os.isatty(n) for n in range(3)],
        "signals": signals, "mask": mask, "nice": os.nice(0), "blocked": sorted(signal.pthread_sigmask(signal.SIG_BLOCK, [])),
        "limits": [resource.getrlimit(n) for n in (resource.RLIMIT_NOFILE, resource.RLIMIT_AS, resource.RLIMIT_CORE)]}`},
	{"input is read", `
import sys, os
def execute(p, _): return {"rest": sys.stdin.read(), "raw": len(os.read(0, 10)), "seek": sys.stdin.seekable()}`},
	{"state", `
import json, asyncio.log
count = getattr(json, "count", 0)
json.count = count + 1
def execute(p, _): return {"count": count, "level": asyncio.log.logger.level}`},
	{"thread", `
import threading, time
def late():
    time.sleep(0.05); print("late", flush=True)
def execute(p, _):
    threading.Thread(target=late).start()
    return {"threads": threading.active_count()}`},
	{"exit functions", `
import atexit, sys, weakref
class Thing:
    def __del__(self): print("deleted", file=sys.stderr)
thing = Thing()
atexit.register(lambda: print("bye"))
weakref.finalize(thing, print, "finalized")
def execute(p, _): return 1`},
	{"file is flushed", `
import sys
def execute(p, _):
    global log
    log = open("/dev/stdout", "w"); log.write("written")
    return 1`},
	{"exit function fails", `
import atexit
def execute(p, _):
    atexit.register(lambda: 1 / 0)
    return 1`},
	{"exit function exits", `
import atexit, os
def execute(p, _):
    atexit.register(os._exit, 4)
    return 1`},
	{"standard error is broken", `
import os, sys
def execute(p, _):
    sys.stdout.reconfigure(line_buffering=False, write_through=False)
    sys.stdout.write("x"); os.close(1); os.close(2)`},
	{"own excepthook", `
import sys
sys.excepthook = lambda kind, error, trace: print("hook", kind.__name__, trace.tb_frame.f_code.co_filename)
def execute(p, _): 1 / 0`},
	{"processes", `
import multiprocessing
def square(n): return n * n
def execute(p, _):
    with multiprocessing.get_context("fork").Pool(2) as pool: return pool.map(square, range(5))`},
	{"subprocess", `
import subprocess, sys
def execute(p, _): return subprocess.run([sys.executable, "-c", "import sys; print(sys.path)"], capture_output=True, text=True).stdout`},
	{"left behind", `
import subprocess
def execute(p, _):
    subprocess.Popen(["sleep", "100"])
    return 1`},
}

var volatile = regexp.MustCompile(`0x[0-9a-f]+|pid [0-9]+`)

// A call is the same to everybody who sees it, whether its interpreter is new or a fork.
func TestWarmIsCold(t *testing.T) {
	w := newWarmth(t)
	for _, tt := range equalities {
		t.Run(tt.name, func(t *testing.T) {
			id := strings.NewReplacer(" ", "_", "'", "").Replace(tt.name)
			w.Project.Tool(id+".py", function(tt.body))
			req := item.Request{Ref: "tool:" + id, Parameters: map[string]any{"a": "ä\n", "n": 1.5}}
			cold := seen(t, w, false, req)
			for range 2 { // what one call leaves, the next must not find
				if warm := seen(t, w, true, req); warm != cold {
					t.Errorf("cold %s\nwarm %s", cold, warm)
				}
			}
			w.warmly()
		})
	}
	w.keeper()
}

// seen is everything that a call shows.
func seen(t *testing.T, w *warmth, warm bool, req item.Request) string {
	t.Helper()
	e := w.cold
	if warm {
		e = w.warm
	}
	resp, stdout, stderr := call(t, e, req)
	resp.Metadata.DurationMS = 0
	text := marshal(t, resp) + "\nstdout " + digest(stdout) + "\nstderr " + digest(stderr)
	return volatile.ReplaceAllString(text, "*")
}

func digest(text string) string {
	if len(text) > 4096 {
		return text[:2048] + "…" + text[len(text)-2048:]
	}
	return text
}

// The deadline of a call ends everything that it has started, whoever started it.
func TestWarmDeadline(t *testing.T) {
	w := newWarmth(t)
	w.Project.Tool("late.py", function(`
import os, subprocess, time
def execute(p, _):
    print("begun", flush=True)
    for more in {}, {"start_new_session": True}:
        open(p["pids"], "a").write("%d\n" % subprocess.Popen(["sleep", "100"], env={}, **more).pid)
    time.sleep(100)`))
	for name, e := range map[string]bool{"cold": false, "warm": true} {
		pids := w.Project.Write(name, "")
		req := item.Request{Ref: "tool:late", Parameters: map[string]any{"pids": pids}, Timeout: time.Second}
		engine := w.cold
		if e {
			engine = w.warm
		}
		resp, _, stderr := call(t, engine, req)
		if resp.ErrorType != item.TypeTimeout || stderr != "begun\n" || resp.Metadata.Signal != "SIGTERM" || resp.Metadata.Survivors != 0 {
			t.Errorf("%s: %s, stderr %q", name, marshal(t, resp), stderr)
		}
		allGone(t, pids, 2)
	}
	w.warmly()
}
