package main

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"unicode"

	"github.com/ryeos/rye/internal/hostile"
)

// Files with names that a shell would run, a flag parser obey or a terminal hide, wherever rye walks over files.
func TestHostileFileNamesAreOnlyNames(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("most of these names are impossible here")
	}
	g := newGround(t)
	for _, name := range hostile.Names {
		g.write(".ai/tools/deep/"+name+".sh", corpus[".ai/tools/c/sh.sh"].content)
		g.write(".ai/tools/"+name+"/x.sh", corpus[".ai/tools/c/sh.sh"].content)
		g.write(".ai/knowledge/"+name+".md", "# Words\n")
		g.write("data/"+name, "text\n")
	}
	g.write(".ai/tools/deep/__init__.py", "")
	for _, args := range [][]string{
		{"list", "--all"}, {"verify", "--all", "-v"}, {"sign", "--all"}, {"verify", "-v"}, {"show", "tool:deep/a b"}, {"doctor"},
		{"execute", "rye/file-system/ls", "--path", "data"}, {"execute", "rye/file-system/grep", "--pattern", "text"},
		{"execute", "rye/bash", "--command", "true"},
	} {
		out := g.rye(append([]string{"-o", "text"}, args...)...)
		g.checkMarker()
		if args[0] == "execute" {
			continue // a tool's own output is passed on byte for byte
		}
		for _, r := range out.stdout + out.stderr {
			if r != '\n' && r != '\t' && (unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || r == '\u2028') {
				t.Errorf("rye %q prints %q: %.300q", args, r, out.stdout+out.stderr)
				break
			}
		}
	}
	for _, name := range hostile.Names { // as references
		g.rye("execute", "tool:deep/"+name)
		g.rye("show", name)
	}
	g.checkMarker()
}

// A signed item is one file under one name. Its twin, a name that some people or file systems take for the same, is
// another item, for which the signature does not count.
func TestTwinsAreOtherItems(t *testing.T) {
	content := strings.Replace(corpus[".ai/tools/c/yaml.yaml"].content, "category: c", "category: twin", 1)
	for pair, names := range hostile.Twins {
		t.Run(pair, func(t *testing.T) {
			t.Parallel()
			g := newGround(t)
			g.write(".ai/tools/twin/"+names[0]+".yaml", content)
			g.sign()
			signed, err := os.ReadFile(filepath.Join(g.project, ".ai/tools/twin", names[0]+".yaml"))
			if err != nil {
				t.Fatal(err)
			}
			if out := g.rye("execute", "tool:twin/"+names[1]); out.code == exitOK && !sameFile(g, names) {
				t.Errorf("%q is found as %q: %+v", names[0], names[1], out)
			}
			if sameFile(g, names) {
				t.Skip("this file system takes the two names for one")
			}
			g.write(".ai/tools/twin/"+names[1]+".yaml", string(signed))
			if out := g.rye("execute", "tool:twin/"+names[1]); out.code != exitIntegrity && out.code != exitUsage {
				t.Errorf("the signature of %q counts for %q: %+v", names[0], names[1], out)
			}
			g.checkMarker()
			if out := g.rye("execute", "tool:twin/"+names[0]); out.code != exitOK || !exists(g.marker()) {
				t.Errorf("the signed one does not run beside its twin: %+v", out)
			}
		})
	}
}

// sameFile reports whether the second name leads to the first one's file.
func sameFile(g *ground, names [2]string) bool {
	a, errA := os.Stat(filepath.Join(g.project, ".ai/tools/twin", names[0]+".yaml"))
	b, errB := os.Stat(filepath.Join(g.project, ".ai/tools/twin", names[1]+".yaml"))
	return errA == nil && errB == nil && os.SameFile(a, b)
}
