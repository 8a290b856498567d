package space_test

import (
	"path"
	"slices"
	"testing"

	"github.com/ryeos/rye/internal/ryetest"
	"github.com/ryeos/rye/pkg/item"
)

func TestListPutsTheWinnerBeforeWhatItShadows(t *testing.T) {
	w := ryetest.New(t)
	w.System.Write(".ai/tools/my/a.py", "")
	w.User.Write(".ai/tools/my/a.py", "")
	w.Project.Write(".ai/tools/my/a.yaml", "")
	w.Project.Write(".ai/tools/my/a.sh", "")
	w.User.Write(".ai/tools/my/b.py", "")
	entries, err := w.Spaces().List(item.Tool)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range entries {
		if path.Dir(e.Ref.ID) != "my" {
			continue
		}
		by := ""
		if e.ShadowedBy != nil {
			by = " < " + e.ShadowedBy.Rel
		}
		got = append(got, string(e.Space.Label)+":"+e.Rel+by)
	}
	want := []string{
		"project:tools/my/a.yaml", "project:tools/my/a.sh < tools/my/a.yaml", "user:tools/my/a.py < tools/my/a.yaml",
		"system:tools/my/a.py < tools/my/a.yaml", "user:tools/my/b.py",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestListLeavesOutWhatNoReferenceCanName(t *testing.T) {
	w := ryetest.New(t)
	for _, rel := range []string{
		"ok.py", "data.csv", "x.py.rye-sig", "node_modules/m.js", "sub/__pycache__/c.py", "with\u202eoverride.py", "no-extension",
	} {
		w.Project.Write(".ai/knowledge/"+rel, "") // not tools: nothing of rye's own is there
		w.Project.Write(".ai/tools/my/"+rel, "")
	}
	entries, err := w.Spaces()[:1].List(item.Tool)
	if err != nil {
		t.Fatal(err)
	}
	if len(entries) != 1 || entries[0].Ref.ID != "my/ok" {
		t.Errorf("got %v", entries)
	}
	if entries, err := w.Spaces()[:1].List(item.Directive); err != nil || len(entries) > 0 {
		t.Errorf("a folder that does not exist: got %v, %v", entries, err)
	}
}
