package builtin

import (
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
)

func TestWrite(t *testing.T) {
	p := newProject(t, map[string]string{"a.txt": "one\ntwo\nthree\n", "binary": "\x00", "dir/x": ""})
	tests := []struct {
		name, path, content, output string
		created                     bool
	}{
		{"new", "deep/down/new.txt", "é\n", "Created new file deep/down/new.txt (3 bytes)", true},
		{"new, odd name", "\x1b]8;;x\anew", "", `Created new file \x1b]8;;x\anew (0 bytes)`, true},
		{"change", "a.txt", "one\n2\nthree\n", "--- a/a.txt\n+++ b/a.txt\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n", false},
		{"same", "a.txt", "one\n2\nthree\n", "No changes: a.txt has this content already", false},
		{"emptied", "a.txt", "", "--- a/a.txt\n+++ b/a.txt\n@@ -1,3 +0,0 @@\n-one\n-2\n-three\n", false},
		{"filled", "a.txt", "x", "--- a/a.txt\n+++ b/a.txt\n@@ -0,0 +1 @@\n+x\n\\ No newline at end of file\n", false},
		{"over a binary file", "binary", "text\n", "Replaced binary (5 bytes)", false},
	}
	for _, test := range tests {
		reply := p.ok("file-system/write", params{"path": test.path, "content": test.content})
		equal(t, test.name+": output", reply["output"], any(test.output))
		equal(t, test.name+": file_path", reply["file_path"], any(test.path))
		equal(t, test.name+": bytes_written", reply["bytes_written"], any(float64(len(test.content))))
		equal(t, test.name+": created", reply["created"], any(test.created))
		equal(t, test.name+": file", p.get(test.path), test.content)
	}
	equal(t, "folder", p.fails("file-system/write", params{"path": "dir", "content": ""}), "Path is a directory, not a file")
	equal(t, "project", p.fails("file-system/write", params{"path": "", "content": ""}), "Path is a directory, not a file")
}

func TestWriteLargeFiles(t *testing.T) {
	p := newProject(t, map[string]string{"huge": ""})
	if err := os.Truncate(p.path("huge"), maxFile+1); err != nil {
		t.Fatal(err)
	}
	equal(t, "over a huge file", p.ok("file-system/write", params{"path": "huge", "content": "x"})["output"], any("Replaced huge (1 bytes)"))
	w, err := openWorkspace(p.dir)
	if err != nil {
		t.Fatal(err)
	}
	defer w.close()
	_, err = w.writeFile("huge", strings.Repeat("a", maxFile+1))
	equal(t, "huge content", fmt.Sprint(err), "Content is too large: 52428801 bytes, at most 52428800")
	p.ok("file-system/write", params{"path": "huge", "content": strings.Repeat("old\n", 15000)})
	out := p.ok("file-system/write", params{"path": "huge", "content": strings.Repeat("new\n", 15000)})["output"].(string)
	if _, long := clip(out, maxOutput); long || !strings.Contains(out, "\n-old\n... [output truncated, 1") {
		t.Errorf("diff of %d bytes ends in %q", len(out), out[len(out)-60:])
	}
}

func TestWriteBatch(t *testing.T) {
	p := newProject(t, map[string]string{"a": "1\n", "dir/x": ""})
	reply := p.run("file-system/write", params{"files": []params{
		{"path": "a", "content": "2\n"}, {"path": "dir", "content": ""}, {"path": "../out", "content": ""}, {"path": "b/c", "content": "3"},
	}})
	equal(t, "success", reply["success"], any(false))
	equal(t, "error", reply["error"], any("2 of 4 files could not be written; see 'errors'"))
	equal(t, "files_written", reply["files_written"], any(2.0))
	equal(t, "files_total", reply["files_total"], any(4.0))
	equal(t, "errors", fmt.Sprint(reply["errors"]),
		"[map[error:Path is a directory, not a file path:dir] map[error:Path is outside the project workspace path:../out]]")
	results := reply["results"].([]any)
	equal(t, "results", len(results), 2)
	equal(t, "first result", results[0].(map[string]any)["file_path"], any("a"))
	equal(t, "files", p.get("a")+p.get("b/c"), "2\n3")

	reply = p.ok("file-system/write", params{"files": []params{{"path": "a", "content": "4"}}})
	if _, has := reply["errors"]; has {
		t.Error("a batch that went well has errors")
	}
	p.fails("file-system/write", params{"files": []params{{"path": "a", "content": "5"}, {"path": "b"}}})
	equal(t, "after a batch that cannot be understood", p.get("a"), "4")
}

func TestWriteDropsTheIndex(t *testing.T) {
	p := newProject(t, map[string]string{"a": "1\n"})
	id := p.ids("a")[0]
	p.ok("file-system/write", params{"path": "a", "content": "1\n"})
	got := p.fails("file-system/edit_lines", params{"path": "a", "changes": []params{{"line_id": id, "new_content": "2"}}})
	equal(t, "edit", got, "No line ID cache found. Read the file first to generate line IDs.")
}

func TestWritesAreDurable(t *testing.T) {
	p := newProject(t, map[string]string{"a": "1\n"})
	count := func(f func()) int32 { before := synced.Load(); f(); return synced.Load() - before }
	var id string
	equal(t, "syncs of a read, which writes only its cache", count(func() { id = p.ids("a")[0] }), 0)
	edit := params{"path": "a", "changes": []params{{"line_id": id, "new_content": "2"}}}
	equal(t, "syncs of an edit: file and folder", count(func() { p.ok("file-system/edit_lines", edit) }), 2)
	equal(t, "syncs of a write", count(func() { p.ok("file-system/write", params{"path": "a", "content": ""}) }), 2)
}

func TestConcurrentUse(t *testing.T) {
	p := newProject(t, map[string]string{"a": "0\n"})
	var wg sync.WaitGroup
	for i := range 4 {
		wg.Go(func() {
			for j := range 15 {
				content := strings.Repeat(fmt.Sprintf("%d %d\n", i, j), 50+i)
				p.run("file-system/write", params{"path": "a", "content": content})
				p.run("file-system/read", params{"path": "a"})
			}
		})
	}
	wg.Wait()
	lines := strings.SplitAfter(p.get("a"), "\n")
	for _, l := range lines[:len(lines)-1] {
		if l != lines[0] {
			t.Fatalf("two writes are mixed: %q and %q", lines[0], l)
		}
	}
	ids := p.allIDs("a")
	equal(t, "ids", len(ids), len(lines)-1)
	entries, err := os.ReadDir(p.path(".ai/cache/tools/read/line_index"))
	if err != nil || len(entries) != 1 {
		t.Errorf("the index folder holds %v, %v", entries, err)
	}
}
