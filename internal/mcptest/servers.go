package mcptest

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// install runs the script that installs the servers, once for a test program. Its output is their folder.
var install = sync.OnceValues(func() (string, error) {
	root, err := moduleRoot()
	if err != nil {
		return "", err
	}
	script := exec.Command("bash", filepath.Join(root, "scripts", "test-mcp-servers"))
	script.Stderr = os.Stderr
	out, err := script.Output()
	return strings.TrimSpace(string(out)), err
})

// Server is the program of a real MCP server, for node: everything, filesystem or memory. Without npm the test is skipped,
// or fails where that is not allowed.
func Server(t testing.TB, name string) string {
	t.Helper()
	if _, err := exec.LookPath("npm"); err != nil {
		if os.Getenv("RYE_TEST_DISALLOW_SKIP") == "1" {
			t.Fatal("npm is not installed, and skipping is not allowed")
		}
		t.Skip("npm is not installed")
	}
	folder, err := install()
	if err != nil {
		t.Fatalf("installing the MCP servers: %v", err)
	}
	return filepath.Join(folder, "node_modules", "@modelcontextprotocol", "server-"+name, "dist", "index.js")
}

// moduleRoot is the folder above the test's that holds go.mod.
func moduleRoot() (string, error) {
	dir, err := os.Getwd()
	for ; err == nil; dir = filepath.Dir(dir) {
		if _, statErr := os.Stat(filepath.Join(dir, "go.mod")); statErr == nil {
			return dir, nil
		} else if dir == filepath.Dir(dir) {
			err = statErr
		}
	}
	return "", err
}
