package chain_test

import (
	"strings"
	"testing"

	"github.com/ryeos/rye/internal/ryetest"
	"github.com/ryeos/rye/pkg/item"
)

// anchored is a runtime with an anchor; spec is a flow mapping's inside.
func anchored(spec string) string {
	if !strings.Contains(spec, "enabled:") {
		spec = "enabled: true, " + spec
	}
	return ryetest.YAML(ryetest.Execute, "anchor: {markers_any: [MARK], "+spec+"}")
}

func TestAnchor(t *testing.T) {
	for _, test := range []struct {
		name, spec string
		files      []string // below .ai/tools, beside the tool a/b/x.yaml and its runtime run/r.yaml
		active     bool
		dir, lib   string // below .ai/tools; "." is the folder itself
	}{
		{"marker beside the tool", "lib: lib", []string{"a/b/MARK"}, true, "a/b", "run/lib"},
		{"marker in a parent", "lib: lib", []string{"a/MARK"}, true, "a", "run/lib"},
		{"the nearest marker wins", "", []string{"a/MARK", "a/b/MARK"}, true, "a/b", ""},
		{"marker in the tools folder", "", []string{"MARK"}, true, "", ""},
		{"marker above the tools folder", "lib: lib", []string{"../MARK"}, false, "a/b", "run/lib"},
		{"no marker", "", nil, false, "a/b", ""},
		{"marker in a sibling folder", "", []string{"a/c/MARK"}, false, "a/b", ""},
		{"the anchor's own lib comes first", "lib: lib", []string{"a/MARK", "a/lib/y", "run/lib/y"}, true, "a", "a/lib"},
		{"a file is no lib", "lib: lib", []string{"a/MARK", "a/lib"}, true, "a", "run/lib"},
		{"always needs no marker", "mode: always", nil, true, "a/b", ""},
		{"never", "mode: never", []string{"a/b/MARK"}, false, "a/b", ""},
		{"disabled", "enabled: false", []string{"a/b/MARK"}, false, "a/b", ""},
		{"root tool_parent", "mode: always, root: tool_parent", nil, true, "a", ""},
		{"a lib beside the runtime's folder", "mode: always, lib: ../python/lib", nil, true, "a/b", "python/lib"},
	} {
		w := ryetest.New(t)
		w.Project.Tool("a/b/x.yaml", ryetest.YAML("run/r"))
		w.Project.Tool("run/r.yaml", anchored(test.spec))
		for _, file := range test.files {
			w.Project.Write(".ai/tools/"+file, "")
		}
		r := w.Resolver()
		a, err := r.Anchor(mustResolve(t, r, "a/b/x"))
		if err != nil {
			t.Errorf("%s: %v", test.name, err)
			continue
		}
		lib := ""
		if a.Lib.Space != nil {
			lib = a.Lib.Display()
		}
		wantLib := ""
		if test.lib != "" {
			wantLib = w.Project.Path(".ai/tools/" + test.lib)
		}
		if a.Active != test.active || a.Dir.Display() != w.Project.Path(".ai/tools/"+test.dir) || lib != wantLib {
			t.Errorf("%s: active %t, dir %s, lib %q", test.name, a.Active, a.Dir.Display(), lib)
		}
	}
}

func TestAnchorAtTheProject(t *testing.T) {
	w := ryetest.New(t)
	w.User.Tool("x.yaml", ryetest.YAML("r"))
	w.User.Tool("r.yaml", anchored("mode: always, root: project_path, lib: lib"))
	w.Project.Mkdir("lib") // is not the anchor's lib: nothing of the project was verified as one
	r := w.Resolver()
	a, err := r.Anchor(mustResolve(t, r, "x"))
	if err != nil || !a.Active || a.Dir.Display() != w.Project.Base || a.Lib.Display() != w.User.Path(".ai/tools/lib") {
		t.Errorf("got %+v, %v", a, err)
	}
}

func TestAnchorLibStaysInTheToolsFolder(t *testing.T) {
	for _, lib := range []string{"../../config", "/etc", "../../../.."} {
		w := ryetest.New(t)
		w.Project.Tool("a/x.yaml", ryetest.YAML("a/r"))
		w.Project.Tool("a/r.yaml", anchored("mode: always, lib: "+lib))
		r := w.Resolver()
		_, err := r.Anchor(mustResolve(t, r, "a/x"))
		refused(t, err, item.TypeChain, `anchor.lib "`+lib+`" of a/r leads out of the tools folder`)
	}
}
