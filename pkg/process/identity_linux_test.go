package process

import (
	"context"
	"errors"
	"os"
	"syscall"
	"testing"
	"time"
)

func TestIdentitySignals(t *testing.T) {
	for name, tt := range map[string]struct {
		send func(Identity) error
		want syscall.Signal
	}{
		"terminate": {Identity.Terminate, syscall.SIGTERM},
		"kill":      {Identity.Kill, syscall.SIGKILL},
	} {
		t.Run(name, func(t *testing.T) {
			h := startHelper(t, "sleeper", "one")
			id, err := Identify(h.Process.Pid)
			if err != nil {
				t.Fatal(err)
			}
			for what, other := range map[string]Identity{
				"start": {id.PID, id.Start + 1, id.Boot},
				"boot":  {id.PID, id.Start, "another"},
				"none":  {},
				"group": {-id.PID, id.Start, id.Boot},
			} {
				if err := tt.send(other); !errors.Is(err, os.ErrProcessDone) {
					t.Errorf("another %s: %v", what, err)
				}
			}
			if !id.Alive() {
				t.Fatal("somebody else's signal ended it")
			}
			if err := tt.send(id); err != nil {
				t.Fatal(err)
			}
			if err := id.WaitGone(t.Context()); err != nil {
				t.Fatal(err)
			}
			if err := tt.send(id); !errors.Is(err, os.ErrProcessDone) {
				t.Errorf("a zombie: %v", err)
			}
			h.Wait()
			if got := h.ProcessState.Sys().(syscall.WaitStatus).Signal(); got != tt.want {
				t.Errorf("ended by %v", got)
			}
			if err := tt.send(id); !errors.Is(err, os.ErrProcessDone) {
				t.Errorf("after the end: %v", err)
			}
		})
	}
}

func TestWaitGone(t *testing.T) {
	waits := map[string]func(Identity, context.Context) error{"descriptor": Identity.WaitGone, "polling": Identity.poll}
	for name, wait := range waits {
		t.Run(name, func(t *testing.T) {
			h := startHelper(t, "sleeper", "one")
			id, err := Identify(h.Process.Pid)
			if err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithTimeoutCause(t.Context(), 20*time.Millisecond, errStop)
			defer cancel()
			if err := wait(id, ctx); err != errStop {
				t.Errorf("while it runs: %v", err)
			}
			if err := wait(Identity{id.PID, id.Start + 1, id.Boot}, t.Context()); err != nil {
				t.Errorf("of somebody else: %v", err)
			}
			before := openFiles(t)
			gone := make(chan error)
			go func() { gone <- wait(id, t.Context()) }()
			select {
			case err := <-gone:
				t.Fatalf("returned while it runs: %v", err)
			case <-time.After(20 * time.Millisecond):
			}
			if err := id.Kill(); err != nil {
				t.Fatal(err)
			}
			if err := <-gone; err != nil || id.Alive() {
				t.Errorf("alive %v, %v", id.Alive(), err)
			}
			if err := wait(id, ctx); err != nil {
				t.Errorf("after the end: %v", err)
			}
			if now := openFiles(t); now > before {
				t.Errorf("%d files are open, %d before", now, before)
			}
		})
	}
}
