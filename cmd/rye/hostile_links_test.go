package main

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/ryeos/rye/internal/hostile"
)

// outsideTool would be a tool if it could be reached. OUTSIDE must never be seen.
const outsideTool = `version: "1.0.0"
tool_type: bash
executor_id: rye/core/runtimes/bash/bash
category: CATEGORY
description: "OUTSIDE"
config: {args: ["-c", "touch pwned"]}
`

// linked is a ground with a folder outside of the project, in which there is one file.
type linked struct {
	*ground
	outside, target string
}

func newLinked(t *testing.T) linked {
	if runtime.GOOS == "windows" {
		t.Skip("making symbolic links needs a privilege")
	}
	l := linked{newGround(t), t.TempDir(), ""}
	l.target = filepath.Join(l.outside, "secret.yaml")
	if err := os.WriteFile(l.target, []byte(strings.Replace(outsideTool, "CATEGORY", "zoo", 1)), 0o644); err != nil {
		t.Fatal(err)
	}
	return l
}

// link makes one symbolic link in the project.
func (l linked) link(target, name string) {
	l.Helper()
	l.write(filepath.Join(filepath.Dir(name), ".keep"), "")
	if err := os.Symlink(target, filepath.Join(l.project, name)); err != nil {
		l.Fatal(err)
	}
}

// unseen requires that a run has shown nothing of what lies outside.
func (l linked) unseen(out outcome, args []string) {
	l.Helper()
	if strings.Contains(out.stdout+out.stderr, "OUTSIDE") {
		l.Errorf("rye %q shows what lies outside: %+v", args, out)
	}
	l.checkMarker()
}

// untouched requires that nothing outside was made, changed or removed.
func (l linked) untouched() {
	l.Helper()
	entries, err := os.ReadDir(l.outside)
	if err != nil || len(entries) != 1 {
		l.Errorf("outside now holds %v, %v", entries, err)
	}
	data, err := os.ReadFile(l.target)
	if err != nil || string(data) != strings.Replace(outsideTool, "CATEGORY", "zoo", 1) {
		l.Errorf("the file outside is now %q, %v", data, err)
	}
}

func TestLinksOutOfTheProjectAreNotFollowed(t *testing.T) {
	l := newLinked(t)
	l.write(".ai/tools/zoo/.keep", "")
	names, err := hostile.Links(filepath.Join(l.project, ".ai/tools/zoo"), l.target, ".yaml")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		ref, file := "tool:zoo/"+strings.TrimSuffix(name, ".yaml"), ".ai/tools/zoo/"+name
		for _, args := range [][]string{
			{"show", ref}, {"execute", ref}, {"trace", ref}, {"verify", ref}, {"sign", ref}, {"sign", file}, {"execute", "--pin", ref},
		} {
			out := l.rye(args...)
			if l.unseen(out, args); out.code == exitOK || out.code == exitInternal && !strings.Contains(name, "loop") && !strings.Contains(name, "pool") {
				t.Errorf("rye %q left with %d: %+v", args, out.code, out)
			}
		}
	}
	for _, args := range [][]string{
		{"list", "--all"}, {"verify"}, {"verify", "--all"}, {"sign", "--all"}, {"sign", "zoo/*"}, {"doctor"},
		{"execute", "rye/file-system/grep", "--pattern", "OUT.IDE"}, {"execute", "rye/file-system/glob", "--pattern", "**/*.yaml"},
	} {
		if args[0] == "execute" {
			args = append(args, "--path", ".ai/tools/zoo")
		}
		l.unseen(l.rye(args...), args)
	}
	l.untouched()
}

