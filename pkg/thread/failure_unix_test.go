//go:build unix

package thread

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/ryeos/rye/pkg/item"
)

func init() {
	helpers["full disk"] = func(dir string, _ []string) error { return fullDisk(dir) }
	helpers["read-only"] = func(dir string, _ []string) error { return readOnly(dir) }
}

// fullDisk writes until the system refuses to let the files grow, then makes room and goes on.
func fullDisk(dir string) error {
	ctx := context.Background()
	signal.Ignore(syscall.SIGXFSZ)
	s, err := Open(ctx, dir, Options{})
	if err != nil {
		return err
	}
	if _, err := s.Register(ctx, New{ID: "a", Item: "tool:x"}); err != nil {
		return err
	}
	var before unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_FSIZE, &before); err != nil {
		return err
	}
	limited := before
	limited.Cur = 300_000
	if err := unix.Setrlimit(unix.RLIMIT_FSIZE, &limited); err != nil {
		return err
	}
	payload, written := strings.Repeat("x", 10_000), int64(1) // the event of the registration
	for err = nil; err == nil && written < 1000; {
		if _, err = s.AppendEvent(ctx, "a", "fill", payload); err == nil {
			written++
		}
	}
	if item.TypeOf(err) != item.TypeUnavailable || len(item.HintsOf(err)) == 0 || !strings.Contains(err.Error(), s.path) {
		return fmt.Errorf("the error on a full disk: %v (%s)", err, item.TypeOf(err))
	}
	// A row that does not fit is not half there.
	if err := s.Finish(ctx, "a", Outcome{Status: Error, Error: strings.Repeat("x", 400_000)}); err == nil {
		return errors.New("the disk is full and a large row was written")
	}
	if err := unix.Setrlimit(unix.RLIMIT_FSIZE, &before); err != nil {
		return err
	}
	thread, err := s.find(ctx, "a")
	if err != nil || thread.Status != Created || thread.Error != "" {
		return fmt.Errorf("the thread is %s, %v", thread.Status, err)
	}
	if seq, err := s.AppendEvent(ctx, "a", "room again", nil); err != nil || seq != written+1 {
		return fmt.Errorf("event %d after %d, %v", seq, written, err)
	}
	return s.Close()
}

func TestFullDisk(t *testing.T) {
	dir := t.TempDir()
	mustRun(t, helper(t, "full disk", dir))
	s := open(t, dir)
	var integrity string
	if err := s.db.QueryRow(`PRAGMA integrity_check`).Scan(&integrity); err != nil || integrity != "ok" {
		t.Errorf("integrity: %s, %v", integrity, err)
	}
}

// readOnly becomes somebody whom nothing belongs to, if it is root, and tries everything.
func readOnly(dir string) error {
	if os.Getuid() == 0 {
		if err := syscall.Setuid(65534); err != nil {
			return err
		}
	}
	for name, folder := range map[string]string{"new": filepath.Join(dir, "new"), "no file": filepath.Join(dir, "empty"), "there": filepath.Join(dir, "there")} {
		s, err := Open(context.Background(), folder, Options{})
		if err == nil {
			_, err = s.Register(context.Background(), New{ID: "x", Item: "tool:x"})
		}
		if item.TypeOf(err) != item.TypePermission || !strings.Contains(err.Error(), dir) {
			return fmt.Errorf("%s: %v (%s)", name, err, item.TypeOf(err))
		}
	}
	return nil
}

func TestReadOnlyFolder(t *testing.T) {
	dir := t.TempDir()
	there := filepath.Join(dir, "there")
	if err := os.MkdirAll(filepath.Join(dir, "empty"), 0o755); err != nil {
		t.Fatal(err)
	}
	s, err := Open(t.Context(), there, Options{})
	if err != nil {
		t.Fatal(err)
	}
	register(t, s, New{ID: "a"})
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	for _, folder := range []string{there, filepath.Join(dir, "empty"), dir} {
		if err := os.Chmod(folder, 0o555); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { os.Chmod(folder, 0o755) })
	}
	if err := os.Chmod(filepath.Join(there, DatabaseName), 0o444); err != nil {
		t.Fatal(err)
	}
	mustRun(t, helper(t, "read-only", dir))
	if entries, err := os.ReadDir(there); err != nil || len(entries) != 2 { // the database and the folder of a
		t.Errorf("the attempts left %v, %v", entries, err)
	}
}

// TestFolderCannotBeMade: the row says that there was no run.
func TestFolderCannotBeMade(t *testing.T) {
	s := open(t, t.TempDir())
	if err := os.WriteFile(filepath.Join(s.dir, "x"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Register(t.Context(), New{ID: "x/y-1", Item: "tool:x"}); item.TypeOf(err) != item.TypePermission {
		t.Errorf("%v", err)
	}
	if got := get(t, s, "x/y-1"); got.Status != Error || !strings.Contains(got.Error, "folder") {
		t.Errorf("%s: %s", got.Status, got.Error)
	}
}
