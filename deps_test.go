package rye_test

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/ryeos/rye"

// layer is one row of the table in CONTRIBUTING.md. Packages are folders of this module, which may be patterns; not
// names packages, with all below them, and single functions of packages.
type layer struct {
	folder string
	may    []string
	not    []string
}

var layers = []layer{
	{folder: "."},
	{folder: "pkg/item", not: []string{"os", "net"}},
	{folder: "pkg/search", may: []string{"pkg/item"}},
	{folder: "pkg/template", may: []string{"pkg/item"}, not: []string{"os"}},
	{folder: "pkg/directive", may: []string{"pkg/item", "pkg/template"}, not: []string{"os"}},
	{folder: "pkg/graph", may: []string{"pkg/filelock", "pkg/item", "pkg/template"}},
	{folder: "pkg/draw", may: []string{"pkg/item", "pkg/graph"}},
	{folder: "pkg/record"},
	{folder: "pkg/clock"},
	{folder: "pkg/filelock"},
	{
		folder: "pkg/agent", may: []string{"pkg/item", "pkg/record"},
		not: []string{"net", "os", "time.Now", "time.After", "time.AfterFunc", "time.NewTimer", "time.NewTicker", "time.Sleep"},
	},
	{folder: "pkg/process"},
	{folder: "pkg/keeper", may: []string{"pkg/filelock", "pkg/process"}},
	{folder: "pkg/cas", may: []string{"pkg/item"}, not: []string{"net"}},
	{folder: "pkg/mcp", may: []string{"pkg/item", "pkg/process"}},
	{folder: "pkg/redact"},
	{folder: "pkg/agentfile", may: []string{"pkg/item", "pkg/agent", "pkg/redact"}, not: []string{"os", "net"}},
	{folder: "pkg/owner"},
	{folder: "internal/failpoint"},
	{folder: "pkg/thread", may: []string{"internal/failpoint", "pkg/filelock", "pkg/item", "pkg/process", "pkg/record"}},
	{folder: "pkg/builtin"},
	{folder: "pkg/confine"},
	{folder: "pkg/integrity", may: []string{"pkg/item", "pkg/owner"}},
	{folder: "pkg/space", may: []string{"pkg/item", "pkg/owner"}},
	{
		folder: "pkg/chain", may: []string{"pkg/item", "pkg/integrity", "pkg/space"},
		not: []string{"os.Getenv", "os.LookupEnv", "os.Environ", "os.ExpandEnv"},
	},
	{folder: "pkg/runtime", may: []string{"pkg/item", "pkg/template", "pkg/process", "pkg/confine", "pkg/redact", "pkg/chain"}},
	{folder: "pkg/engine", may: []string{"internal/failpoint", "pkg/*"}, not: []string{"github.com/spf13", "os.Args", "os.Stdout", "os.Exit"}},
	{folder: "cmd/rye", may: []string{".", "pkg/engine", "pkg/item", "pkg/space", "pkg/thread"}, not: []string{"database/sql"}},
	{folder: "internal/hostile"},
	{folder: "internal/mcptest"},
	{folder: "internal/ryetest", may: []string{".", "pkg/*"}},
	{folder: "internal/agenttest", may: []string{"pkg/clock", "pkg/agent", "pkg/record", "pkg/thread"}},
	{folder: "internal/recordtest", may: []string{"pkg/record"}},
	{folder: "internal/graphtest", may: []string{"pkg/graph", "pkg/item"}},
	{folder: "scripts/*", may: []string{".", "internal/agenttest", "internal/graphtest", "pkg/*"}},
}

// spawning starts processes. Only pkg/process does, so that nothing can be left behind that it does not know of;
// pkg/confine turns its own process into a program. What is not part of rye may, too.
var spawning = []string{
	"os/exec", "os.StartProcess", "syscall.Exec", "syscall.ForkExec", "syscall.StartProcess", "unix.Exec", "windows.CreateProcess",
}

var maySpawn = []string{"pkg/process", "pkg/confine", "internal/ryetest", "internal/mcptest", "scripts/*"}

// storing is SQL and its driver. One package opens the database, so that it is opened one way; scripts/evidence looks at it
// from outside.
var storing = []string{"database/sql", "modernc.org/sqlite"}

var mayStore = []string{"pkg/thread", "scripts/evidence"}

// configuring makes an agent runtime. Programs do it in one place, so that all threads of a project have one storage, one
// provider and one world.
const configuring = "agent.New"

var mayConfigure = []string{"pkg/engine", "internal/agenttest", "scripts/*"}

// TestDeps keeps the layers: a package imports what its row allows and uses nothing that its row forbids.
func TestDeps(t *testing.T) {
	used := map[string]bool{}
	for folder, files := range goFiles(t, false) {
		i := slices.IndexFunc(layers, func(l layer) bool { return matches(l.folder, folder) })
		if i < 0 {
			t.Errorf("package %s has no row in the table of layers", folder)
			continue
		}
		row := layers[i]
		used[row.folder] = true
		if !slices.ContainsFunc(maySpawn, func(pattern string) bool { return matches(pattern, folder) }) {
			row.not = slices.Concat(row.not, spawning)
		}
		if !slices.Contains(mayStore, folder) {
			row.not = slices.Concat(row.not, storing)
		}
		if !slices.ContainsFunc(mayConfigure, func(pattern string) bool { return matches(pattern, folder) }) {
			row.not = append(slices.Clip(row.not), configuring)
		}
		for _, file := range files {
			for _, complaint := range row.check(parse(t, file)) {
				t.Errorf("%s %s", file, complaint)
			}
		}
	}
	for _, row := range layers {
		if !used[row.folder] {
			t.Errorf("the row %s of the table of layers has no package", row.folder)
		}
	}
}

