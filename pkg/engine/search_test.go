package engine_test

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/ryeos/rye/internal/ryetest"
	"github.com/ryeos/rye/pkg/engine"
	"github.com/ryeos/rye/pkg/item"
	"github.com/ryeos/rye/pkg/space"
)

// entry is the text of a knowledge entry.
func entry(title, body string) string {
	return "```yaml\ntitle: " + title + "\nversion: \"1.0.0\"\nentry_type: note\ntags: [a, b]\n```\n\n" + body + "\n"
}

// found searches with a new engine, as another process would, and gives "id title" of each result.
func found(t *testing.T, w *ryetest.World, req engine.SearchRequest) string {
	t.Helper()
	result, err := w.Engine(later).Search(req)
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	for _, hit := range result.Results {
		_, id, _ := strings.Cut(hit.ItemID, ":")
		ids = append(ids, strings.TrimSpace(id+" "+hit.Title))
	}
	return strings.Join(ids, ", ")
}

func TestSearchSeesEveryChange(t *testing.T) {
	w := ryetest.New(t)
	query := engine.SearchRequest{Query: "zebra"}
	expect := func(when, want string) {
		t.Helper()
		if got := found(t, w, query); got != want {
			t.Errorf("%s: got %q, want %q", when, got, want)
		}
	}
	expect("nothing is there", "")
	file := w.Project.Write(".ai/knowledge/x/one.md", entry("One", "a zebra"))
	expect("a new file", "x/one One")
	expect("nothing has changed", "x/one One")

	info, err := os.Stat(file)
	if err != nil {
		t.Fatal(err)
	}
	w.Project.Write(".ai/knowledge/x/one.md", entry("One", "a horse"))
	if err := os.Chtimes(file, info.ModTime(), info.ModTime()); err != nil {
		t.Fatal(err)
	}
	expect("another text of the same length with the time of the old one", "")

	w.Project.Write(".ai/knowledge/x/two.yaml", "title: Two\ntext: a zebra\n")
	w.Project.Tool("y.sh", "# __executor_id__ = \"x\"\n# __tool_type__ = \"t\"\n# __description__ = \"zebra\"\necho zebra\n")
	expect("a description counts more than a text", "y, x/two Two")
	w.Project.Remove(".ai/knowledge/x/two.yaml")
	expect("a file has gone", "y")
	rename(t, w.Project.Path(".ai/tools/y.sh"), w.Project.Path(".ai/tools/z.sh"))
	expect("a file has moved", "z")
}

func TestSearchSpacesAndKinds(t *testing.T) {
	w := ryetest.New(t)
	w.Project.Write(".ai/knowledge/x.md", entry("Near", "zebra"))
	w.User.Write(".ai/knowledge/x.md", entry("Far", "zebra zebra"))
	w.User.Write(".ai/knowledge/y.md", entry("Other", "zebra"))
	w.Project.Write(".ai/directives/d.md", "```xml\n<directive name=\"d\" version=\"1.0.0\"></directive>\n```\nzebra\n")
	w.Project.Write(".ai/tools/lib.py", "zebra = 1\n") // a library
	for _, test := range []struct {
		req  engine.SearchRequest
		want string
	}{
		{engine.SearchRequest{Query: "zebra", Kind: item.Knowledge}, "x Near, y Other"},
		{engine.SearchRequest{Query: "zebra", Kind: item.Directive}, "d"},
		{engine.SearchRequest{Query: "zebra", Kind: item.Tool}, ""},
		{engine.SearchRequest{Query: "zebra", Space: space.User}, "x Far, y Other"},
		{engine.SearchRequest{Query: "zebra space:user", Kind: item.Knowledge}, "x Far, y Other"},
		{engine.SearchRequest{Query: "title:near"}, "x Near"},
		{engine.SearchRequest{Query: "tag:a NOT title:near"}, "y Other"},
	} {
		if got := found(t, w, test.req); got != test.want {
			t.Errorf("%+v: got %q, want %q", test.req, got, test.want)
		}
	}
	result, err := w.Engine().Search(engine.SearchRequest{Query: "zebra", Limit: 1})
	if err != nil || result.Total != 3 || len(result.Results) != 1 {
		t.Errorf("got %+v, %v", result, err)
	}
}

// TestSearchReadsOnlyWhatHasChanged: the index stays as it is while the files do, even if one of them cannot be read.
func TestSearchReadsOnlyWhatHasChanged(t *testing.T) {
	w := ryetest.New(t)
	w.Project.Write(".ai/knowledge/x.md", entry("X", "zebra"))
	if err := os.Symlink("nowhere", w.Project.Path(".ai/knowledge/broken.md")); err != nil {
		t.Fatal(err)
	}
	index := func() os.FileInfo {
		t.Helper()
		if got := found(t, w, engine.SearchRequest{Query: "zebra"}); got == "" {
			t.Fatal("nothing is found")
		}
		files, err := filepath.Glob(filepath.Join(w.Cache, "search", "*"))
		if err != nil || len(files) != 1 {
			t.Fatal(files, err)
		}
		info, err := os.Stat(files[0])
		if err != nil {
			t.Fatal(err)
		}
		return info
	}
	first := index()
	if !os.SameFile(first, index()) {
		t.Error("the index was written again, and no file had changed")
	}
	w.Project.Write(".ai/knowledge/y.md", entry("Y", "horse"))
	if os.SameFile(first, index()) {
		t.Error("the index was not written again, and there was a new file")
	}
}

