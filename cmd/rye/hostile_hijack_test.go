package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ryeos/rye/internal/hostile"
)

// needs skips a test without its program, which RYE_TEST_DISALLOW_SKIP=1 forbids.
func needs(t *testing.T, program string) string {
	t.Helper()
	file, err := exec.LookPath(program)
	if err != nil && os.Getenv("RYE_TEST_DISALLOW_SKIP") == "1" {
		t.Fatalf("%s is not installed, and skipping is not allowed", program)
	}
	if err != nil {
		t.Skipf("%s is not installed", program)
	}
	return file
}

// pythonTool imports what an attacker would like to replace, and tries a module that only the attacker has.
const pythonTool = `__version__ = "1.0.0"
__tool_type__ = "python"
__executor_id__ = "rye/core/runtimes/python/RUNTIME"
__category__ = "py"
__tool_description__ = "Imports"
import asyncio, inspect, json, sys
try:
    import planted
except ImportError:
    planted = None
def execute(params, project_path):
    return {"planted": planted is not None}
if __name__ == "__main__":
    print(json.dumps(execute({}, "")))
`

// marked is a run of rye in which planted code can leave its mark, as the caller's variables pass; env overrides what
// command sets.
func (g *ground) marked(dir string, env []string, args ...string) outcome {
	cmd := g.command(args...)
	cmd.Dir = filepath.Join(g.project, dir)
	cmd.Env = append(append(cmd.Env, "MARK="+g.marker()), env...)
	return g.run(cmd)
}

func TestPythonLoadsNothingUnverified(t *testing.T) {
	needs(t, "python3")
	g := newGround(t)
	for _, runtime := range []string{"script", "function"} {
		g.write(".ai/tools/py/"+runtime+".py", strings.ReplaceAll(pythonTool, "RUNTIME", runtime))
	}
	g.sign()
	places := []string{"", "sub", ".ai/tools/py"}
	for _, place := range places {
		for _, plant := range hostile.Modules {
			g.write(filepath.Join(place, plant), hostile.Mark)
		}
	}
	g.plantWorks("", "planted")
	for _, place := range places {
		for _, runtime := range []string{"script", "function"} {
			for _, path := range []string{"PYTHONPATH=:", "PYTHONPATH=.:sub"} {
				out := g.marked(place, []string{path}, "execute", "tool:py/"+runtime)
				if doc := g.document(out); out.code != 0 || doc["data"].(map[string]any)["planted"] != false {
					t.Errorf("%s in %q with %s: %v", runtime, place, path, doc)
				}
				g.checkMarker()
			}
		}
	}
}

// plantWorks is the control: Python alone does run what was planted in the folder it stands in.
func (g *ground) plantWorks(dir, module string) {
	g.Helper()
	cmd := exec.Command("python3", "-S", "-c", "import "+module)
	cmd.Dir, cmd.Env = filepath.Join(g.project, dir), []string{"MARK=" + g.marker()}
	g.run(cmd)
	if err := os.Remove(g.marker()); err != nil {
		g.Fatal("the planted module does not do what it should")
	}
}

// compiled is a compiled file of hostile code that Python takes without a look at the source (PEP 552), and what this
// Python puts into the names of such files.
func (g *ground) compiled() (code, tag string) {
	g.Helper()
	dir := g.TempDir()
	const script = `import py_compile, sys
py_compile.compile(sys.argv[1], sys.argv[2], doraise=True, invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH)
print(sys.implementation.cache_tag, end="")`
	source, target := filepath.Join(dir, "hostile.py"), filepath.Join(dir, "hostile.pyc")
	if err := os.WriteFile(source, []byte(hostile.Mark), 0o644); err != nil {
		g.Fatal(err)
	}
	out, err := exec.Command("python3", "-c", script, source, target).CombinedOutput()
	if err != nil {
		g.Fatalf("%v: %s", err, out)
	}
	data, err := os.ReadFile(target)
	if err != nil {
		g.Fatal(err)
	}
	return string(data), string(out)
}

