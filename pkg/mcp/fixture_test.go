package mcp_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ryeos/rye/internal/mcptest"
	"github.com/ryeos/rye/pkg/item"
	"github.com/ryeos/rye/pkg/mcp"
	"github.com/ryeos/rye/pkg/process"
)

// TestMain lets this program be the hostile server.
func TestMain(m *testing.M) {
	if os.Getenv(mcptest.PIDFile) != "" {
		mcptest.Hostile()
		return
	}
	process.BecomeReaper()
	os.Exit(m.Run())
}

// hostile describes a server that misbehaves in these ways. At the end of the test none of its processes may be left.
func hostile(t *testing.T, ways ...string) *mcp.Server {
	t.Helper()
	pids := filepath.Join(t.TempDir(), "pids")
	t.Cleanup(func() { mcptest.Gone(t, pids) })
	return &mcp.Server{
		Name: "hostile", Transport: mcp.Stdio, Command: os.Args[0], Args: ways,
		Env:     map[string]string{mcptest.PIDFile: pids, "SECRET_KEY": "s3cr3t-canary"},
		Timeout: 2 * time.Second, StartTimeout: 2 * time.Second, MaxMessage: mcp.DefaultMaxMessage,
	}
}

// open begins a session that ends with the test, before its server is looked for.
func open(t *testing.T, s *mcp.Server) *mcp.Session {
	t.Helper()
	session := mcp.NewSession(s, mcp.Options{
		Dir: t.TempDir(), Env: []string{"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir()}, Lookup: lookup, Redact: hideCanary,
	})
	t.Cleanup(session.Close)
	return session
}

func lookup(command string) (string, error) {
	if filepath.IsAbs(command) {
		return command, nil
	}
	return process.Lookup(command, os.Getenv("PATH"), nil)
}

func echo(text string) map[string]any { return map[string]any{"text": text} }

// mustCall calls echo and requires its answer.
func mustCall(t *testing.T, session *mcp.Session, text string) {
	t.Helper()
	answer, err := session.Call(t.Context(), "echo", echo(text))
	if err != nil {
		t.Fatal(err)
	}
	if answer.Text != "echo: "+text {
		t.Fatalf("echo answered %q", answer.Text)
	}
}

// mustFail requires an error of that type, which says what people need to know.
func mustFail(t *testing.T, err error, want item.ErrorType) *item.Error {
	t.Helper()
	var failure *item.Error
	if !errors.As(err, &failure) {
		t.Fatalf("got %v, want an error of the type %s", err, want)
	}
	if failure.Type != want {
		t.Fatalf("got an error of the type %s, want %s: %v", failure.Type, want, err)
	}
	return failure
}

func hideCanary(text string) string { return strings.ReplaceAll(text, "s3cr3t-canary", "[redacted]") }