// TestSearchHostileFiles: files made to break a reader are found by what can be read of them, or left out and counted.
func TestSearchHostileFiles(t *testing.T) {
	w := ryetest.New(t)
	write := func(name, text string) string { return w.Project.Write(".ai/knowledge/"+name, text) }
	write("escape.md", entry("zebra \x1b[2J", "zebra \x1b]0;title\a \xff\xfe \u202e"))
	write("line.md", entry("Line", "zebra "+strings.Repeat("x", 1<<20)))
	write("late.md", entry("Late", strings.Repeat("word ", 60_000)+"zebra"))
	write("broken.md", "```yaml\n: [\n zebra\n")
	write("empty.md", "")
	if err := os.Truncate(write("huge.md", entry("Huge", "zebra")), 8<<30); err != nil {
		t.Skip("no sparse files here:", err)
	}
	if err := os.Symlink("/etc/passwd", w.Project.Path(".ai/knowledge/out.md")); err != nil {
		t.Fatal(err)
	}
	result, err := w.Engine().Search(engine.SearchRequest{Query: "zebra"})
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	for _, hit := range result.Results {
		ids = append(ids, hit.ItemID)
		if strings.ContainsAny(hit.Title+hit.Snippet, "\x1b\a\u202e") || len(hit.Snippet) > 300 {
			t.Errorf("%s: %+q, %+q", hit.ItemID, hit.Title, hit.Snippet)
		}
	}
	for _, id := range []string{"escape", "line", "broken", "huge"} {
		if !strings.Contains(strings.Join(ids, " "), id) {
			t.Errorf("%s is not found: %v", id, ids)
		}
	}
	if len(ids) != 4 || result.Unreadable != 1 {
		t.Errorf("found %v, %d unreadable", ids, result.Unreadable)
	}
}

// TestSearchIndexIsNotTrusted: whatever lies in the cache folder, the same is found.
func TestSearchIndexIsNotTrusted(t *testing.T) {
	w := ryetest.New(t)
	w.Project.Write(".ai/knowledge/x.md", entry("X", "zebra"))
	query := engine.SearchRequest{Query: "zebra"}
	want := found(t, w, query)
	files, err := filepath.Glob(filepath.Join(w.Cache, "search", "*"))
	if err != nil || len(files) != 1 || want != "x X" {
		t.Fatalf("found %q, cached %v, %v", want, files, err)
	}
	index, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	for name, prepare := range map[string]func() error{
		"gone":      func() error { return os.Remove(files[0]) },
		"empty":     func() error { return os.WriteFile(files[0], nil, 0o600) },
		"cut":       func() error { return os.WriteFile(files[0], index[:len(index)/2], 0o600) },
		"noise":     func() error { return os.WriteFile(files[0], []byte(strings.Repeat("noise", 1000)), 0o600) },
		"huge":      func() error { return os.Truncate(files[0], 8<<30) },
		"a folder":  func() error { return os.MkdirAll(files[0], 0o700) },
		"no folder": func() error { return os.WriteFile(filepath.Dir(files[0]), nil, 0o600) },
	} {
		if err := os.RemoveAll(filepath.Dir(files[0])); err != nil {
			t.Fatal(err)
		}
		if name != "no folder" {
			if err := os.Mkdir(filepath.Dir(files[0]), 0o700); err != nil {
				t.Fatal(err)
			}
			if name != "a folder" {
				if err := os.WriteFile(files[0], index, 0o600); err != nil {
					t.Fatal(err)
				}
			}
		}
		if err := prepare(); err != nil {
			t.Fatal(name, err)
		}
		if got := found(t, w, query); got != want {
			t.Errorf("%s: got %q", name, got)
		}
	}
}

// TestSearchAtOnce: searches that write the index at the same time do not disturb each other.
func TestSearchAtOnce(t *testing.T) {
	w := ryetest.New(t)
	for _, name := range []string{"a", "b", "c"} {
		w.Project.Write(".ai/knowledge/"+name+".md", entry(name, "zebra"))
	}
	var searches sync.WaitGroup
	for range 16 {
		e := w.Engine()
		searches.Go(func() {
			if result, err := e.Search(engine.SearchRequest{Query: "zebra"}); err != nil || result.Total != 3 {
				t.Errorf("got %v, %v", result, err)
			}
		})
	}
	searches.Wait()
	if got := found(t, w, engine.SearchRequest{Query: "zebra"}); got != "a a, b b, c c" {
		t.Errorf("afterwards: %q", got)
	}
}
