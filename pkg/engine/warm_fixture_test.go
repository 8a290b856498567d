//go:build linux || darwin

package engine_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/ryeos/rye/internal/ryetest"
	"github.com/ryeos/rye/pkg/engine"
	"github.com/ryeos/rye/pkg/item"
)

// TestMain lets this program be the keeper that its tests start.
func TestMain(m *testing.M) {
	if len(os.Args) == 2 && os.Args[1] == engine.KeeperVerb {
		if err := engine.RunKeeper(context.Background(), os.Stdin); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	if len(os.Args) > 1 && os.Args[1] == engine.SandboxVerb {
		os.Exit(engine.RunSandboxed(os.Args[2:]))
	}
	os.Exit(m.Run())
}

// warmth is a world with two engines, of which one keeps interpreters.
type warmth struct {
	*ryetest.World
	t          *testing.T
	cold, warm *engine.Engine

	mu    sync.Mutex
	notes []string
}

func newWarmth(t *testing.T, options ...func(*engine.Options)) *warmth {
	t.Helper()
	w := &warmth{World: ryetest.New(t), t: t}
	binary, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	common := func(o *engine.Options) {
		o.Binary = binary
		o.Env = append(o.Env, "HOME="+w.User.Base, "LANG=C.UTF-8")
		for _, option := range options {
			option(o)
		}
	}
	w.cold = w.Engine(common)
	w.warm = w.Engine(common, func(o *engine.Options) {
		if o.PythonKeepAlive == 0 {
			o.PythonKeepAlive = time.Minute
		}
		o.Note = w.note
	})
	t.Cleanup(w.stop)
	return w
}

func (w *warmth) note(message string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.notes = append(w.notes, message)
}

// stop ends what is kept.
func (w *warmth) stop() {
	for _, k := range w.warm.Kept(context.Background()) {
		if err := w.warm.StopKept(context.Background(), k); err != nil {
			w.t.Error(err)
		}
	}
}

// keeper is the only one.
func (w *warmth) keeper() engine.Kept {
	w.t.Helper()
	all := w.warm.Kept(w.t.Context())
	if len(all) != 1 {
		w.t.Fatalf("%d keepers, not one: %+v", len(all), all)
	}
	return all[0]
}

// warmly asserts that no call since the last one like this was cold.
func (w *warmth) warmly() {
	w.t.Helper()
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.notes) > 0 {
		w.t.Errorf("a call was cold: %q", w.notes)
	}
	w.notes = nil
}

// coldly asserts that the last call was cold, and why.
func (w *warmth) coldly(reason string) {
	w.t.Helper()
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.notes) != 1 || !bytes.Contains([]byte(w.notes[0]), []byte(reason)) {
		w.t.Errorf("got %q, want one cold call because of %q", w.notes, reason)
	}
	w.notes = nil
}

// function is a warm tool. It may name more of its configuration.
func function(body string, more ...string) string {
	config := `CONFIG = {"warm": True`
	for _, entry := range more {
		config += ", " + entry
	}
	return "__version__ = \"1.0.0\"\n__tool_type__ = \"python\"\n__executor_id__ = \"rye/core/runtimes/python/function\"\n" +
		"__category__ = \"\"\n__tool_description__ = \"A test\"\n" + config + "}\n" + body + "\n"
}

// call runs a tool and keeps what it wrote while it ran.
func call(t *testing.T, e *engine.Engine, req item.Request) (resp *item.Response, stdout, stderr string) {
	t.Helper()
	var out, err bytes.Buffer
	resp = e.Execute(t.Context(), req, &out, &err)
	return resp, out.String(), err.String()
}
