//go:build unix

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ryeos/rye/internal/mcptest"
)

// TestRealArguments gives arguments of every type of JSON to a real server, over each transport. Nested ones are among the
// calls of TestRealServers.
func TestRealArguments(t *testing.T) {
	long := strings.Repeat("0123456789abcdef", 1<<14)
	calls := []realCall{
		{tool: "echo", params: `{"message": ""}`, says: `"text":"Echo: "`},
		{tool: "echo", params: `{"message": "` + long + `"}`, says: "Echo: " + long + `"`},
		{tool: "echo", params: `{"message": "\u0000 \u001b[31m $HOME {a} ${B} -- 'x' \ud83c\udf3e é"}`, says: `Echo: \u0000 \u001b[31m $HOME {a} ${B} -- 'x' 🌾 é"`},
		{tool: "get-sum", params: `{"a": -7, "b": 0}`, says: "sum of -7 and 0 is -7."},
		{tool: "get-sum", params: `{"a": 0.1, "b": 0.2}`, says: "is 0.30000000000000004."},
		{tool: "get-sum", params: `{"a": 9007199254740991, "b": -1e-7}`, says: "sum of 9007199254740991 and -1e-7 "},
		{tool: "get-sum", params: `{"a": 12345678901234567890123, "b": 1e300}`, says: "sum of 1.2345678901234568e+22 and 1e+300 "}, // as JavaScript holds it
		{tool: "get-annotated-message", params: `{"messageType": "debug", "includeImage": false}`, says: "Debug"},

		// These are against the schema, which is known before the server is asked.
		{tool: "echo", params: `{"message": null}`, code: exitUsage, says: "must be a string, got null"},
		{tool: "echo", params: `{"message": ["x"]}`, code: exitUsage, says: "must be a string"},
		{tool: "echo", params: `{"message": "x", "more": 1}`, code: exitUsage, says: `unknown parameter \"more\"`},
		{tool: "echo", params: `{}`, code: exitUsage, says: "missing required parameter: message"},
		{tool: "get-sum", params: `{"a": "2", "b": 40}`, code: exitUsage, says: "must be a number"},
		{tool: "get-sum", params: `{"a": true, "b": {}}`, code: exitUsage, says: "must be a number"},
		{tool: "get-annotated-message", params: `{"messageType": "loud"}`, code: exitUsage, says: "error, success, debug"},
		{tool: "get-resource-links", params: `{"count": 11}`, code: exitUsage, says: "10"},
	}
	overEach(t, func(r *realServers) {
		r.discover("everything")
		for _, c := range calls {
			r.execute("everything", c)
		}
		out := r.must("execute", "tool:mcp/everything/get-sum", "--a", "2", "--b=-0.5")
		if !strings.Contains(out, "sum of 2 and -0.5 is 1.5.") {
			r.t.Errorf("flags: %s", out)
		}
		out = r.must("mcp", "call", "everything", "echo", "--params", `{"message": "y", "more": [null, [], {}, [{"a": [1.5, true]}]]}`)
		if !strings.Contains(out, "Echo: y") {
			r.t.Errorf("what the schema does not name: %s", out)
		}
		out = r.must("execute", "tool:mcp/everything/echo", "--message", "5")
		if !strings.Contains(out, "Echo: 5") {
			r.t.Errorf("a text that looks like a number: %s", out)
		}
	})
}

// overEach runs a test against server-everything on standard streams and over HTTP.
func overEach(t *testing.T, test func(*realServers)) {
	t.Run("stdio", func(t *testing.T) {
		t.Parallel()
		r := newRealServers(t)
		r.program("everything", mcptest.Noted)
		test(r)
	})
	t.Run("http", func(t *testing.T) {
		t.Parallel()
		r := newRealServers(t)
		r.remoteEverything(nil)
		test(r)
	})
}

// TestRealErrors: what goes wrong is told apart, and what is wrong with a call is said before a server is started for it.
func TestRealErrors(t *testing.T) {
	overEach(t, func(r *realServers) {
		for _, c := range []struct {
			args []string
			code int
			says string
		}{
			{[]string{"mcp", "call", "everything", "nothing"}, exitFailed, "nothing not found"},
			{[]string{"mcp", "call", "everything", "echo", "--param", "message=null"}, exitFailed, "expected string, received null"},
			{[]string{"mcp", "call", "everything", "echo", "--param", `message={"a": 1}`}, exitFailed, "expected string, received object"},
			{[]string{"mcp", "call", "nobody", "echo"}, exitNotFound, "MCP server not found: nobody"},
			{[]string{"execute", "tool:mcp/everything/nothing"}, exitNotFound, "nothing"},
		} {
			out, code := r.rye(c.args...)
			if code != c.code || !strings.Contains(out, c.says) {
				r.t.Errorf("rye %v: left with %d, want %d, and said, want %q: %s", c.args, code, c.code, c.says, out)
			}
		}
	})
	t.Run("not started", func(t *testing.T) {
		t.Parallel()
		r := newRealServers(t)
		r.program("everything", mcptest.Noted)
		r.discover("everything")
		started, _ := os.ReadFile(r.pids)
		r.execute("everything", realCall{tool: "echo", params: `{"message": 1}`, code: exitUsage, says: "must be a string"})
		if now, _ := os.ReadFile(r.pids); string(now) != string(started) {
			t.Error("a server was started for a call that is against the schema")
		}
	})
	t.Run("gone", func(t *testing.T) {
		t.Parallel()
		r := newRealServers(t)
		r.configure("everything", map[string]any{"transport": "http", "url": fmt.Sprintf("http://127.0.0.1:%d/mcp", freePort(t))})
		if out, code := r.rye("mcp", "discover", "everything"); code != exitUnavailable {
			t.Errorf("left with %d: %s", code, out)
		}
		r.configure("memory", map[string]any{"command": "node", "args": []string{filepath.Join(r.files, "no-such-server.js")}})
		if out, code := r.rye("mcp", "discover", "memory"); code != exitUnavailable || !strings.Contains(out, "Cannot find module") {
			t.Errorf("left with %d: %s", code, out)
		}
	})
}
