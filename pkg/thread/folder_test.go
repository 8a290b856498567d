package thread

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ryeos/rye/pkg/item"
)

// project makes a project with .ai and says where its registry would be.
func project(t *testing.T) (root, dir string) {
	t.Helper()
	root = t.TempDir()
	if err := os.Mkdir(filepath.Join(root, ".ai"), 0o700); err != nil {
		t.Fatal(err)
	}
	return root, filepath.Join(root, ".ai", "state", "threads")
}

func openIn(t *testing.T, root, dir string) error {
	t.Helper()
	s, err := Open(t.Context(), dir, Options{Root: root})
	if err == nil {
		s.Close()
	}
	return err
}

// TestOpenStaysInTheProject: a link that came with the project takes the registry nowhere else, and the error names it.
func TestOpenStaysInTheProject(t *testing.T) {
	for name, link := range map[string]string{
		"state": ".ai/state", "threads": ".ai/state/threads", "database": ".ai/state/threads/" + DatabaseName,
		"log": ".ai/state/threads/" + DatabaseName + "-wal",
	} {
		for _, target := range []string{"", "gone"} {
			outside := t.TempDir()
			root, dir := project(t)
			path := filepath.Join(root, filepath.FromSlash(link))
			if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.Symlink(filepath.Join(outside, target), path); err != nil {
				t.Fatal(err)
			}
			err := openIn(t, root, dir)
			if item.TypeOf(err) != item.TypePermission || !strings.Contains(err.Error(), path) || !strings.Contains(strings.Join(item.HintsOf(err), ""), "rm "+path) {
				t.Errorf("%s: %v, %v", name, err, item.HintsOf(err))
			}
			if entries, _ := os.ReadDir(outside); len(entries) > 0 {
				t.Errorf("%s: something was made outside: %v", name, entries)
			}
		}
	}
	root, _ := project(t)
	if err := openIn(t, root, t.TempDir()); item.TypeOf(err) != item.TypePermission {
		t.Errorf("another folder: %v", err)
	}
}

// TestOpenFollowsLinksInside: a project behind a link, and a link that stays in the project.
func TestOpenFollowsLinksInside(t *testing.T) {
	root, dir := project(t)
	if err := os.Mkdir(filepath.Join(root, "elsewhere"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("../elsewhere", filepath.Dir(dir)); err != nil {
		t.Fatal(err)
	}
	alias := filepath.Join(t.TempDir(), "alias")
	if err := os.Symlink(root, alias); err != nil {
		t.Fatal(err)
	}
	if err := openIn(t, alias, filepath.Join(alias, ".ai", "state", "threads")); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(root, "elsewhere", "threads", DatabaseName)); err != nil {
		t.Error(err)
	}
	if here, there := open(t, dir), open(t, filepath.Join(alias, ".ai", "state", "threads")); here.RunTag("a") != there.RunTag("a") {
		t.Error("the tag of a run depends on the way to the project")
	}
}

func TestStateIsIgnored(t *testing.T) {
	root, dir := project(t)
	ignore := filepath.Join(root, ".ai", "state", ".gitignore")
	if err := openIn(t, root, dir); err != nil {
		t.Fatal(err)
	}
	if data, err := os.ReadFile(ignore); err != nil || string(data) != "*\n" {
		t.Errorf("%q, %v", data, err)
	}
	if err := os.Remove(ignore); err != nil {
		t.Fatal(err)
	}
	if err := openIn(t, root, dir); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(ignore); err == nil {
		t.Error("what a person removed is back")
	}

	root, dir = project(t)
	ignore = filepath.Join(root, ".ai", "state", ".gitignore")
	if err := os.Mkdir(filepath.Dir(ignore), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(ignore, []byte("mine\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := openIn(t, root, dir); err != nil {
		t.Fatal(err)
	}
	if data, _ := os.ReadFile(ignore); string(data) != "mine\n" {
		t.Errorf("a .gitignore was changed to %q", data)
	}

	root, dir = project(t)
	open(t, dir)
	if _, err := os.Stat(filepath.Join(root, ".ai", "state", ".gitignore")); err == nil {
		t.Error("without a project there is nothing to ignore")
	}
}

// TestRegisterStaysInTheFolder: the id of a thread leads through a link that was planted.
func TestRegisterStaysInTheFolder(t *testing.T) {
	s := open(t, t.TempDir())
	outside := t.TempDir()
	if err := os.Symlink(outside, filepath.Join(s.dir, "a")); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Register(t.Context(), New{ID: "a/b-1", Item: "tool:x"}); item.TypeOf(err) != item.TypePermission {
		t.Errorf("%v", err)
	}
	if entries, _ := os.ReadDir(outside); len(entries) > 0 {
		t.Errorf("something was made outside: %v", entries)
	}
}

func TestRunTag(t *testing.T) {
	s, other := open(t, t.TempDir()), open(t, t.TempDir())
	long := strings.Repeat("é", 100)
	seen := map[string]bool{}
	for _, id := range []string{"a/b-1", "a.b-1", "a", long, long + "x"} {
		for _, store := range []*Store{s, other} {
			tag := store.RunTag(id)
			if seen[tag] || strings.Contains(tag, "/") || len(tag) > 100 || tag != store.RunTag(id) {
				t.Errorf("%s: %s", id, tag)
			}
			seen[tag] = true
		}
	}
}
