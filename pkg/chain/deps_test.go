package chain_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/ryeos/rye/internal/ryetest"
	"github.com/ryeos/rye/pkg/chain"
	"github.com/ryeos/rye/pkg/item"
)

// verifyDeps resolves the tool a/x, whose runtime has a verify_deps, and verifies what it loads.
func verifyDeps(t *testing.T, w *ryetest.World) (chain.Deps, error) {
	t.Helper()
	w.Project.Tool("a/x.yaml", ryetest.YAML("run/r"))
	w.Project.Tool("run/r.yaml", anchored("mode: always, lib: lib")+"verify_deps: {enabled: true, extensions: [.py]}\n")
	r := w.Resolver()
	c := mustResolve(t, r, "a/x")
	a, err := r.Anchor(c)
	if err != nil {
		t.Fatal(err)
	}
	return r.VerifyDeps(c, a, false)
}

func TestVerifyDepsCoversTheAnchoredTree(t *testing.T) {
	for _, unsigned := range []string{"a/y.py", "a/sub/deep/y.py", "a/.hidden.py", "run/lib/y.py", "a/sub/__init__.py"} {
		w := ryetest.New(t)
		w.Project.Dependency(".ai/tools/a/signed.py", "x = 1\n")
		if deps, err := verifyDeps(t, w); err != nil || deps.Files != 1 {
			t.Errorf("a signed tree: %+v, %v", deps, err)
		}
		w.Project.Write(".ai/tools/"+unsigned, "")
		_, err := verifyDeps(t, w)
		refused(t, err, item.TypeIntegrity, "Unsigned item: "+w.Project.Path(".ai/tools/"+unsigned))
	}
}

func TestVerifyDepsScopes(t *testing.T) {
	for spec, want := range map[string][]string{
		"scope: anchor":                     {"a/sub/y.py", "a/y.py", "run/lib/z.py"},
		"scope: tool_dir":                   {"a/sub/y.py", "a/y.py", "run/lib/z.py"},
		"scope: tool_siblings":              {"a/y.py", "run/lib/z.py"},
		"scope: tool_file":                  nil,
		"recursive: false":                  {"a/y.py", "run/lib/z.py"},
		"exclude_dirs: [sub, __pycache__]":  {"a/y.py", "run/lib/z.py"},
		"extensions: [.txt]":                {"a/y.txt"},
		"enabled: false":                    nil,
		"exclude_dirs: [y.py, __pycache__]": {"a/sub/y.py", "a/y.py", "run/lib/z.py"}, // names folders only
	} {
		w := ryetest.New(t)
		for _, file := range []string{"a/y.py", "a/y.txt", "a/sub/y.py", "run/lib/z.py", "a/__pycache__/y.py", "b/y.py"} {
			w.Project.Write(".ai/tools/"+file, "")
		}
		w.Project.Tool("a/x.yaml", ryetest.YAML("run/r"))
		w.Project.Tool("run/r.yaml", anchored("mode: always, lib: lib")+"verify_deps: "+
			"{enabled: true, extensions: [.py], exclude_dirs: [__pycache__]}\n")
		r := w.Resolver()
		c := mustResolve(t, r, "a/x")
		c.Elements[1].Meta.VerifyDeps = verifyDepsSpec(t, spec)
		a, err := r.Anchor(c)
		if err != nil {
			t.Fatal(err)
		}
		files, err := r.DependencyFiles(c, a)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, f := range files {
			got = append(got, strings.TrimPrefix(f.Rel, "tools/"))
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: got %v, want %v", spec, got, want)
		}
	}
}

// verifyDepsSpec reads a verify_deps with one field that differs from the test's.
func verifyDepsSpec(t *testing.T, change string) *item.VerifyDeps {
	t.Helper()
	text := "executor_id: r\nverify_deps:\n"
	fields := map[string]string{"enabled": "true", "extensions": "[.py]", "exclude_dirs": "[__pycache__]"}
	name, value, _ := strings.Cut(change, ": ")
	fields[name] = value
	for name, value := range fields {
		text += "  " + name + ": " + value + "\n"
	}
	meta, err := item.ParseMetadata(item.Tool, "x.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return meta.VerifyDeps
}

func TestVerifyDepsDoesNothingWithoutAnAnchor(t *testing.T) {
	w := ryetest.New(t)
	w.Project.Tool("a/x.py", "__executor_id__ = \"rye/core/runtimes/python/script\"\n")
	w.Project.Write(".ai/tools/a/unsigned.py", "")
	r := w.Resolver()
	c := mustResolve(t, r, "a/x")
	a, err := r.Anchor(c)
	if err != nil {
		t.Fatal(err)
	}
	if deps, err := r.VerifyDeps(c, a, false); err != nil || deps.Files != 0 {
		t.Errorf("got %+v, %v", deps, err)
	}
}

func TestVerifyDepsRefusesLinksOut(t *testing.T) {
	for target, message := range map[string]string{
		"../../../outside.py": "Symlink escape: ", // out of .ai
		"../ab/y.py":          "Symlink escape: ", // the folder's name as a prefix is not the folder
		"__pycache__/y.py":    "Symlink escape: ", // into a folder that nobody verifies
		"gone.py":             "",                 // loads nothing
		"signed.py":           "",
		"code.txt":            "Unsigned item: ", // what it leads to counts, under the link's suffix
	} {
		w := ryetest.New(t)
		w.Project.Write("outside.py", "")
		w.Project.Write(".ai/tools/ab/y.py", "")
		w.Project.Write(".ai/tools/a/__pycache__/y.py", "")
		w.Project.Write(".ai/tools/a/code.txt", "")
		w.Project.Dependency(".ai/tools/a/signed.py", "x = 1\n")
		if err := os.Symlink(target, w.Project.Path(".ai/tools/a/link.py")); err != nil {
			t.Fatal(err)
		}
		if _, err := verifyDeps(t, w); message != "" {
			refused(t, err, item.TypeIntegrity, message+w.Project.Path(".ai/tools/a/"))
		} else if err != nil {
			t.Errorf("a link to %s: %v", target, err)
		}
	}
}
