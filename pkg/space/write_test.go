package space_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/ryeos/rye/pkg/space"
)

func write(t *testing.T, file, content string, mode os.FileMode) {
	t.Helper()
	if err := os.WriteFile(file, []byte(content), mode); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, file string) string {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func TestWriteFileKeepsPermissionsAndLeavesNothingBehind(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "x.sh")
	write(t, file, "old and longer", 0o755)
	if err := space.WriteFile(dir, "x.sh", []byte("new")); err != nil {
		t.Fatal(err)
	}
	if got := read(t, file); got != "new" {
		t.Errorf("got %q", got)
	}
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o755 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	if entries, _ := os.ReadDir(dir); len(entries) != 1 {
		t.Errorf("left behind: %v", entries)
	}
}

func TestWriteFileFollowsLinksButNeverOut(t *testing.T) {
	dir, outside := t.TempDir(), t.TempDir()
	write(t, filepath.Join(dir, "real"), "old", 0o644)
	write(t, filepath.Join(outside, "secret"), "old", 0o644)
	for link, target := range map[string]string{
		"inside": "real", "out": "../" + filepath.Base(outside) + "/secret", "absolute": filepath.Join(outside, "secret"),
		"loop": "loop",
	} {
		if err := os.Symlink(target, filepath.Join(dir, link)); err != nil {
			t.Fatal(err)
		}
	}
	if err := space.WriteFile(dir, "inside", []byte("new")); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Lstat(filepath.Join(dir, "inside")); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link was replaced: %v, %v", info, err)
	}
	if got := read(t, filepath.Join(dir, "real")); got != "new" {
		t.Errorf("the link's target: got %q", got)
	}
	for _, link := range []string{"out", "absolute", "loop", "../x", "missing/x"} {
		if err := space.WriteFile(dir, link, []byte("new")); err == nil {
			t.Errorf("%s was written", link)
		}
	}
	if got := read(t, filepath.Join(outside, "secret")); got != "old" {
		t.Errorf("the file outside: got %q", got)
	}
}
