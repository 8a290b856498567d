package filelock_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/ryeos/rye/pkg/filelock"
)

func TestTry(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	open := func() *os.File {
		file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { file.Close() })
		return file
	}
	for _, exclusive := range []bool{true, false} {
		first, second := open(), open()
		if err := filelock.Try(first, exclusive); err != nil {
			t.Fatal(err)
		}
		if err := filelock.Try(second, true); !filelock.Held(err) {
			t.Errorf("beside a lock (exclusive %v) another is taken alone: %v", exclusive, err)
		}
		if err := filelock.Try(second, false); filelock.Held(err) != exclusive {
			t.Errorf("beside a lock (exclusive %v) another is shared: %v", exclusive, err)
		}
		first.Close()
		if err := filelock.Try(second, true); err != nil {
			t.Errorf("after a lock (exclusive %v): %v", exclusive, err)
		}
		second.Close()
	}
	if filelock.Held(nil) || filelock.Held(os.ErrClosed) {
		t.Error("errors that say nothing of the lock do")
	}
}
