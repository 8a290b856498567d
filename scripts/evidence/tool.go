//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/ryeos/rye/pkg/thread"
)

// toolHead makes a bash script a tool; its parameters are RYE_PARAM_ variables.
const toolHead = `#!/usr/bin/env bash
# __version__ = "1.0.0"
# __tool_type__ = "bash"
# __executor_id__ = "rye/core/runtimes/bash/bash"
# __category__ = ""
# __tool_description__ = "One of the figures"
`

// withTools is a world with a key and signed bash tools: scripts by their names.
func (b *binaries) withTools(tools map[string]string) (*world, error) {
	w, err := b.newWorld(b.rye)
	if err != nil {
		return nil, err
	}
	return w, w.addTools(tools)
}

func (w *world) addTools(tools map[string]string) error {
	if err := w.must("init"); err != nil {
		return err
	}
	for name, script := range tools {
		if err := os.WriteFile(w.toolFile(name), []byte(toolHead+script), 0o644); err != nil {
			return err
		}
	}
	return w.must("sign", "--all")
}

func (w *world) toolFile(name string) string {
	return filepath.Join(w.project, ".ai", "tools", name+".sh")
}

// must is run for what is not measured.
func (w *world) must(args ...string) error {
	if a := w.run(args...); a.code != 0 {
		return fmt.Errorf("rye %v: exit %d\n%s%s", args, a.code, a.stdout, a.stderr)
	}
	return nil
}

// launched is the answer of `rye execute --async`.
type launched struct {
	ID     string `json:"thread_id"`
	PID    int    `json:"pid"`
	Status string `json:"status"`
	Error  string `json:"error"`
}

func (w *world) launch(args ...string) (l launched, err error) {
	a := w.run(append([]string{"-o", "json", "execute", "--async"}, args...)...)
	if err := a.decode(&l); err != nil {
		return l, err
	}
	if l.ID == "" {
		return l, fmt.Errorf("the launch failed: %s", l.Error)
	}
	return l, nil
}

// settled waits for the end of threads and returns their rows, in this process.
func (w *world) settled(patience time.Duration, ids ...string) ([]thread.Thread, error) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	store, err := thread.Open(ctx, w.registry(), thread.Options{Existing: true})
	if err != nil {
		return nil, err
	}
	defer store.Close()
	var rows []thread.Thread
	var failures []error
	for _, id := range ids {
		row, err := store.Wait(ctx, id)
		rows, failures = append(rows, row), append(failures, err)
	}
	return rows, errors.Join(failures...)
}
