//go:build unix

package builtin

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// withoutHanging fails the test when f takes longer than any tool may; the goroutine left behind ends with the process.
func withoutHanging(t *testing.T, what string, f func()) {
	t.Helper()
	done := make(chan struct{})
	go func() { defer close(done); f() }()
	select {
	case <-done:
	case <-time.After(20 * time.Second):
		t.Fatalf("%s hangs", what)
	}
}

// makeSocket works in the folder because the address of a socket must be short, and temporary folders are not.
func makeSocket(t *testing.T, folder, name string) {
	t.Helper()
	t.Chdir(folder)
	fd, err := syscall.Socket(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { syscall.Close(fd) })
	if err := syscall.Bind(fd, &syscall.SockaddrUnix{Name: name}); err != nil {
		t.Fatal(err)
	}
}

func TestSpecialFiles(t *testing.T) {
	p := newProject(t, map[string]string{"plain.txt": "secret\n"})
	if err := syscall.Mkfifo(p.path("pipe"), 0o644); err != nil {
		t.Fatal(err)
	}
	makeSocket(t, p.dir, "socket")
	p.link("pipe", "link")
	for _, path := range []string{"pipe", "socket", "link"} {
		for tool, args := range everyTool(path) {
			withoutHanging(t, tool+" "+path, func() {
				got, _ := p.run("file-system/"+tool, args)["error"].(string)
				if !strings.Contains(got, "Not a regular file") && !strings.Contains(got, "not a directory") {
					t.Errorf("%s %s: %q", tool, path, got)
				}
			})
		}
	}
	withoutHanging(t, "searching", func() {
		equal(t, "grep", p.ok("file-system/grep", params{"pattern": "secret"})["count"], any(1.0))
		equal(t, "glob", p.ok("file-system/glob", params{"pattern": "*"})["output"], any("plain.txt"))
		equal(t, "ls", p.ok("file-system/ls", params{})["output"], any("link\npipe\nplain.txt\nsocket"))
	})
	withoutHanging(t, "opening a pipe after the check", func() {
		w, err := openWorkspace(p.dir)
		if err != nil {
			t.Error(err)
			return
		}
		defer w.close()
		if f, err := w.open("pipe"); err == nil {
			f.Close()
		}
	})
}

func TestModeIsKept(t *testing.T) {
	p := newProject(t, map[string]string{"run.sh": "one\n", "fixed.txt": "one\n"})
	for name, mode := range map[string]os.FileMode{"run.sh": 0o766, "fixed.txt": 0o444} {
		if err := os.Chmod(p.path(name), mode); err != nil {
			t.Fatal(err)
		}
	}
	id := p.ids("run.sh")[0]
	p.ok("file-system/edit_lines", params{"path": "run.sh", "changes": []params{{"line_id": id, "new_content": "two"}}})
	p.ok("file-system/write", params{"path": "run.sh", "content": "three\n"})
	info, err := os.Stat(p.path("run.sh"))
	if err != nil || info.Mode().Perm() != 0o766 {
		t.Errorf("mode is %v, %v", info.Mode(), err)
	}
	equal(t, "read-only", p.fails("file-system/write", params{"path": "fixed.txt", "content": ""}), "File is read-only: fixed.txt")
	left, _ := filepath.Glob(p.path(".rye-*"))
	if len(left) > 0 {
		t.Errorf("temporary files are left: %v", left)
	}
}

func TestUmaskHoldsForNewFiles(t *testing.T) {
	p := newProject(t, nil)
	old := syscall.Umask(0o077)
	defer syscall.Umask(old)
	p.ok("file-system/write", params{"path": "new.txt", "content": ""})
	if info, err := os.Stat(p.path("new.txt")); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode is %v, %v", info.Mode(), err)
	}
}
