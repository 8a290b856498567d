package builtin

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// everyTool asks each tool for the same path.
func everyTool(path string) map[string]params {
	return map[string]params{
		"read":       {"path": path},
		"write":      {"path": path, "content": "overwritten\n"},
		"edit_lines": {"path": path, "changes": []params{{"line_id": "abcdef", "new_content": "overwritten"}}},
		"ls":         {"path": path},
		"glob":       {"pattern": "**", "path": path},
		"grep":       {"pattern": "secret", "path": path},
	}
}

func TestLinkZoo(t *testing.T) {
	p := newProject(t, map[string]string{"sub/inner.txt": "inside\n"})
	outside := filepath.Join(filepath.Dir(p.dir), "outside")
	if err := os.MkdirAll(outside, 0o755); err != nil {
		t.Fatal(err)
	}
	secret := filepath.Join(outside, "secret.txt")
	if err := os.WriteFile(secret, []byte("secret\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	p.link(secret, "zoo/absolute")
	p.link("../../outside/secret.txt", "zoo/relative")
	p.link(outside, "zoo/folder")
	p.link("../../project/../outside/secret.txt", "zoo/detour")
	p.link("relative", "zoo/twice")
	p.link("/proc/self/root"+secret, "zoo/proc")
	p.link("/proc/self/root", "zoo/procroot")
	p.link("loop2", "zoo/loop1")
	p.link("loop1", "zoo/loop2")
	p.link("../../outside/new.txt", "zoo/dangling")

	escapes := []string{
		"zoo/absolute", "zoo/relative", "zoo/folder", "zoo/folder/secret.txt", "zoo/folder/new.txt", "zoo/detour", "zoo/twice",
		"zoo/proc", "zoo/procroot" + secret, "zoo/dangling", "zoo/folder/../../outside/secret.txt",
		"..", "../outside/secret.txt", "sub/../../outside/secret.txt", secret, outside, "/", "/proc/self/root" + secret,
		p.dir + "/../outside/secret.txt", p.dir + "-sibling/x", "../project/sub/inner.txt",
	}
	for _, path := range escapes {
		for tool, args := range everyTool(path) {
			want := "Path is outside the project workspace"
			if tool == "glob" || tool == "grep" {
				want = "Search path is outside the project workspace"
			}
			equal(t, tool+" "+path, p.fails("file-system/"+tool, args), want)
		}
	}
	for tool, args := range everyTool("zoo/loop1") {
		equal(t, tool+" loop", p.fails("file-system/"+tool, args), "Too many levels of symbolic links: zoo/loop1")
	}
	for _, search := range []params{{"pattern": "secret"}, {"pattern": "secret", "path": "zoo"}} {
		equal(t, "grep below links", p.ok("file-system/grep", search)["count"], any(0.0))
	}
	equal(t, "glob of links", p.ok("file-system/glob", params{"pattern": "zoo/**"})["count"], any(0.0))
	for _, e := range p.ok("file-system/ls", params{"path": "zoo"})["entries"].([]any) {
		equal(t, "type of a link", e.(map[string]any)["type"], any("symlink"))
	}
	if data, _ := os.ReadFile(secret); string(data) != "secret\n" {
		t.Errorf("the secret is now %q", data)
	}
	if entries, _ := os.ReadDir(outside); len(entries) != 1 {
		t.Errorf("outside now holds %v", entries)
	}
}

func TestPathsInside(t *testing.T) {
	p := newProject(t, map[string]string{"sub/inner.txt": "inside\n"})
	p.link(p.path("sub"), "absolute")
	p.link("sub/inner.txt", "file")
	p.link("../absolute/inner.txt", "sub/round")
	p.link(p.dir, filepath.Join("..", "alias"))
	for _, path := range []string{
		"sub/inner.txt", "./sub//inner.txt", "absolute/inner.txt", "file", "sub/round", "absolute/../sub/inner.txt",
		p.path("sub/inner.txt"), p.path("file"), "nowhere/../file",
	} {
		if out := p.ok("file-system/read", params{"path": path})["output"].(string); !strings.HasSuffix(out, "│ inside") {
			t.Errorf("read %s gives %q", path, out)
		}
	}
	alias := &project{t, filepath.Join(filepath.Dir(p.dir), "alias")}
	for _, path := range []string{alias.path("file"), p.path("file")} {
		alias.ok("file-system/read", params{"path": path})
	}
	entries, err := os.ReadDir(p.path(".ai/cache/tools/read/line_index"))
	if err != nil || len(entries) != 1 {
		t.Errorf("one file under many names has the indexes %v, %v", entries, err)
	}
	p.ok("file-system/write", params{"path": "file", "content": "changed\n"})
	equal(t, "written through a link", p.get("sub/inner.txt"), "changed\n")
	p.link("sub/later.txt", "dangling")
	equal(t, "dangling", p.fails("file-system/read", params{"path": "dangling"}), "File not found: dangling")
	p.ok("file-system/write", params{"path": "dangling", "content": "x"})
	equal(t, "written through a dangling link", p.get("sub/later.txt"), "x")
}

func TestBadPaths(t *testing.T) {
	p := newProject(t, map[string]string{"file": "x\n"})
	for path, want := range map[string]string{
		"a\x00b":                   "Path must be at most",
		strings.Repeat("a/", 3000): "Path must be at most",
		strings.Repeat("a", 300):   "Cannot access",
		"file/below":               "Not a directory: file (in file/below)",
		"file/../file/below":       "Not a directory: file (in",
	} {
		for tool, args := range everyTool(path) {
			if got := p.fails("file-system/"+tool, args); !strings.HasPrefix(got, want) {
				t.Errorf("%s %.20q: %s", tool, path, got)
			}
		}
	}
}

func TestProtectedFolders(t *testing.T) {
	const key = ".ai/config/keys/trusted/k.toml"
	p := newProject(t, map[string]string{key: "key\n", ".ai/state/threads/log": "log\n", "note.txt": "note\n"})
	p.link(".ai/config", "config")
	p.link("../.ai/config/keys/trusted/k.toml", "sub/key")
	p.link(".ai", "dot")
	for _, path := range []string{
		key, ".ai/config/keys/new", ".ai/config/keys", ".AI/Config/KEYS/new", ".ai/state/new", ".ai/state/threads/log", ".ai/State/new",
		"config/keys/new", "sub/key", "dot/state/new", p.path(".ai/config/keys/new"), ".ai/tools/../config/keys/new",
	} {
		for _, tool := range []string{"write", "edit_lines"} {
			got := p.fails("file-system/"+tool, everyTool(path)[tool])
			if !strings.HasPrefix(got, "Path is protected: ") {
				t.Errorf("%s %s: %s", tool, path, got)
			}
		}
	}
	batch := p.run("file-system/write", params{"files": []params{{"path": key, "content": "evil"}, {"path": "fine.txt", "content": "ok"}}})
	equal(t, "batch", batch["files_written"], any(1.0))
	equal(t, "key", p.get(key), "key\n")
	equal(t, "log", p.get(".ai/state/threads/log"), "log\n")

	if err := os.Link(p.path(key), p.path("hard")); err != nil {
		t.Fatal(err)
	}
	p.ok("file-system/write", params{"path": "hard", "content": "evil"})
	equal(t, "key after a write to its hard link", p.get(key), "key\n")

	p.link("../../../config/keys", ".ai/cache/tools/read")
	warned := p.ok("file-system/read", params{"path": "note.txt"})["warning"]
	if text, _ := warned.(string); !strings.Contains(text, "Path is protected") {
		t.Errorf("read with its cache among the keys warns %v", warned)
	}
	if entries, _ := os.ReadDir(p.path(".ai/config/keys")); len(entries) != 1 {
		t.Errorf("the keys folder now holds %v", entries)
	}
	p.ok("file-system/write", params{"path": ".ai/config/other.yaml", "content": "a: 1\n"})
}

func TestProtectedBeforeTheyExist(t *testing.T) {
	p := newProject(t, map[string]string{"real/x": ""})
	p.link("real", ".ai")
	for _, path := range []string{"real/config/keys/new", ".ai/state/new", "real/state"} {
		if got := p.fails("file-system/write", params{"path": path, "content": ""}); !strings.HasPrefix(got, "Path is protected: ") {
			t.Errorf("%s: %s", path, got)
		}
	}
}
