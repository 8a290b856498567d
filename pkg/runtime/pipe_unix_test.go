//go:build unix

package runtime_test

import (
	"syscall"
	"testing"
	"time"

	"github.com/ryeos/rye/pkg/runtime"
)

// A named pipe in the place of .env must not make rye wait for someone to write to it.
func TestPipeAsDotEnvDoesNotBlock(t *testing.T) {
	w, in := yamlTool(t, "config: {command: /bin/true}")
	if err := syscall.Mkfifo(w.Project.Path(".env"), 0o600); err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() {
		_, err := runtime.NewPlan(in)
		done <- err
	}()
	select {
	case err := <-done:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(10 * time.Second):
		t.Fatal("reading a pipe blocks")
	}
}