// Configuration, trusted keys and version files are read along the same way.
func TestLinkedConfigurationIsNotRead(t *testing.T) {
	l := newLinked(t)
	l.echo()
	l.write(".ai/tools/echo/asks.yaml", `version: "1.0.0"
tool_type: echo
executor_id: echo/runtime
category: echo
description: "Asks for configuration"
config_resolve: {path: my/settings.yaml, mode: deep_merge}
`)
	l.sign()
	l.link(l.target, ".python-version")
	l.link(l.target, ".ai/config/my/settings.yaml")
	args := []string{"execute", "tool:echo/asks"}
	out := l.rye(args...)
	if l.unseen(out, args); out.code != exitIntegrity {
		t.Errorf("a tool got linked configuration: %+v", out)
	}
	l.link(l.target, ".ai/config/execution/execution.yaml")
	l.link(l.target, ".ai/config/keys/trusted/0123456789abcdef.toml")
	for _, args := range [][]string{
		{"execute", "tool:echo/tool", "--text", ""}, {"execute", "rye/bash", "--command", "true"}, {"keys", "list"}, {"verify"}, {"doctor"},
	} {
		l.unseen(l.rye(args...), args)
	}
	l.untouched()
}

// What rye writes stays in the project, whatever links the project came with.
func TestNothingIsWrittenThroughLinks(t *testing.T) {
	for link, args := range map[string][]string{
		".ai/tools":                {"init"},
		".ai/tools/hello.sh":       {"init"},
		".ai/.gitignore":           {"init"},
		".ai/config/keys":          {"keys", "trust", "--space", "project"},
		".ai/config/keys/trusted":  {"keys", "trust", "--space", "project"},
		".ai/tools/mine.sh":        {"sign", ".ai/tools/mine.sh"},
		".ai/tools/x.json.rye-sig": {"sign", "--all"},
		"made":                     {"execute", "rye/file-system/write", "--path", "made/new.txt", "--content", "x"},
	} {
		t.Run(link, func(t *testing.T) {
			t.Parallel()
			l := newLinked(t)
			target := l.outside
			if filepath.Ext(link) != "" {
				target = filepath.Join(l.outside, "new")
			}
			if strings.HasSuffix(link, ".rye-sig") {
				l.write(".ai/tools/x.json", `{"version": "1.0.0", "tool_type": "bash", "category": "", "description": "x", "executor_id": "rye/core/runtimes/bash/bash"}`)
			}
			l.link(target, link)
			out := l.rye(args...)
			l.untouched()
			if existed := filepath.Ext(link) != "" && args[0] == "init"; out.code == exitOK && !existed {
				t.Errorf("rye %q says that it worked: %+v", args, out)
			}
		})
	}
}

// A hard link is the file itself, and nothing tells where else it has a name. It must be signed like any other; signing
// replaces it, so that the other name keeps its bytes.
func TestSigningAHardLinkLeavesTheOtherNameAlone(t *testing.T) {
	l := newLinked(t)
	l.write(".ai/tools/zoo/.keep", "")
	if err := os.Link(l.target, filepath.Join(l.project, ".ai/tools/zoo/hard.yaml")); err != nil {
		t.Skipf("no hard links here: %v", err)
	}
	if out := l.rye("execute", "tool:zoo/hard"); out.code != exitIntegrity {
		t.Errorf("unsigned: %+v", out)
	}
	if out := l.rye("sign", "tool:zoo/hard"); out.code != exitOK {
		t.Errorf("sign: %+v", out)
	}
	l.untouched()
}

// A project reached through a link is the same project: its folders in PATH do not count, however they are written.
func TestPlantedInterpretersAreNotRunThroughLinks(t *testing.T) {
	l := newLinked(t)
	for name, file := range corpus {
		l.write(name, file.content)
	}
	l.sign()
	for _, name := range hostile.Programs {
		if err := os.Chmod(l.write(filepath.Join("bin", name), hostile.Program), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	alias, real := filepath.Join(l.outside, "alias"), l.project
	if err := os.Symlink(real, alias); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(real, "bin"), filepath.Join(l.outside, "bin")); err != nil {
		t.Fatal(err)
	}
	for _, project := range []string{real, alias} {
		for _, dir := range []string{filepath.Join(real, "bin"), filepath.Join(alias, "bin"), filepath.Join(l.outside, "bin")} {
			for _, ref := range []string{"tool:c/py", "tool:c/js", "tool:c/yaml"} {
				out := l.marked("", []string{"PATH=" + dir + ":" + os.Getenv("PATH")}, "-p", project, "execute", ref)
				if out.code != exitOK || exists(l.marker()+".planted") {
					t.Fatalf("%s in %s with %s in PATH: %+v", ref, project, dir, out)
				}
			}
		}
	}
}
