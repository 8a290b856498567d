//go:build linux

package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/ryeos/rye/pkg/thread"
)

// finishTool waits until it may end, and has a result then that needs space.
const finishTool = `# CONFIG_SCHEMA = {"type": "object", "properties": {"folder": {"type": "string"}}}
touch "$RYE_PARAM_FOLDER/ready"
until [ -e "$RYE_PARAM_FOLDER/go" ]; do sleep 0.01; done
for i in {1..3000}; do echo "line $i of the result"; done
touch "$RYE_PARAM_FOLDER/done"
`

// finishes lets the results of detached runs come to a full disk, and counts those that were recorded once there was room.
func (c *tally) finishes(count int) (recorded int) {
	d, err := newDisk(c.b)
	for i := range count {
		if err == nil {
			err = d.clear()
		}
		if err == nil {
			err = finishFull(c.b, c.template, d)
		}
		if err != nil {
			c.breakf("result %d for a full disk: %v", i, err)
			return recorded
		}
		recorded++
	}
	return recorded
}

func finishFull(b *binaries, t *template, d *disk) error {
	beside, err := os.MkdirTemp(b.dir, "beside-")
	if err != nil {
		return err
	}
	w, err := t.lay(deed{}, filepath.Join(beside, "home"), filepath.Join(d.dir, "project"))
	if err != nil {
		return err
	}
	l, err := w.launch("tool:finish", "--folder", beside)
	if err != nil {
		return err
	}
	if err := awaitFile(filepath.Join(beside, "ready")); err != nil {
		return err
	}
	if err := d.fill(0); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(beside, "go"), nil, 0o600); err != nil {
		return err
	}
	if err := awaitFile(filepath.Join(beside, "done")); err != nil {
		return err
	}
	if err := findsNoRoom(w, l); err != nil {
		return err
	}
	if err := d.makeRoom(); err != nil {
		return err
	}
	rows, err := w.settled(time.Minute, l.ID)
	if err != nil {
		return err
	}
	result, err := resultOf(w, l.ID)
	if err != nil || rows[0].Status != thread.Completed || !strings.Contains(result, "line 3000 of the result") {
		return fmt.Errorf("the run is %s, its result has %d bytes: %v", rows[0].Status, len(result), err)
	}
	return w.integrity()
}

// findsNoRoom makes sure that the end could not be recorded at once: the tool is gone, its runner is not, and for a while
// nothing changes.
func findsNoRoom(w *world, l launched) error {
	for deadline := time.Now().Add(500 * time.Millisecond); time.Now().Before(deadline); time.Sleep(50 * time.Millisecond) {
		if !running(l.PID) {
			return fmt.Errorf("the runner gave up, or had room: %s", w.run("threads", "show", l.ID).stdout)
		}
	}
	return nil
}

func resultOf(w *world, id string) (string, error) {
	ctx := context.Background()
	store, err := thread.Open(ctx, w.registry(), thread.Options{Existing: true})
	if err != nil {
		return "", err
	}
	defer store.Close()
	result, err := store.Result(ctx, id)
	return string(result), err
}

// awaitFile waits for a file that a tool makes.
func awaitFile(path string) error {
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(2 * time.Millisecond) {
		if _, err := os.Stat(path); err == nil {
			return nil
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("%s did not appear", strconv.Quote(path))
		}
	}
}
