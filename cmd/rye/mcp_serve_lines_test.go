//go:build unix

package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestServeGarbage: lines that are no messages, or too long for one, are refused, and the next one is served.
func TestServeGarbage(t *testing.T) {
	g := newGround(t)
	m := &model{ground: g, server: g.command("mcp", "serve")}
	stdin, stdout := m.pipes()
	answers := bufio.NewReader(stdout)
	const huge = 64 << 20
	for _, tt := range []struct{ line, want string }{
		{"garbage", "-32700"},
		{"\x00\xff\xfe", "-32700"},
		{`{"jsonrpc":"2.0","id":1,"method":`, "-32700"},
		{`{"jsonrpc":"1.0","id":1,"method":"ping"}`, "-32600"},
		{`[{"jsonrpc":"2.0","id":1,"method":"ping"}]`, "-32600"},
		{`"` + strings.Repeat("[", 100_000), "-32700"},
		{`{"jsonrpc":"2.0","id":2,"method":"ping","params":{"x":"` + strings.Repeat("x", huge) + `"}}`, "longer than"},
		{`{"jsonrpc":"2.0","id":3,"method":"ping"}`, `"id":3,"result":{}`},
		{`{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"execute","arguments":[]}}`, `"id":4`},
		{`{"jsonrpc":"2.0","id":5,"method":"no/such"}`, `"id":5,"error"`},
	} {
		if _, err := io.WriteString(stdin, tt.line+"\n"); err != nil {
			t.Fatal(err)
		}
		answer, err := answers.ReadString('\n')
		if err != nil || !strings.Contains(answer, tt.want) || len(answer) > 1000 {
			t.Errorf("%.60q is answered with %.300q, %v", tt.line, answer, err)
		}
	}
	if memory := highWater(m.server.Process.Pid); memory > maxMemory && !raceDetector {
		t.Errorf("rye took %d MiB, want at most %d", memory>>20, maxMemory>>20)
	}
	stdin.Close()
	m.left(0)
}

// TestServeDeaf: a client that has closed its end and does not say so ends the server, too.
func TestServeDeaf(t *testing.T) {
	g := newGround(t)
	m := &model{ground: g, server: g.command("mcp", "serve")}
	var stderr bytes.Buffer
	m.server.Stderr = &stderr
	stdin, stdout := m.pipes()
	stdout.Close()
	for err := error(nil); err == nil; { // until it has noticed, and reads no more
		_, err = io.WriteString(stdin, `{"jsonrpc":"2.0","id":1,"method":"ping"}`+"\n")
	}
	m.left(0)
}

// TestServeStalled: a client that sends calls and reads no answers keeps nothing alive.
func TestServeStalled(t *testing.T) {
	g := newGround(t)
	g.broodTool()
	m := &model{ground: g, server: g.command("mcp", "serve")}
	stdin, _ := m.pipes()
	dir := t.TempDir()
	send := func(line string, args ...any) {
		if _, err := fmt.Fprintf(stdin, line+"\n", args...); err != nil {
			t.Fatal(err)
		}
	}
	send(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":%q,"capabilities":{},"clientInfo":{"name":"x","version":"1"}}}`, oldEra)
	const call = `{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"execute","_meta":{"progressToken":1},"arguments":{"project_path":%q,"item_id":%q,"parameters":%s}}}`
	for i := range 10 {
		send(call, 10+i, g.project, "tool:rye/bash", `{"command": "seq 20000"}`)
	}
	send(call, 2, g.project, "tool:brood/tool", fmt.Sprintf(`{"shape": "session", "folder": %q, "end": "stay"}`, dir))
	g.await(filepath.Join(dir, "ready"))
	m.server.Process.Signal(syscall.SIGTERM)
	m.left(0)
	g.gone("session", dir)
}
