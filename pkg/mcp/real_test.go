package mcp_test

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ryeos/rye/internal/mcptest"
	"github.com/ryeos/rye/pkg/item"
	"github.com/ryeos/rye/pkg/mcp"
)

// real describes a server from the npm registry. At the end of the test its process may not be left.
func real(t *testing.T, name string, args ...string) *mcp.Server {
	t.Helper()
	pids := filepath.Join(t.TempDir(), "pids")
	t.Cleanup(func() { mcptest.Gone(t, pids) })
	return &mcp.Server{
		Name: name, Transport: mcp.Stdio, Command: "sh", Args: append([]string{"-c", mcptest.Noted, "sh", "node", mcptest.Server(t, name)}, args...),
		Env:     map[string]string{mcptest.PIDFile: pids, "MEMORY_FILE_PATH": filepath.Join(t.TempDir(), "memory.json")},
		Timeout: time.Minute, StartTimeout: time.Minute, MaxMessage: mcp.DefaultMaxMessage,
	}
}

func TestRealEverything(t *testing.T) {
	session := open(t, real(t, "everything", "stdio"))
	tools, err := session.Tools(t.Context())
	if err != nil || len(tools) < 8 {
		t.Fatalf("got %d tools, %v", len(tools), err)
	}
	again, err := session.Tools(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for i, d := range tools {
		if d.Digest() != again[i].Digest() {
			t.Errorf("%s has another digest at the second look: %v", d.Name(), d.Diff(again[i]))
		}
	}
	sum, err := session.Call(t.Context(), "get-sum", map[string]any{"a": json.Number("2"), "b": json.Number("40")})
	if err != nil || !strings.Contains(sum.Text, "42") {
		t.Errorf("get-sum: %+v, %v", sum, err)
	}
	image, err := session.Call(t.Context(), "get-tiny-image", nil)
	if err != nil || !strings.Contains(fmt.Sprintf("%s", image.Content), `"mimeType":"image/png"`) {
		t.Errorf("get-tiny-image: %v", err)
	}
	structured, err := session.Call(t.Context(), "get-structured-content", map[string]any{"location": "New York"})
	if err != nil || structured.Structured == nil {
		t.Errorf("get-structured-content: %+v, %v", structured, err)
	}
	bad, err := session.Call(t.Context(), "get-sum", map[string]any{"a": "no number"})
	if err == nil && !bad.Failed {
		t.Error("get-sum took a text for a number")
	}
	unknown, err := session.Call(t.Context(), "no-such-tool", nil)
	if err == nil && !unknown.Failed {
		t.Error("a tool that does not exist was called")
	}
}

// TestRealParallel makes a hundred calls at once over one session; each gets its own answer.
func TestRealParallel(t *testing.T) {
	session := open(t, real(t, "everything", "stdio"))
	var all sync.WaitGroup
	for i := range 100 {
		all.Go(func() {
			answer, err := session.Call(t.Context(), "echo", map[string]any{"message": fmt.Sprint("call ", i)})
			if err != nil || answer.Text != fmt.Sprint("Echo: call ", i) {
				t.Errorf("call %d: %+v, %v", i, answer, err)
			}
		})
	}
	all.Wait()
}

// TestRealLongOperation: the timeout of a call ends it, also while the server reports progress.
func TestRealLongOperation(t *testing.T) {
	server := real(t, "everything", "stdio")
	server.Timeout = time.Second
	_, err := open(t, server).Call(t.Context(), "trigger-long-running-operation", map[string]any{"duration": 60, "steps": 600})
	mustFail(t, err, item.TypeTimeout)
}

// TestRealCancel: who does not want the answer any more does not wait for it.
func TestRealCancel(t *testing.T) {
	session := open(t, real(t, "everything", "stdio"))
	if _, err := session.Tools(t.Context()); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(100*time.Millisecond, cancel)
	started := time.Now()
	_, err := session.Call(ctx, "trigger-long-running-operation", map[string]any{"duration": 60, "steps": 600})
	mustFail(t, err, item.TypeInterrupted)
	if took := time.Since(started); took > 10*time.Second {
		t.Errorf("took %v", took)
	}
}

// TestRealMemory gives nested lists and objects to a server, and gets them back.
func TestRealMemory(t *testing.T) {
	session := open(t, real(t, "memory"))
	_, err := session.Call(t.Context(), "create_entities", map[string]any{"entities": []any{
		map[string]any{"name": "rye", "entityType": "grain", "observations": []any{"is grown in the north", "«quoted» \"text\"\n"}},
	}})
	if err != nil {
		t.Fatal(err)
	}
	graph, err := session.Call(t.Context(), "read_graph", nil)
	if err != nil || !strings.Contains(graph.Text, `«quoted» \"text\"\n`) {
		t.Fatalf("got %+v, %v", graph, err)
	}
}

func TestRealFilesystem(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	session := open(t, real(t, "filesystem", dir))
	file := filepath.Join(dir, "note.txt")
	if answer, err := session.Call(t.Context(), "write_file", map[string]any{"path": file, "content": "grown"}); err != nil || answer.Failed {
		t.Fatalf("write_file: %+v, %v", answer, err)
	}
	answer, err := session.Call(t.Context(), "read_text_file", map[string]any{"path": file})
	if err != nil || answer.Text != "grown" {
		t.Errorf("read_text_file: %+v, %v", answer, err)
	}
	outside, err := session.Call(t.Context(), "read_text_file", map[string]any{"path": "/etc/passwd"})
	if err != nil || !outside.Failed {
		t.Errorf("reading outside of the folder: %+v, %v", outside, err)
	}
}
