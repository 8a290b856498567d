package space_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/ryeos/rye/pkg/space"
)

func system(cache, script string) *space.Space {
	return space.Embedded(fstest.MapFS{
		"tools/x.sh":     {Data: []byte(script)},
		"tools/lib/y.py": {Data: []byte("y = 1\n")},
	}, cache)
}

func TestMaterialiseWritesOneFileReadOnly(t *testing.T) {
	cache := t.TempDir()
	file, err := system(cache, "#!/bin/sh\n").Materialise("tools/x.sh")
	if err != nil {
		t.Fatal(err)
	}
	if rel, err := filepath.Rel(cache, file); err != nil || !strings.HasSuffix(rel, "/.ai/tools/x.sh") || !strings.HasPrefix(rel, "system-") {
		t.Errorf("written to %s", file)
	}
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o500 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	if _, err := os.Stat(filepath.Join(filepath.Dir(file), "lib")); !os.IsNotExist(err) {
		t.Errorf("more than was asked for was written: %v", err)
	}
}

func TestMaterialiseWritesFolders(t *testing.T) {
	dir, err := system(t.TempDir(), "").Materialise("tools")
	if err != nil {
		t.Fatal(err)
	}
	if got := read(t, filepath.Join(dir, "lib/y.py")); got != "y = 1\n" {
		t.Errorf("got %q", got)
	}
}

func TestMaterialiseRepairsAChangedCache(t *testing.T) {
	cache := t.TempDir()
	file, err := system(cache, "#!/bin/sh\n").Materialise("tools/x.sh")
	if err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func() error{
		"other bytes of the same size": func() error { return os.WriteFile(file, []byte("#!/bin/xx\n"), 0o500) },
		"longer":                       func() error { return os.WriteFile(file, []byte("#!/bin/sh\nevil\n"), 0o500) },
		"gone":                         func() error { return nil },
		"a link elsewhere":             func() error { return os.Symlink("/bin/true", file) },
	} {
		if err := os.Remove(file); err != nil {
			t.Fatal(err)
		}
		if err := change(); err != nil {
			t.Fatal(err)
		}
		again, err := system(cache, "#!/bin/sh\n").Materialise("tools/x.sh")
		if err != nil || again != file {
			t.Fatalf("%s: got %s, %v", name, again, err)
		}
		if got := read(t, file); got != "#!/bin/sh\n" {
			t.Errorf("%s: got %q", name, got)
		}
	}
}

func TestMaterialiseKeepsVersionsApart(t *testing.T) {
	cache := t.TempDir()
	one, err1 := system(cache, "1").Materialise("tools/x.sh")
	two, err2 := system(cache, "2").Materialise("tools/x.sh")
	if err1 != nil || err2 != nil || one == two {
		t.Errorf("got %s and %s, %v, %v", one, two, err1, err2)
	}
}