// TestDepsRules shows that the check finds what it is for.
func TestDepsRules(t *testing.T) {
	row := layer{may: []string{"pkg/item"}, not: []string{"net", "os.Getenv"}}
	for source, want := range map[string]string{
		`import _ "github.com/ryeos/rye/pkg/item"`:                 "",
		`import _ "github.com/ryeos/rye/pkg/engine"`:               "imports pkg/engine",
		`import _ "github.com/ryeos/rye"`:                          "imports .",
		`import _ "net/http"`:                                      "imports net/http",
		`import _ "network"`:                                       "",
		`import "os"; var _ = os.Getenv("HOME")`:                   "uses os.Getenv",
		`import "os"; var _ = os.Getuid()`:                         "",
		`import system "os"; var get = system.Getenv`:              "uses os.Getenv",
		`type fake struct{}; func f(os fake) { os.Getenv("HOME")}`: "",
	} {
		f, err := parser.ParseFile(token.NewFileSet(), "x.go", "package x\n"+source, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(row.check(f), "; "); got != want {
			t.Errorf("%s: got %q, want %q", source, got, want)
		}
	}
}

// TestDepsDocumented compares the table with the one that people read.
func TestDepsDocumented(t *testing.T) {
	text, err := os.ReadFile("CONTRIBUTING.md")
	if err != nil {
		t.Fatal(err)
	}
	var documented []string
	_, section, _ := strings.Cut(string(text), "\n## Layers\n")
	section, _, _ = strings.Cut(section, "\n## ")
	for line := range strings.Lines(section) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		if len(cells) != 4 || !strings.Contains(cells[0], "`") {
			continue
		}
		documented = append(documented, strings.TrimSpace(cells[0])+" may "+strings.TrimSpace(cells[2])+" not "+strings.TrimSpace(cells[3]))
	}
	var want []string
	for _, row := range layers {
		want = append(want, code([]string{row.folder})+" may "+code(row.may)+" not "+code(row.not))
	}
	slices.Sort(documented)
	slices.Sort(want)
	if !slices.Equal(documented, want) {
		t.Errorf("the layers in CONTRIBUTING.md:\n%s\nthe layers in deps_test.go:\n%s", strings.Join(documented, "\n"), strings.Join(want, "\n"))
	}
}

// code writes names as Markdown does.
func code(names []string) string {
	quoted := make([]string, len(names))
	for i, name := range names {
		quoted[i] = "`" + name + "`"
	}
	return cmp.Or(strings.Join(quoted, ", "), "–")
}

// check lists what a file imports or uses against its row.
func (l layer) check(file *ast.File) []string {
	var complaints []string
	names := map[string]string{} // of imported packages in this file
	for _, spec := range file.Imports {
		imported, _ := strconv.Unquote(spec.Path.Value)
		names[path.Base(imported)] = imported
		if spec.Name != nil {
			names[spec.Name.Name] = imported
		}
		if !l.allows(imported) {
			complaints = append(complaints, "imports "+strings.TrimPrefix(cmp.Or(strings.TrimPrefix(imported, module), "."), "/"))
		}
	}
	ast.Inspect(file, func(n ast.Node) bool {
		if use, ok := n.(*ast.SelectorExpr); ok {
			if pkg, ok := use.X.(*ast.Ident); ok && names[pkg.Name] != "" {
				if name := path.Base(names[pkg.Name]) + "." + use.Sel.Name; slices.Contains(l.not, name) {
					complaints = append(complaints, "uses "+name)
				}
			}
		}
		return true
	})
	return complaints
}

// allows judges one import.
func (l layer) allows(imported string) bool {
	if rest, own := strings.CutPrefix(imported, module); own && (rest == "" || rest[0] == '/') {
		folder := cmp.Or(strings.TrimPrefix(rest, "/"), ".")
		return slices.ContainsFunc(l.may, func(pattern string) bool { return matches(pattern, folder) })
	}
	return !slices.ContainsFunc(l.not, func(banned string) bool {
		return imported == banned || strings.HasPrefix(imported, banned+"/")
	})
}

func matches(pattern, folder string) bool {
	ok, _ := path.Match(pattern, folder)
	return ok
}

func parse(t *testing.T, file string) *ast.File {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// goFiles gives the Go files of the module by folder, for every system: those of programs, or those of tests.
func goFiles(t *testing.T, tests bool) map[string][]string {
	t.Helper()
	files := map[string][]string{}
	for _, file := range projectFiles(t) {
		if path.Ext(file) == ".go" && strings.HasSuffix(file, "_test.go") == tests {
			files[path.Dir(file)] = append(files[path.Dir(file)], file)
		}
	}
	if len(files) == 0 {
		t.Fatal("no Go files found")
	}
	return files
}

// projectFiles lists the files of the checkout as slash paths, without what is built and what git keeps.
func projectFiles(t *testing.T) []string {
	t.Helper()
	built := []string{".git", "bin", "dist", ".ai/state"}
	found := map[string]bool{}
	err := filepath.WalkDir(".", func(name string, d fs.DirEntry, err error) error {
		name = filepath.ToSlash(name)
		switch {
		case err != nil:
			return err
		case d.IsDir() && slices.Contains(built, name):
			return fs.SkipDir
		case !d.IsDir():
			found[name] = true
		}
		return nil
	})
	if err != nil {
		t.Fatal(fmt.Errorf("walking the checkout: %w", err))
	}
	return slices.Sorted(maps.Keys(found))
}
