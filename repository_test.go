package rye_test

import (
	"bytes"
	"go/ast"
	"go/token"
	"io/fs"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"golang.org/x/mod/modfile"

	"github.com/ryeos/rye"
	"github.com/ryeos/rye/pkg/engine"
)

// TestRepositoryEmbedsEverything: embedding leaves out names that start with a dot or an underscore unless it is told
// not to.
func TestRepositoryEmbedsEverything(t *testing.T) {
	embedded, onDisk := read(t, rye.System()), read(t, os.DirFS("."))
	for name, file := range onDisk {
		if embedded[name] == nil || !bytes.Equal(embedded[name].Data, file.Data) {
			t.Errorf("%s is not in the binary as it is on disk", name)
		}
	}
	if len(embedded) != len(onDisk) || len(onDisk) == 0 {
		t.Errorf("%d files are embedded, %d are on disk", len(embedded), len(onDisk))
	}
}

// TestRepositorySystemVerifies: every file that ships is signed by the key that ships.
func TestRepositorySystemVerifies(t *testing.T) {
	states := verifySystem(t, rye.System())
	for name := range read(t, rye.System()) {
		if got := states[name]; got != engine.StateVerified && !isKeyDocument(name) {
			t.Errorf("%s: %q", name, got)
		}
	}
}

// TestRepositorySystemNoticesChanges: one more byte anywhere and the file is refused.
func TestRepositorySystemNoticesChanges(t *testing.T) {
	changed := read(t, rye.System())
	for name, file := range changed {
		if !isKeyDocument(name) {
			file.Data = append(file.Data, ' ')
		}
	}
	for name, state := range verifySystem(t, changed) {
		if state != engine.StateFailed {
			t.Errorf("%s was changed and is %s", name, state)
		}
	}
}

func isKeyDocument(name string) bool { return strings.HasPrefix(name, ".ai/config/keys/trusted/") }

// verifySystem gives the state of each file of a system space, with nobody's project and nobody's keys.
func verifySystem(t *testing.T, system fs.FS) map[string]string {
	t.Helper()
	e, err := engine.New(engine.Options{Project: t.TempDir(), User: t.TempDir(), System: system, Cache: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	report, err := e.Verify(engine.VerifyRequest{All: true})
	if err != nil {
		t.Fatal(err)
	}
	states := map[string]string{}
	for _, r := range report.Results {
		states[".ai/"+strings.TrimPrefix(r.Path, "system:")] = r.State
	}
	if len(states) == 0 {
		t.Fatal("nothing was verified")
	}
	return states
}

// read gives the regular files below .ai of a file system.
func read(t *testing.T, fsys fs.FS) fstest.MapFS {
	t.Helper()
	files := fstest.MapFS{}
	err := fs.WalkDir(fsys, ".ai", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := fs.ReadFile(fsys, name)
		files[name] = &fstest.MapFile{Data: data}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// TestRepositoryPackageComments: each package says what it is, in one place.
func TestRepositoryPackageComments(t *testing.T) {
	for folder, files := range goFiles(t, false) {
		var documented []string
		for _, file := range files {
			if parse(t, file).Doc != nil {
				documented = append(documented, file)
			}
		}
		if len(documented) != 1 {
			t.Errorf("package %s has %d package comments: %v", folder, len(documented), documented)
		}
	}
}

// machine matches what belongs to one machine or one network: folders of somebody's checkout, and where modules and
// packages are fetched from. It is written so that it does not match itself.
var machine = regexp.MustCompile(`(^|[\s"'=(:` + "`" + `])/(work|root)/[\w.]|pro[x]y\.golang\.org|py[p]i\.org|registry\.np[m]js`)

func TestRepositoryNamesNoMachine(t *testing.T) {
	for _, text := range []string{"cd /wor" + "k/main", `"/roo` + `t/go"`, "https://prox" + "y.golang.org"} {
		if !machine.MatchString(text) {
			t.Errorf("the pattern does not find %q", text)
		}
	}
	for _, file := range projectFiles(t) {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for n, line := range strings.Split(string(data), "\n") {
			if found := machine.FindString(line); found != "" {
				t.Errorf("%s:%d names a machine: %q", file, n+1, found)
			}
		}
	}
}

// TestRepositoryDependencies: every module that rye requires has its line, and no other has one.
func TestRepositoryDependencies(t *testing.T) {
	data, err := os.ReadFile("go.mod")
	if err != nil {
		t.Fatal(err)
	}
	mod, err := modfile.Parse("go.mod", data, nil)
	if err != nil {
		t.Fatal(err)
	}
	var required []string
	for _, r := range mod.Require {
		if !r.Indirect {
			required = append(required, r.Mod.Path)
		}
	}
	text, err := os.ReadFile("docs/dependencies.md")
	if err != nil {
		t.Fatal(err)
	}
	var documented []string
	for _, m := range regexp.MustCompile("(?m)^\\| `([^`]+)`").FindAllSubmatch(text, -1) {
		documented = append(documented, string(m[1]))
	}
	slices.Sort(required)
	slices.Sort(documented)
	if !slices.Equal(required, documented) {
		t.Errorf("go.mod requires\n  %s\ndocs/dependencies.md has\n  %s", strings.Join(required, "\n  "), strings.Join(documented, "\n  "))
	}
}

// TestRepositoryDocuments: what the documents tell people to make is a target, and what they link to is a file.
func TestRepositoryDocuments(t *testing.T) {
	makefile, err := os.ReadFile("Makefile")
	if err != nil {
		t.Fatal(err)
	}
	target := regexp.MustCompile("(?m)^make ([a-z-]+)|`make ([a-z-]+)")
	link := regexp.MustCompile(`\]\(([^)#:]+)(?:#[^)]*)?\)`)
	for _, file := range projectFiles(t) {
		if path.Ext(file) != ".md" || strings.HasPrefix(file, ".ai/") {
			continue
		}
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range target.FindAllStringSubmatch(string(text), -1) {
			if name := m[1] + m[2]; !bytes.Contains(makefile, []byte("\n"+name+":")) {
				t.Errorf("%s: make %s is no target", file, name)
			}
		}
		for _, m := range link.FindAllStringSubmatch(string(text), -1) {
			if _, err := os.Stat(path.Join(path.Dir(file), m[1])); err != nil {
				t.Errorf("%s: the link %s leads nowhere", file, m[1])
			}
		}
	}
}

// Start-up is on the way to every tool run: no package of the binary compiles a regular expression before it is used.
func TestRepositoryCompilesNothingAtStartUp(t *testing.T) {
	for folder, files := range goFiles(t, false) {
		if !strings.HasPrefix(folder, "pkg/") && !strings.HasPrefix(folder, "cmd/") {
			continue
		}
		for _, file := range files {
			for _, decl := range parse(t, file).Decls {
				if compilesAtOnce(decl) {
					t.Errorf("%s compiles a regular expression at start-up: wrap it in sync.OnceValue", file)
				}
			}
		}
	}
}

// compilesAtOnce looks for MustCompile in package variables, outside functions.
func compilesAtOnce(decl ast.Decl) bool {
	vars, ok := decl.(*ast.GenDecl)
	if !ok || vars.Tok != token.VAR {
		return false
	}
	found := false
	ast.Inspect(vars, func(n ast.Node) bool {
		_, later := n.(*ast.FuncLit)
		sel, ok := n.(*ast.SelectorExpr)
		found = found || ok && strings.HasPrefix(sel.Sel.Name, "MustCompile")
		return !later
	})
	return found
}
