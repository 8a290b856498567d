//go:build unix

package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ryeos/rye/internal/mcptest"
)

// realServers is a project that configures the MCP servers of the npm registry, and where those keep things.
type realServers struct {
	t                    *testing.T
	home, project, files string
	pids                 string // file to which every server adds its process id
}

// newRealServers makes the project. When the test ends no process of a server may be left.
func newRealServers(t *testing.T) *realServers {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	r := &realServers{
		t: t, home: filepath.Join(dir, "home"), project: filepath.Join(dir, "project"), files: filepath.Join(dir, "files"),
		pids: filepath.Join(dir, "pids"),
	}
	for _, folder := range []string{r.home, r.project, r.files} {
		if err := os.Mkdir(folder, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() {
		if _, err := os.Stat(r.pids); err == nil {
			mcptest.Gone(t, r.pids)
		}
	})
	r.must("init", "--yes")
	return r
}

// program configures a server that is started, by a script like mcptest.Noted.
func (r *realServers) program(name, script string) {
	r.t.Helper()
	words := []string{"-c", script, "sh", "node", mcptest.Server(r.t, name)}
	switch name {
	case "everything":
		words = append(words, "stdio")
	case "filesystem":
		words = append(words, r.files)
	}
	r.configure(name, map[string]any{
		"command": "sh", "args": words, "timeout": 60, "start_timeout": 60,
		"env": map[string]any{mcptest.PIDFile: r.pids, "MEMORY_FILE_PATH": filepath.Join(r.files, "memory.json")},
	})
}

func (r *realServers) configure(name string, config map[string]any) {
	r.t.Helper()
	config["version"], config["category"] = "1.0.0", "mcp/servers"
	data, err := json.Marshal(config) // which is YAML, too
	if err != nil {
		r.t.Fatal(err)
	}
	file := filepath.Join(r.project, ".ai", "config", "mcp", "servers", name+".yaml")
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		r.t.Fatal(err)
	}
	if err := os.WriteFile(file, data, 0o644); err != nil {
		r.t.Fatal(err)
	}
	r.must("sign", "config:mcp/servers/"+name)
}

// command is a run of rye in the project.
func (r *realServers) command(args ...string) *exec.Cmd {
	cmd := exec.Command("rye", args...)
	cmd.Dir = r.project
	cmd.Env = append(os.Environ(), "HOME="+r.home, "XDG_CACHE_HOME="+r.home+"/.cache", "XDG_CONFIG_HOME="+r.home+"/.config")
	return cmd
}

// rye runs rye and gives its output and exit code.
func (r *realServers) rye(args ...string) (string, int) {
	r.t.Helper()
	return r.run(r.command(args...))
}

func (r *realServers) run(cmd *exec.Cmd) (string, int) {
	r.t.Helper()
	out, err := cmd.Output()
	var failed *exec.ExitError
	if err != nil && !errors.As(err, &failed) {
		r.t.Fatal(err)
	}
	if failed != nil {
		return string(out) + string(failed.Stderr), failed.ExitCode()
	}
	return string(out), 0
}

func (r *realServers) must(args ...string) string {
	r.t.Helper()
	out, code := r.rye(args...)
	if code != 0 {
		r.t.Fatalf("rye %s left with %d: %s", strings.Join(args, " "), code, out)
	}
	return out
}

// discover has rye write the tools of a server, and lists their names.
func (r *realServers) discover(name string) []string {
	r.t.Helper()
	var found struct {
		Tools []struct{ Tool, State string }
	}
	if err := json.Unmarshal([]byte(r.must("mcp", "discover", name)), &found); err != nil {
		r.t.Fatal(err)
	}
	var tools []string
	for _, tool := range found.Tools {
		if tool.State != "new" {
			r.t.Errorf("%s is %s", tool.Tool, tool.State)
		}
		tools = append(tools, tool.Tool)
	}
	return tools
}

// remoteEverything configures server-everything over streamable HTTP, behind a proxy that passes every request to see first.
func (r *realServers) remoteEverything(see func(*http.Request)) {
	r.t.Helper()
	port := freePort(r.t)
	cmd := exec.Command("node", mcptest.Server(r.t, "everything"), "streamableHttp")
	cmd.Env = append(os.Environ(), fmt.Sprint("PORT=", port))
	if err := cmd.Start(); err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
	})
	target := &url.URL{Scheme: "http", Host: fmt.Sprint("127.0.0.1:", port)}
	waitForAnswer(r.t, target.String())
	proxy := httputil.NewSingleHostReverseProxy(target)
	proxy.FlushInterval = -1
	proxy.ErrorLog = log.New(io.Discard, "", 0) // rye hangs up when it is interrupted
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		if see != nil {
			see(req)
		}
		proxy.ServeHTTP(w, req)
	}))
	r.t.Cleanup(func() {
		server.CloseClientConnections()
		server.Close()
	})
	r.configure("everything", map[string]any{"transport": "http", "url": server.URL + "/mcp", "timeout": 60, "start_timeout": 60})
}

func freePort(t *testing.T) int {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	return listener.Addr().(*net.TCPAddr).Port
}

// waitForAnswer waits until something answers requests, whatever it says.
func waitForAnswer(t *testing.T, url string) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		if resp, err := http.Get(url); err == nil {
			resp.Body.Close()
			return
		}
	}
	t.Fatalf("nothing answers at %s", url)
}