func TestPlantedCompiledFilesAreNotLoaded(t *testing.T) {
	needs(t, "python3")
	g := newGround(t)
	for _, runtime := range []string{"script", "function"} {
		g.write(".ai/tools/py/"+runtime+".py", strings.ReplaceAll(pythonTool, "RUNTIME", runtime))
		change := strings.NewReplacer("RUNTIME", runtime, `"py"`, `"anchored"`, "import planted", "import kit.part as planted")
		g.write(".ai/tools/anchored/"+runtime+".py", change.Replace(pythonTool))
	}
	g.write(".ai/tools/anchored/__init__.py", "")
	g.write(".ai/tools/anchored/kit/__init__.py", "")
	g.write(".ai/tools/anchored/kit/part.py", "")
	g.sign()
	code, tag := g.compiled()
	for _, name := range []string{
		"py/__pycache__/script", "py/__pycache__/function", "py/__pycache__/tool", "anchored/__pycache__/script",
		"anchored/__pycache__/tool", "anchored/__pycache__/__init__", "anchored/kit/__pycache__/__init__",
		"anchored/kit/__pycache__/part",
	} {
		g.write(".ai/tools/"+name+"."+tag+".pyc", code)
	}
	g.plantWorks(".ai/tools/anchored", "kit")
	for _, tool := range []string{"py/script", "py/function", "anchored/script", "anchored/function"} {
		out := g.marked("", nil, "execute", "tool:"+tool)
		imports := strings.HasPrefix(tool, "anchored/")
		if doc := g.document(out); out.code != 0 || doc["data"].(map[string]any)["planted"] != imports {
			t.Errorf("%s: %v", tool, doc)
		}
		g.checkMarker()
	}
	// Compiled files that an import statement finds are dependencies like any other.
	for _, name := range []string{"json.pyc", "json.so", "json.abi3.so", "anchored/planted.pyc"} {
		g.write(".ai/tools/anchored/"+name, "x")
		out := g.marked("", nil, "execute", "tool:anchored/script")
		if doc := g.document(out); out.code != exitIntegrity || !strings.Contains(doc["error"].(string), "Unsigned item") {
			t.Errorf("%s: left with %d and %v", name, out.code, doc)
		}
		os.Remove(filepath.Join(g.project, ".ai/tools/anchored", name))
		g.checkMarker()
	}
}

// withoutPath is what becomes of the tools of the corpus when PATH names no folder: bash is an absolute path in its
// runtime, but `touch` is not found by it.
var withoutPath = map[string]exitCode{
	"tool:c/py": exitUnavailable, "tool:c/js": exitUnavailable, "tool:c/sh": exitFailed, "tool:c/yaml": exitFailed,
}

// Programs in the project, named like interpreters, wherever PATH may point.
func TestPlantedInterpretersAreNotRun(t *testing.T) {
	needs(t, "python3")
	needs(t, "node")
	g := newGround(t)
	for name, file := range corpus {
		g.write(name, file.content)
	}
	g.sign()
	for _, name := range hostile.Programs {
		for _, dir := range []string{"", "bin"} {
			file := g.write(filepath.Join(dir, name), hostile.Program)
			if err := os.Chmod(file, 0o755); err != nil {
				t.Fatal(err)
			}
		}
	}
	path := os.Getenv("PATH")
	for _, planted := range []string{
		".:" + path, ":" + path, "bin:" + path, path + ":.", g.project + ":" + path, g.project + "/bin:" + path, "", ".",
	} {
		for _, ref := range []string{"tool:c/py", "tool:c/js", "tool:c/sh", "tool:c/yaml"} {
			out := g.marked("", []string{"PATH=" + planted}, "execute", ref)
			want := exitOK
			if !strings.Contains(planted, path) {
				want = withoutPath[ref]
			}
			if out.code != want {
				t.Errorf("%s with PATH=%s left with %d, want %d: %+v", ref, planted, out.code, want, out)
			}
			if exists(g.marker() + ".planted") {
				t.Fatalf("%s with PATH=%s ran a program of the project", ref, planted)
			}
		}
	}
}
