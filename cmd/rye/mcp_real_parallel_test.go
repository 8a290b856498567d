//go:build unix

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/ryeos/rye"
	"github.com/ryeos/rye/internal/mcptest"
	"github.com/ryeos/rye/pkg/engine"
	"github.com/ryeos/rye/pkg/item"
)

// overheard is a script like mcptest.Noted that also writes down what the server is told.
const overheard = `echo $$ >> "$MCPTEST_PIDS"; tee "$MCPTEST_PIDS.told" | sh -c 'echo $$ >> "$MCPTEST_PIDS"; exec "$@"' sh "$@"`

// TestRealCancel: Ctrl-C while a server works on a call ends rye, in time, and the server with all its processes.
func TestRealCancel(t *testing.T) {
	const call = "trigger-long-running-operation"
	params := `{"duration": 600, "steps": 6000}`
	t.Run("stdio", func(t *testing.T) {
		t.Parallel()
		r := newRealServers(t)
		r.program("everything", overheard)
		r.discover("everything")
		told := r.pids + ".told"
		os.Remove(told)
		r.interrupt(func() bool {
			data, _ := os.ReadFile(told)
			return strings.Contains(string(data), "tools/call")
		}, "execute", "tool:mcp/everything/"+call, "--params", params)
	})
	t.Run("http", func(t *testing.T) {
		t.Parallel()
		r := newRealServers(t)
		called, left := make(chan struct{}), make(chan struct{})
		var once sync.Once
		r.remoteEverything(func(req *http.Request) {
			body, _ := io.ReadAll(req.Body)
			req.Body = io.NopCloser(bytes.NewReader(body))
			if bytes.Contains(body, []byte(call)) {
				once.Do(func() { close(called) })
				go func() { <-req.Context().Done(); close(left) }()
			}
		})
		r.discover("everything")
		r.interrupt(func() bool {
			select {
			case <-called:
				return true
			default:
				return false
			}
		}, "execute", "tool:mcp/everything/"+call, "--params", params)
		select {
		case <-left:
		case <-time.After(10 * time.Second):
			t.Error("the request goes on")
		}
	})
}

// interrupt starts rye, sends it Ctrl-C's signal when it is time, and requires that it says so with its exit code.
func (r *realServers) interrupt(ready func() bool, args ...string) {
	r.t.Helper()
	cmd := r.command(args...)
	if err := cmd.Start(); err != nil {
		r.t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	defer cmd.Process.Kill()
	for deadline := time.Now().Add(time.Minute); !ready(); time.Sleep(10 * time.Millisecond) {
		select {
		case err := <-ended:
			r.t.Fatalf("rye ended by itself: %v", err)
		default:
		}
		if time.Now().After(deadline) {
			r.t.Fatal("the server was not called")
		}
	}
	cmd.Process.Signal(syscall.SIGINT)
	select {
	case <-ended:
	case <-time.After(20 * time.Second):
		r.t.Fatal("rye does not end")
	}
	if code := cmd.ProcessState.ExitCode(); code != exitInterrupted {
		r.t.Errorf("left with %d, want %d", code, exitInterrupted)
	}
}

// parallelCalls is how many calls are made at once.
func parallelCalls() int {
	if testing.Short() {
		return 20
	}
	return 100
}

// TestRealParallelProcesses has a hundred runs of rye call a server, twenty at a time. Each gets its own answer.
func TestRealParallelProcesses(t *testing.T) {
	overEach(t, func(r *realServers) {
		r.discover("everything")
		r.callInParallel()
	})
}

// TestRealKept does so with one server that is kept between the calls, until it is told to end.
func TestRealKept(t *testing.T) {
	t.Setenv("RYE_MCP_KEEP_ALIVE", "5m")
	r := newRealServers(t)
	r.program("everything", mcptest.Noted)
	r.discover("everything")
	os.Remove(r.pids)
	t.Cleanup(func() { r.must("mcp", "stop", "--all") })
	r.callInParallel()
	started, err := os.ReadFile(r.pids)
	if n := strings.Count(string(started), "\n"); err != nil || n != 1 {
		t.Errorf("%d servers were started, %v", n, err)
	}
}

func (r *realServers) callInParallel() {
	places := make(chan struct{}, 20)
	var all sync.WaitGroup
	for i := range parallelCalls() {
		all.Go(func() {
			places <- struct{}{}
			defer func() { <-places }()
			out, err := r.command("execute", "tool:mcp/everything/echo", "--message", fmt.Sprint("call ", i)).CombinedOutput()
			if err != nil || !strings.Contains(string(out), fmt.Sprintf(`"Echo: call %d"`, i)) {
				r.t.Errorf("call %d: %v: %s", i, err, out)
			}
		})
	}
	all.Wait()
}

// TestRealParallelEngine makes a hundred calls at once with one engine.
func TestRealParallelEngine(t *testing.T) {
	r := newRealServers(t)
	r.remoteEverything(nil)
	r.discover("everything")
	binary, err := exec.LookPath("rye")
	if err != nil {
		t.Fatal(err)
	}
	eng, err := engine.New(engine.Options{
		Project: r.project, User: r.home, System: rye.System(), Cache: filepath.Join(r.home, ".cache", "rye"), Binary: binary,
		Env: r.command().Env,
	})
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	for i := range parallelCalls() {
		all.Go(func() {
			answer := eng.Execute(t.Context(), item.Request{
				Ref: "tool:mcp/everything/echo", Parameters: map[string]any{"message": fmt.Sprint("call ", i)},
			}, nil, nil)
			data, _ := answer.Data.(json.RawMessage)
			if want := fmt.Sprintf(`"Echo: call %d"`, i); !strings.Contains(string(data), want) {
				t.Errorf("call %d: %s %s", i, answer.Error, data)
			}
		})
	}
	all.Wait()
}
