package builtin

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
)

// synced counts the calls that would have waited for the disk.
var synced atomic.Int32

func TestMain(m *testing.M) {
	syncFile = func(*os.File) error { synced.Add(1); return nil }
	os.Exit(m.Run())
}

// project is a folder to run tools in, through Run as the command line does.
type project struct {
	t   *testing.T
	dir string
}

// params saves the tests some typing.
type params = map[string]any

func newProject(t *testing.T, files map[string]string) *project {
	t.Helper()
	p := &project{t, filepath.Join(t.TempDir(), "project")}
	p.mkdir(".")
	for name, content := range files {
		p.put(name, content)
	}
	return p
}

func (p *project) path(name string) string { return filepath.Join(p.dir, filepath.FromSlash(name)) }

func (p *project) mkdir(name string) {
	p.t.Helper()
	if err := os.MkdirAll(p.path(name), 0o755); err != nil {
		p.t.Fatal(err)
	}
}

func (p *project) put(name, content string) {
	p.t.Helper()
	p.mkdir(filepath.Dir(name))
	if err := os.WriteFile(p.path(name), []byte(content), 0o644); err != nil {
		p.t.Fatal(err)
	}
}

func (p *project) get(name string) string {
	p.t.Helper()
	data, err := os.ReadFile(p.path(name))
	if err != nil {
		p.t.Fatal(err)
	}
	return string(data)
}

func (p *project) link(target, name string) {
	p.t.Helper()
	p.mkdir(filepath.Dir(name))
	if err := os.Symlink(target, p.path(name)); err != nil {
		p.t.Skipf("this system cannot make symbolic links: %v", err)
	}
}

// run gives the reply whatever it says.
func (p *project) run(name string, args any) map[string]any {
	p.t.Helper()
	stdin, ok := args.(string)
	if !ok {
		data, err := json.Marshal(args)
		if err != nil {
			p.t.Fatal(err)
		}
		stdin = string(data)
	}
	var stdout bytes.Buffer
	if err := FileSystem().Run(p.t.Context(), name, Call{Project: p.dir}, strings.NewReader(stdin), &stdout); err != nil {
		p.t.Fatal(err)
	}
	if n := strings.Count(stdout.String(), "\n"); n != 1 || !strings.HasSuffix(stdout.String(), "\n") {
		p.t.Fatalf("%s wrote %d lines, want one: %q", name, n, stdout.String())
	}
	var reply map[string]any
	if err := json.Unmarshal(stdout.Bytes(), &reply); err != nil {
		p.t.Fatalf("%s: %v in %q", name, err, stdout.String())
	}
	return reply
}

// ok runs a tool that must succeed.
func (p *project) ok(name string, args any) map[string]any {
	p.t.Helper()
	reply := p.run(name, args)
	if reply["success"] != true || reply["error"] != nil {
		p.t.Fatalf("%s %v failed: %v", name, args, reply["error"])
	}
	return reply
}

// fails runs a tool that must fail and gives its error.
func (p *project) fails(name string, args any) string {
	p.t.Helper()
	reply := p.run(name, args)
	message, _ := reply["error"].(string)
	if reply["success"] != false || message == "" {
		p.t.Fatalf("%s %v succeeded: %v", name, args, reply)
	}
	return message
}

// ids reads a file and gives the ids of its lines.
func (p *project) ids(name string) []string {
	p.t.Helper()
	reply := p.ok("file-system/read", params{"path": name, "limit": 1_000_000})
	var ids []string
	for _, l := range strings.Split(reply["output"].(string), "\n")[1:] {
		_, rest, _ := strings.Cut(l, ":")
		id, _, _ := strings.Cut(rest, "│ ")
		ids = append(ids, id)
	}
	return ids
}

func equal[T comparable](t *testing.T, what string, got, want T) {
	t.Helper()
	if got != want {
		t.Errorf("%s:\n got %v\nwant %v", what, got, want)
	}
}
