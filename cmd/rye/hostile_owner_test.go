package main

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

// What every user of the machine can change is not used: neither the file, nor what lies in a folder like that.
func TestWhatOthersCanChangeIsRefused(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no permissions to look at")
	}
	needs(t, "python3")
	g := newGround(t)
	g.write(".ai/tools/kit/__init__.py", "")
	g.write(".ai/tools/kit/lib/words.py", "TEXT = 1\n")
	g.write(".ai/tools/kit/main.py", `__version__ = "1.0.0"
__tool_type__ = "python"
__executor_id__ = "rye/core/runtimes/python/function"
__category__ = "kit"
__tool_description__ = "Uses a library and configuration"
CONFIG_RESOLVE = {"path": "my/settings.yaml", "mode": "deep_merge"}
def execute(params, project_path):
    import words
    return {"text": words.TEXT}
`)
	g.write(".ai/config/my/settings.yaml", "version: \"1.0.0\"\ncategory: my\n")
	g.sign()
	keys, err := filepath.Glob(filepath.Join(g.home, ".ai/config/keys/trusted/*.toml"))
	if err != nil || len(keys) != 1 {
		t.Fatal(keys, err)
	}
	places := []string{keys[0]}
	for _, name := range []string{
		"tools/kit/main.py", "tools/kit", "tools", "", "tools/kit/lib/words.py", "tools/kit/lib", "config/my/settings.yaml", "config/my",
	} {
		places = append(places, filepath.Join(g.project, ".ai", name))
	}
	runs := func() outcome { return g.rye("execute", "tool:kit/main") }
	if out := runs(); out.code != exitOK {
		t.Fatalf("the control: %+v", out)
	}
	for _, place := range places {
		info, err := os.Stat(place)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(place, info.Mode().Perm()|0o002); err != nil {
			t.Fatal(err)
		}
		out := runs()
		if doc := g.document(out); out.code != exitPermission || doc["error_type"] != "permission" || doc["hints"] == nil {
			t.Errorf("%s can be changed by everybody, and rye left with %d: %v", place, out.code, doc)
		}
		if err := os.Chmod(place, info.Mode().Perm()); err != nil {
			t.Fatal(err)
		}
	}
	if out := runs(); out.code != exitOK {
		t.Errorf("put back: %+v", out)
	}
}
