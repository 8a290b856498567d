package confine

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

func TestRealPath(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(dir, "real"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("real", filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{"link": "real", "link/absent/x": "real/absent/x", "absent": "absent"} {
		if got := RealPath(filepath.Join(dir, path)); got != filepath.Join(dir, want) {
			t.Errorf("%s: got %s", path, got)
		}
	}
	if got := RealPath("/absent"); got != "/absent" {
		t.Errorf("at the root: %s", got)
	}
}

func TestInside(t *testing.T) {
	for path, want := range map[string]bool{"/a": true, "/a/b": true, "/ab": false, "/": false, "/a/../b": false} {
		if got := Inside("/a", path); got != want {
			t.Errorf("%s: %t", path, got)
		}
	}
}

// TestControls: what each kind of kernel leaves open.
func TestControls(t *testing.T) {
	for _, c := range []struct {
		support          Support
		net              bool
		missing, serious []string
	}{
		{Support{ABI: 7, Seccomp: true}, false, nil, nil},
		{Support{ABI: 4, Seccomp: true}, false, []string{"landlock-ioctl", "landlock-scope"}, nil},
		{Support{ABI: 2, Seccomp: true}, true, []string{"landlock-truncate", "landlock-ioctl", "landlock-scope"}, []string{"landlock-truncate"}},
		{Support{ABI: 7}, false, []string{"seccomp", "net"}, []string{"seccomp", "net"}},
		{Support{ABI: 7}, true, []string{"seccomp"}, []string{"seccomp"}},
		{
			Support{Without: "not here"}, true,
			[]string{"landlock-fs", "landlock-truncate", "landlock-ioctl", "landlock-scope", "no_new_privs", "capabilities", "seccomp"},
			[]string{"landlock-fs", "landlock-truncate", "no_new_privs", "capabilities", "seccomp"},
		},
	} {
		var missing, serious []string
		for _, control := range c.support.Controls(c.net) {
			if control.Missing == "" {
				continue
			}
			missing = append(missing, control.Name)
			if control.Essential {
				serious = append(serious, control.Name)
			}
		}
		if !slices.Equal(missing, c.missing) || !slices.Equal(serious, c.serious) {
			t.Errorf("%+v: missing %v, of these essential %v", c.support, missing, serious)
		}
	}
}
