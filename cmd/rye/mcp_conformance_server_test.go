package main

import (
	"encoding/json"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"syscall"
	"testing"
	"time"
)

// TestConformanceServer has the official suite test rye as a server.
func TestConformanceServer(t *testing.T) {
	url := serveForSuite(t)
	conformance(t, "server", func(*testing.T) []string { return []string{"--url", url} })
}

// serveForSuite starts `rye mcp serve` for a project of its own and gives the address of a proxy in front of it that adds the
// token, which the suite cannot send. All else passes through as it is, the names for this machine too.
func serveForSuite(t *testing.T) string {
	t.Helper()
	const token = "a-token-that-only-this-test-knows"
	home, err := os.MkdirTemp("", "rye-conformance-") // not the test's, whose subtests run on when it returns
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("rye", "mcp", "serve", "--http", "127.0.0.1:0", "--output", "json")
	cmd.Dir = home
	cmd.Env = append(os.Environ(), "HOME="+home, "XDG_CACHE_HOME="+home, "XDG_CONFIG_HOME="+home, "RYE_MCP_TOKEN="+token)
	cmd.Stderr = t.Output()
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		kill := time.AfterFunc(10*time.Second, func() { cmd.Process.Kill() })
		cmd.Process.Signal(syscall.SIGTERM)
		if err := cmd.Wait(); err != nil {
			t.Errorf("the server ended with %v", err)
		}
		kill.Stop()
		os.RemoveAll(home)
	})
	var announced struct{ URL string }
	if err := json.NewDecoder(out).Decode(&announced); err != nil {
		t.Fatalf("the server does not say where it is: %v", err)
	}
	target, err := url.Parse(announced.URL)
	if err != nil {
		t.Fatal(err)
	}
	proxy := httptest.NewServer(&httputil.ReverseProxy{FlushInterval: -1, Rewrite: func(r *httputil.ProxyRequest) {
		r.Out.URL.Scheme, r.Out.URL.Host = target.Scheme, target.Host
		r.Out.Header.Set("Authorization", "Bearer "+token)
	}})
	t.Cleanup(proxy.Close)
	return proxy.URL + target.Path
}
