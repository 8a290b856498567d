package mcptest

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// Server is the program of a real MCP server, for node: everything, filesystem or memory.
func Server(t testing.TB, name string) string {
	t.Helper()
	return filepath.Join(Installed(t, "servers"), "node_modules", "@modelcontextprotocol", "server-"+name, "dist", "index.js")
}

// Installed is where the npm packages are that a folder beside this file names. Without npm the test is skipped, or fails
// where that is not allowed.
func Installed(t testing.TB, folder string) string {
	t.Helper()
	if _, err := exec.LookPath("npm"); err != nil {
		if os.Getenv("RYE_TEST_DISALLOW_SKIP") == "1" {
			t.Fatal("npm is not installed, and skipping is not allowed")
		}
		t.Skip("npm is not installed")
	}
	once, _ := installs.LoadOrStore(folder, sync.OnceValues(func() (string, error) { return install(folder) }))
	where, err := once.(func() (string, error))()
	if err != nil {
		t.Fatalf("installing the npm packages of internal/mcptest/%s: %v", folder, err)
	}
	return where
}

// installs are the folders that this test program has asked for.
var installs sync.Map

// install runs the script that installs a folder's packages. Its output is where they are.
func install(folder string) (string, error) {
	root, err := moduleRoot()
	if err != nil {
		return "", err
	}
	script := exec.Command("bash", filepath.Join(root, "scripts", "test-mcp-servers"), folder)
	script.Stderr = os.Stderr
	out, err := script.Output()
	return strings.TrimSpace(string(out)), err
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
