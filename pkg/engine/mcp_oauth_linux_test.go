package engine_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/ryeos/rye/internal/ryetest"
	"github.com/ryeos/rye/pkg/engine"
)

// TestOpenBrowser: the page is one argument of the system's opener, which is not looked for in the project.
func TestOpenBrowser(t *testing.T) {
	w, bin := ryetest.New(t), t.TempDir()
	opened, page := filepath.Join(bin, "opened"), "https://a.example/?q=$(touch x)&b=' \""
	script := "#!/bin/sh\nprintf '%s|%s' \"$#\" \"$1\" > '" + opened + ".new'; mv '" + opened + ".new' '" + opened + "'\n"
	must(t, os.WriteFile(filepath.Join(bin, "xdg-open"), []byte(script), 0o755))
	planted := w.Project.Write("bin/xdg-open", "#!/bin/sh\n")
	must(t, os.Chmod(planted, 0o755))
	env := func(o *engine.Options) {
		o.Env = []string{"PATH=" + filepath.Dir(planted) + ":" + bin + ":/usr/bin:/bin"}
	}
	must(t, w.Engine(env).OpenBrowser(page))
	for deadline := time.Now().Add(10 * time.Second); ; time.Sleep(5 * time.Millisecond) {
		if data, err := os.ReadFile(opened); err == nil {
			if want := "1|" + page; string(data) != want {
				t.Errorf("got %q, want %q", data, want)
			}
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("nothing was opened")
		}
	}
}
