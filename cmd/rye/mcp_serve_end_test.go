//go:build unix

package main

import (
	"context"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// breed begins a call that starts the processes of a shape, and returns once they are there.
func (m *model) breed(ctx context.Context, shape string) (dir string, ended <-chan error) {
	m.Helper()
	dir = m.TempDir()
	done := make(chan error, 1)
	go func() {
		_, err := m.session.CallTool(ctx, m.params("execute", fields{
			"item_id": "tool:brood/tool", "parameters": fields{"shape": shape, "folder": dir, "end": "stay"},
		}))
		done <- err
	}()
	m.await(filepath.Join(dir, "ready"))
	return dir, done
}

// gone waits until all processes of a shape have ended.
func (g *ground) gone(shape, dir string) {
	g.Helper()
	deadline := time.Now().Add(promptly)
	for _, file := range append([]string{"brood"}, shapes[shape].files...) {
		for pid := g.pidIn(filepath.Join(dir, file)); alive(pid); time.Sleep(5 * time.Millisecond) {
			if time.Now().After(deadline) {
				syscall.Kill(pid, syscall.SIGKILL)
				g.Fatalf("process %d (%s) is left behind", pid, file)
			}
		}
	}
}

// TestServeCancel: a call that is cancelled ends with everything that it has started, and the others go on.
func TestServeCancel(t *testing.T) {
	g := newGround(t)
	g.broodTool()
	eachWay(g, func(m *model) {
		going, end := context.WithCancel(context.Background())
		defer end()
		other, _ := m.breed(going, "child")
		for shape := range shapes {
			ctx, cancel := context.WithCancel(context.Background())
			dir, ended := m.breed(ctx, shape)
			cancel()
			m.gone(shape, dir)
			if err := <-ended; err == nil {
				m.Errorf("%s: the call was answered", shape)
			}
		}
		if !alive(m.pidIn(filepath.Join(other, "child"))) {
			m.Error("a call ended that was not cancelled")
		}
		if got := m.bash("echo still here"); got != "still here" {
			m.Errorf("got %q", got)
		}
	})
}

// TestServeEnds: when the client or a signal ends the server, it leaves nothing behind and has not failed.
func TestServeEnds(t *testing.T) {
	g := newGround(t)
	g.broodTool()
	for _, shape := range []string{"child", "double-fork", "deaf"} {
		for name, end := range map[string]func(server *exec.Cmd, stdin io.Closer){
			"end of input": func(_ *exec.Cmd, stdin io.Closer) { stdin.Close() },
			"SIGTERM":      func(server *exec.Cmd, _ io.Closer) { server.Process.Signal(syscall.SIGTERM) },
			"SIGINT":       func(server *exec.Cmd, _ io.Closer) { server.Process.Signal(syscall.SIGINT) },
		} {
			t.Run(shape+"/"+name, func(t *testing.T) {
				t.Parallel()
				g := &ground{t, g.project, g.home}
				m := &model{ground: g, server: g.command("mcp", "serve")}
				stdin, stdout := m.pipes()
				m.connect(oldEra, &sdk.IOTransport{Reader: stdout, Writer: stdin})
				dir, _ := m.breed(context.Background(), shape)
				end(m.server, stdin)
				m.left(0)
				m.gone(shape, dir)
			})
		}
		t.Run(shape+"/http/SIGTERM", func(t *testing.T) {
			t.Parallel()
			m := overHTTP(&ground{t, g.project, g.home}, newEra)
			dir, ended := m.breed(context.Background(), shape)
			m.server.Process.Signal(syscall.SIGTERM)
			m.gone(shape, dir)
			<-ended
		})
	}
}

// TestServeLastAnswers: who asks through a pipe has ended it before the answers are there, and gets them nevertheless.
func TestServeLastAnswers(t *testing.T) {
	g := newGround(t)
	m := &model{ground: g, server: g.command("mcp", "serve", "-p", g.project)}
	const call = `{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"execute","arguments":` +
		`{"item_id":"tool:rye/bash","parameters":{"command":"sleep %g"}}}}` + "\n"
	m.server.Stdin = strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18",` +
		`"capabilities":{},"clientInfo":{"name":"test","version":"1"}}}` + "\n" + `{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n" +
		`{"jsonrpc":"2.0","id":"two","method":"tools/list"}` + "\n" + fmt.Sprintf(call, 3, 0.2) + fmt.Sprintf(call, 4, 300.0) +
		fmt.Sprintf(call, 5, 300.0) + `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":5}}` + "\n")
	out, err := m.server.Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"id":1,"result":`, `"id":"two","result":`, `"id":3,.*"status":"success"`, `"id":4,.*the client has ended its input`} {
		if !regexp.MustCompile(want).Match(out) {
			t.Errorf("no %s in\n%s", want, out)
		}
	}
}

// pipes starts the server, and gives the ends of its streams.
func (m *model) pipes() (stdin io.WriteCloser, stdout io.ReadCloser) {
	m.Helper()
	stdin, err := m.server.StdinPipe()
	if err == nil {
		stdout, err = m.server.StdoutPipe()
	}
	if err == nil {
		err = m.server.Start()
	}
	if err != nil {
		m.Fatal(err)
	}
	return stdin, stdout
}

// left waits for the server, and requires its exit code.
func (m *model) left(code int) {
	m.Helper()
	late := time.AfterFunc(promptly, func() { m.server.Process.Kill() })
	defer late.Stop()
	m.server.Wait()
	if got := m.server.ProcessState.ExitCode(); got != code {
		m.Errorf("the server left with %d, want %d", got, code)
	}
}

// TestServeProgress: who asks for it hears how a long call goes, without its secrets, in growing numbers. The tool goes on
// when it was heard.
func TestServeProgress(t *testing.T) {
	g := newGround(t)
	g.write(".ai/tools/my/slow.yaml", `version: "1.0.0"
tool_type: tool
executor_id: rye/core/primitives/execute
category: my
description: "Takes its time"
config:
  command: sh
  args:
    - -c
    - |
      read line; echo "first $line"
      until [ -e "$0/first" ]; do sleep 0.01; done
      printf '\033[1msecond\033[0m\nopen'
      until [ -e "$0/running" ]; do sleep 0.01; done
    - "{folder}"
  input_data: "{params_json}"
config_schema:
  type: object
  properties: {token: {type: string, secret: true}, folder: {type: string}}
`)
	g.sign()
	eachWay(g, func(m *model) {
		dir := m.TempDir()
		params := m.params("execute", fields{"item_id": "tool:my/slow", "parameters": fields{"token": "canary-canary", "folder": dir}})
		params.SetProgressToken("p1")
		var said []string
		last := 0.0
		m.hear = func(p *sdk.ProgressNotificationParams) {
			if p.ProgressToken != "p1" || p.Progress <= last || strings.Contains(p.Message, "canary") || strings.Contains(p.Message, "open") {
				m.Errorf("%+v comes after %v", p, last)
			}
			last = p.Progress
			word, _, _ := strings.Cut(p.Message, " ")
			if said = append(said, word); word == "running" && !slices.Contains(said, "second") {
				return // a busy machine has not come to it yet
			}
			note(filepath.Join(dir, word), "heard")
		}
		if result, err := m.session.CallTool(context.Background(), params); err != nil || result.IsError {
			m.Fatalf("%+v, %v", result, err)
		}
	})
}

// TestServeLongAnswer: an answer that would fill the model's context is cut, and says so.
func TestServeLongAnswer(t *testing.T) {
	m := overStdio(newGround(t), newEra)
	answer, isError := m.call("execute", fields{"item_id": "tool:rye/bash", "parameters": fields{"command": "seq 100000"}})
	if length := len(fmt.Sprint(answer)); isError || length > 64<<10 || length < 16<<10 {
		t.Errorf("the answer has %d bytes", length)
	}
	data := answer["data"].(fields)
	if stdout := data["stdout"].(string); !strings.HasPrefix(stdout, "1\n2\n") || answer["cut"] == nil {
		t.Errorf("got %.100q …, cut: %v", stdout, answer["cut"])
	}
}
