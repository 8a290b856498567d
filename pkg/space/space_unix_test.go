//go:build unix

package space_test

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/ryeos/rye/internal/ryetest"
	"github.com/ryeos/rye/pkg/item"
)

func TestLinksOutOfTheSpaceAreRefused(t *testing.T) {
	w := ryetest.New(t)
	w.Project.Write("outside.py", "secret")
	w.Project.Write(".ai/tools/real.py", "inside")
	w.Project.Mkdir(".ai/tools/my")
	for link, target := range map[string]string{
		"my/out.py": "../../../outside.py", "my/absolute.py": w.Project.Path("outside.py"), "my/in.py": "../real.py",
		"folder": "../..",
	} {
		if err := os.Symlink(target, w.Project.Path(".ai/tools/"+link)); err != nil {
			t.Fatal(err)
		}
	}
	for _, id := range []string{"my/out", "my/absolute", "folder/outside"} {
		if found, err := w.Spaces().Find(tool(id), false); item.TypeOf(err) != item.TypeIntegrity {
			t.Errorf("%s: got %v, %v", id, found, err)
		}
	}
	found, err := w.Spaces().Find(tool("my/in"), false)
	if err != nil {
		t.Fatal(err)
	}
	if data, _, err := found.Read(); err != nil || string(data) != "inside" {
		t.Errorf("a link inside: got %q, %v", data, err)
	}
}

// A named pipe in the place of a file must not make rye wait for someone to write to it.
func TestPipesDoNotBlock(t *testing.T) {
	w := ryetest.New(t)
	w.Project.Write(".ai/tools/x.py", "")
	for _, name := range []string{"pipe.py", "x.py.rye-sig"} {
		if err := syscall.Mkfifo(filepath.Join(w.Project.Path(".ai/tools"), name), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		if _, err := w.Spaces()[0].ReadFile("tools/pipe.py"); err == nil {
			t.Error("a pipe was read")
		}
		if found, err := w.Spaces().Find(tool("x"), false); err != nil {
			t.Error(err)
		} else if _, _, err := found.Read(); err == nil {
			t.Error("a pipe was read as a signature")
		}
	}()
	select {
	case <-done:
	case <-time.After(10 * time.Second):
		t.Fatal("reading a pipe blocks")
	}
}
