package space_test

import (
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ryeos/rye/internal/ryetest"
	"github.com/ryeos/rye/pkg/item"
	"github.com/ryeos/rye/pkg/space"
)

func tool(id string) item.Ref { return item.Ref{Kind: item.Tool, ID: id} }

// labels shows places as "project:tools/x.py", without the folders of the test.
func labels(places []space.Place) []string {
	var out []string
	for _, p := range places {
		out = append(out, string(p.Space.Label)+":"+p.Rel)
	}
	return out
}

func TestFindPrefersProjectThenUserThenSystem(t *testing.T) {
	w := ryetest.New(t)
	w.Project.Write(".ai/tools/rye/bash.py", "")
	w.User.Write(".ai/tools/rye/bash.sh", "")

	want := []string{"project:tools/rye/bash.py", "user:tools/rye/bash.sh", "system:tools/rye/bash.yaml"}
	for _, s := range []*ryetest.Space{w.Project, w.User, nil} {
		found, err := w.Spaces().Find(tool("rye/bash"), true)
		if err != nil {
			t.Fatal(err)
		}
		if got := labels(append([]space.Place{found.Place}, found.Shadowed...)); !slices.Equal(got, want) {
			t.Errorf("got %v, want %v", got, want)
		}
		if s != nil {
			s.Remove(".ai/tools/rye")
			want = want[1:]
		}
	}
}

func TestFindTriesExtensionsInDeclaredOrder(t *testing.T) {
	w := ryetest.New(t)
	order := item.Tool.Extensions()
	for _, ext := range slices.Backward(order) {
		w.Project.Write(".ai/tools/my/x"+ext, "")
		found, err := w.Spaces().Find(tool("my/x"), true)
		if err != nil {
			t.Fatal(err)
		}
		if found.Rel != "tools/my/x"+ext || len(found.Shadowed) > 0 {
			t.Errorf("with %s and all after it: got %s, shadowing %v", ext, found.Rel, labels(found.Shadowed))
		}
	}
}

func TestFindKeepsDotsInIDs(t *testing.T) {
	w := ryetest.New(t)
	w.Project.Write(".ai/tools/a/b.test.yaml", "")
	if found, err := w.Spaces().Find(tool("a/b.test"), false); err != nil || found.Path() != "a/b.test.yaml" {
		t.Errorf("got %v, %v", found, err)
	}
}

func TestFindMisses(t *testing.T) {
	w := ryetest.New(t)
	w.Project.Write(".ai/tools/file.py", "")
	w.Project.Mkdir(".ai/tools/folder.py")
	for _, test := range []struct{ ref, message string }{
		{"tool:none", "Tool not found: none"},
		{"directive:none", "Directive not found: none"},
		{"knowledge:none", "Knowledge entry not found: none"},
		{"tool:folder", "Tool not found: folder"},           // a folder is no item
		{"tool:file.py/x", "Tool not found: file.py/x"},     // a file is no folder
		{"tool:no/such/dir", "Tool not found: no/such/dir"}, // nor is what does not exist
	} {
		ref, err := item.ParseRef(test.ref)
		if err != nil {
			t.Fatal(err)
		}
		_, err = w.Spaces().Find(ref, true)
		var missing *space.NotFoundError
		if !errors.As(err, &missing) || err.Error() != test.message {
			t.Errorf("%s: got %v", test.ref, err)
		}
	}
}

// untouchable is a disk that must not be looked at.
type untouchable struct{ t *testing.T }

func (u untouchable) Open(name string) (fs.File, error) {
	u.t.Errorf("%s was opened", name)
	return nil, fs.ErrNotExist
}

func TestFindRefusesBadIDsBeforeTouchingADisk(t *testing.T) {
	spaces := space.Spaces{space.Embedded(untouchable{t}, "")}
	for _, id := range []string{
		"", "..", "../x", "a/../b", "a/..", "./a", "/etc/passwd", "a//b", "a/", `a\b`, "a\x00b", "a\nb", "C:x", "a\u202eb",
		"a\xff", strings.Repeat("a/", 300) + "a", strings.Repeat("a", 201),
	} {
		if _, err := spaces.Find(tool(id), true); item.TypeOf(err) != item.TypeUsage {
			t.Errorf("%q: got %v", id, err)
		}
	}
}

func TestFromDropsSpacesOfHigherRank(t *testing.T) {
	w := ryetest.New(t)
	w.Project.Write(".ai/tools/x.py", "")
	spaces := w.Spaces()
	if _, err := spaces.From(space.Project).Find(tool("x"), false); err != nil {
		t.Error(err)
	}
	for _, label := range []space.Label{space.User, space.System} {
		var missing *space.NotFoundError
		if _, err := spaces.From(label).Find(tool("x"), false); !errors.As(err, &missing) {
			t.Errorf("from %s: got %v", label, err)
		}
	}
}

func TestConfigTiersAreInMergeOrder(t *testing.T) {
	w := ryetest.New(t)
	w.Project.Write(".ai/config/web/x.yaml", "")
	w.User.Write(".ai/config/web/x.yaml", "")
	w.System.Write(".ai/config/web/x.yaml", "")
	w.User.Write(".ai/config/one.yaml", "")
	w.User.Mkdir(".ai/config/folder.yaml")
	w.User.Write(".ai/config/file", "")
	for file, want := range map[string][]string{
		"web/x.yaml":  {"system:config/web/x.yaml", "user:config/web/x.yaml", "project:config/web/x.yaml"},
		"one.yaml":    {"user:config/one.yaml"},
		"none.yaml":   nil,
		"folder.yaml": nil,
		"file/x.yaml": nil,
	} {
		tiers, err := w.Spaces().ConfigTiers(file)
		if err != nil {
			t.Fatal(err)
		}
		if got := labels(tiers); !slices.Equal(got, want) {
			t.Errorf("%s: got %v, want %v", file, got, want)
		}
	}
}

func TestLocate(t *testing.T) {
	w := ryetest.New(t)
	for file, want := range map[string]string{
		w.Project.Path(".ai/tools/x.py"):          "project:tools/x.py",
		w.User.Path(".ai/tools/x/../y.py"):        "user:tools/y.py",
		w.Project.Path("src/x.py"):                "",
		w.Project.Path(".ai"):                     "",
		w.Project.Path(".aix/tools/x.py"):         "",
		filepath.Dir(w.Project.Base) + "/other/x": "",
	} {
		got := ""
		if s, rel, ok := w.Spaces().Locate(file); ok {
			got = string(s.Label) + ":" + rel
		}
		if got != want {
			t.Errorf("%s: got %q, want %q", file, got, want)
		}
	}
}
