package engine_test

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ryeos/rye/internal/ryetest"
	"github.com/ryeos/rye/pkg/engine"
	"github.com/ryeos/rye/pkg/integrity"
	"github.com/ryeos/rye/pkg/item"
	"github.com/ryeos/rye/pkg/space"
)

// soundTool passes every check of rye sign for a tool in this folder.
func soundTool(category string) string {
	return ryetest.YAML("rye/core/runtimes/bash/bash", `category: "`+category+`"`)
}

func sign(t *testing.T, e *engine.Engine, req engine.SignRequest) *engine.Report {
	t.Helper()
	report, err := e.Sign(req)
	if err != nil {
		t.Fatal(err)
	}
	return report
}

// states maps each file of a report, by its path below the project's or the user's .ai, to its state.
func states(w *ryetest.World, report *engine.Report) map[string]string {
	got := map[string]string{}
	for _, r := range report.Results {
		name := strings.TrimPrefix(strings.TrimPrefix(r.Path, w.Project.Base+"/"), w.User.Base+"/")
		got[strings.TrimPrefix(name, ".ai/")] = r.State
	}
	return got
}

func wantStates(t *testing.T, w *ryetest.World, what string, report *engine.Report, want map[string]string) {
	t.Helper()
	if got := states(w, report); !maps.Equal(got, want) {
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
}

func TestSignReportsEveryIssueAtOnce(t *testing.T) {
	w := ryetest.New(t)
	file := w.Project.Write(".ai/tools/my/bad.yaml", "version: one\nexecutor_id: null\ntool_type: python\ncategory: other\n"+
		"config_schema: {type: array, required: [x]}\n")
	good := w.Project.Write(".ai/tools/my/good.yaml", soundTool("my"))
	before, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	report := sign(t, w.Engine(), engine.SignRequest{Patterns: []string{"tool:my/*"}})
	wantStates(t, w, "one is sound", report, map[string]string{"tools/my/bad.yaml": "failed", "tools/my/good.yaml": "signed"})
	if report.Status != "error" || report.Failed != 1 || report.Total != 2 || report.Summary != "1/2 signed, 1 failed" {
		t.Errorf("report %s: %s", report.Status, report.Summary)
	}
	bad := report.Results[slices.IndexFunc(report.Results, func(r engine.FileResult) bool { return r.State == "failed" })]
	for _, want := range []string{
		"yaml:1:10: Field 'version' must be semver format (X.Y.Z), got 'one'", ": Missing required field: description",
		":4:11: Field 'category' value 'other' must match path category 'my'", ":2:14: Field 'executor_id' is null",
		":5:16: Field 'config_schema.type' must be 'object'", ":5:16: Field 'config_schema.required[0]' names 'x'",
	} {
		if !slices.ContainsFunc(bad.Issues, func(issue string) bool { return strings.HasPrefix(issue, file) && strings.Contains(issue, want) }) {
			t.Errorf("no issue says %q: %q", want, bad.Issues)
		}
	}
	if bad.Error != "Validation failed" || bad.ErrorType != item.TypeChain {
		t.Errorf("error %s %q", bad.ErrorType, bad.Error)
	}
	if after, err := os.ReadFile(file); err != nil || string(after) != string(before) {
		t.Errorf("an unsound file was changed: %v", err)
	}
	if data, err := os.ReadFile(good); err != nil || !strings.HasPrefix(string(data), "# rye:signed:v2:2026-03-04T05:06:07Z:") {
		t.Errorf("a sound file begins %.60q, %v", data, err)
	}
}

func TestSignPatterns(t *testing.T) {
	w := ryetest.New(t)
	w.Project.Write(".ai/tools/top.yaml", soundTool(""))
	w.Project.Write(".ai/tools/a/one.yaml", soundTool("a"))
	w.Project.Write(".ai/tools/a/two.yaml", soundTool("a"))
	w.Project.Write(".ai/tools/a/deep/one.yaml", soundTool("a/deep"))
	w.Project.Write(".ai/config/a/one.yaml", "version: 1.0.0\ncategory: a\n")
	w.User.Write(".ai/tools/mine.yaml", soundTool(""))
	const unsigned = "needs_signing"
	for _, test := range []struct {
		patterns []string
		source   space.Label
		want     []string
	}{
		{[]string{"tool:a/one"}, "", []string{"tools/a/one.yaml"}},
		{[]string{"a/one"}, "", []string{"tools/a/one.yaml"}},
		{[]string{"config:a/one"}, "", []string{"config/a/one.yaml"}},
		{[]string{"tool:a/*"}, "", []string{"tools/a/one.yaml", "tools/a/two.yaml"}},
		{[]string{"tool:a/**"}, "", []string{"tools/a/deep/one.yaml", "tools/a/one.yaml", "tools/a/two.yaml"}},
		{[]string{"tool:one"}, "", nil},
		{[]string{"tool:o*e"}, "", []string{"tools/a/deep/one.yaml", "tools/a/one.yaml"}},
		{[]string{"a/o*"}, "", []string{"config/a/one.yaml", "tools/a/one.yaml"}},
		{[]string{"tool:top", "tool:top", "tool:t*"}, "", []string{"tools/a/two.yaml", "tools/top.yaml"}},
		{[]string{w.Project.Path(".ai/tools/a/one.yaml")}, "", []string{"tools/a/one.yaml"}},
		{[]string{w.Project.Path(".ai/tools/a")}, "", []string{"tools/a/deep/one.yaml", "tools/a/one.yaml", "tools/a/two.yaml"}},
		{[]string{"tool:mine"}, space.User, []string{"tools/mine.yaml"}},
		{[]string{"tool:mine"}, "", nil},
	} {
		report, err := w.Engine().Sign(engine.SignRequest{Patterns: test.patterns, Source: test.source, Check: true})
		if test.want == nil {
			if item.TypeOf(err) != item.TypeNotFound {
				t.Errorf("%q: got %v, %v", test.patterns, report, err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%q: %v", test.patterns, err)
			continue
		}
		got := slices.Sorted(maps.Keys(states(w, report)))
		if !slices.Equal(got, test.want) || report.Total != len(test.want) {
			t.Errorf("%q: got %v, want %v", test.patterns, got, test.want)
		}
		for file, state := range states(w, report) {
			if state != unsigned {
				t.Errorf("%q: %s is %s", test.patterns, file, state)
			}
		}
	}
	for _, pattern := range []string{"tool:rye/bash", "../x", "/etc/passwd", w.User.Path("outside.py"), "none:*"} {
		if _, err := w.Engine().Sign(engine.SignRequest{Patterns: []string{pattern}}); err == nil || item.TypeOf(err) == item.TypeInternal {
			t.Errorf("%q: got %s error %v", pattern, item.TypeOf(err), err)
		}
	}
	if _, err := w.Engine().Sign(engine.SignRequest{All: true, Source: space.System}); item.TypeOf(err) != item.TypeUsage {
		t.Errorf("the system space: %v", err)
	}
}

// --all signs what running the tools would verify, and nothing else: no data, no trust documents.
func TestSignAllIncludesDependencies(t *testing.T) {
	w := ryetest.New(t)
	w.Project.Write(".ai/tools/app/main.py", "\"\"\"Main.\"\"\"\n__version__ = \"1.0.0\"\n__tool_type__ = \"python\"\n"+
		"__executor_id__ = \"rye/core/runtimes/python/function\"\n__category__ = \"app\"\n"+
		"import json, helper\ndef execute(p, project):\n    return helper.data()\n")
	w.Project.Write(".ai/tools/app/pyproject.toml", "")
	w.Project.Write(".ai/tools/app/lib/helper.py", "import json, os\ndef data():\n    return json.load(open(os.path.join(os.path.dirname(__file__), 'data.json')))\n")
	w.Project.Write(".ai/tools/app/lib/data.json", `{"a": 1}`)
	w.Project.Write(".ai/tools/app/notes.txt", "not asked for\n")
	w.Project.Write(".ai/tools/loose/library.py", "x = 1\n")
	w.Project.Write(".ai/directives/README.txt", "")
	stranger, err := integrity.NewKey()
	if err != nil {
		t.Fatal(err)
	}
	trustDocument := w.Project.Trust(stranger)
	before, err := os.ReadFile(trustDocument)
	if err != nil {
		t.Fatal(err)
	}
	e := w.Engine()
	want := map[string]string{"tools/app/main.py": "signed", "tools/app/lib/helper.py": "signed", "tools/app/lib/data.json": "signed"}
	wantStates(t, w, "sign --all", sign(t, e, engine.SignRequest{All: true}), want)

	if resp := execute(t, e, item.Request{Ref: "app/main"}); resp.Failed() || marshal(t, resp.Data) != `{"a":1}` {
		t.Errorf("what was signed does not run: %s", marshal(t, resp))
	}
	if after, err := os.ReadFile(trustDocument); err != nil || string(after) != string(before) {
		t.Errorf("a trust document was touched: %v", err)
	}
	if _, err := os.Stat(w.Project.Path(".ai/tools/app/lib/data.json.rye-sig")); err != nil {
		t.Errorf("JSON has no detached signature: %v", err)
	}
	for _, pattern := range []string{"config:*", w.Project.Path(".ai/config/keys"), "config:keys/**"} {
		if report, err := e.Sign(engine.SignRequest{Patterns: []string{pattern}}); item.TypeOf(err) != item.TypeNotFound {
			t.Errorf("%s reaches trust documents: %+v, %v", pattern, report, err)
		}
	}
	for path := range want {
		want[path] = "unchanged"
	}
	wantStates(t, w, "again", sign(t, e, engine.SignRequest{All: true}), want)
}

func TestSignAgainOnlyWhenNeeded(t *testing.T) {
	w := ryetest.New(t)
	file := w.Project.Write(".ai/tools/x.yaml", soundTool(""))
	e := w.Engine()
	state := func(req engine.SignRequest) string {
		req.Patterns = []string{"tool:x"}
		return sign(t, e, req).Results[0].State
	}
	if got := state(engine.SignRequest{}); got != "signed" {
		t.Fatalf("at first: %s", got)
	}
	signed, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name   string
		change func()
		req    engine.SignRequest
		want   string
	}{
		{"nothing changed", func() {}, engine.SignRequest{}, "unchanged"},
		{"nothing changed, check", func() {}, engine.SignRequest{Check: true}, "unchanged"},
		{"forced", func() {}, engine.SignRequest{Force: true}, "signed"},
		{"edited, check", func() { w.Project.Write(".ai/tools/x.yaml", string(signed)+"# edited\n") }, engine.SignRequest{Check: true}, "needs_signing"},
		{"edited", func() {}, engine.SignRequest{}, "signed"},
		{"moved here", func() {
			w.Project.Remove(".ai/tools/x.yaml")
			w.Project.Tool("other.yaml", soundTool(""))
			if err := os.Rename(w.Project.Path(".ai/tools/other.yaml"), file); err != nil {
				t.Fatal(err)
			}
		}, engine.SignRequest{}, "signed"},
		{"signed by another key", func() {
			own := w.Key
			if w.Key, err = integrity.NewKey(); err != nil {
				t.Fatal(err)
			}
			w.User.Trust(w.Key)
			w.Project.Tool("x.yaml", soundTool(""))
			w.Key = own
		}, engine.SignRequest{}, "signed"},
	} {
		test.change()
		if got := state(test.req); got != test.want {
			t.Errorf("%s: %s, want %s", test.name, got, test.want)
		}
	}
}

func TestSignNeedsAKey(t *testing.T) {
	w := ryetest.New(t)
	w.Project.Write(".ai/tools/x.yaml", soundTool(""))
	w.User.Remove(".ai/config/keys/signing")
	_, err := w.Engine().Sign(engine.SignRequest{All: true})
	if item.TypeOf(err) != item.TypeNotFound || !slices.Equal(item.HintsOf(err), []string{"rye keys generate"}) {
		t.Errorf("got %v, hints %q", err, item.HintsOf(err))
	}
	if _, err := os.Stat(filepath.Join(w.User.Base, ".ai/config/keys/signing")); !os.IsNotExist(err) {
		t.Errorf("a key was made silently: %v", err)
	}
}

// A runtime of the user's, whatever its id, may ask for the files of a project's tool.
func TestSignAllAsksTheUsersRuntimes(t *testing.T) {
	w := ryetest.New(t)
	w.User.Write(".ai/tools/strict.yaml", "version: 1.0.0\ntool_type: runtime\nexecutor_id: rye/core/primitives/execute\n"+
		"category: \"\"\ndescription: Runs scripts\nconfig: {command: sh, args: [\"{tool_path}\"]}\n"+
		"anchor: {enabled: true, markers_any: [kit.txt]}\nverify_deps: {enabled: true, scope: anchor, extensions: [.inc]}\n")
	w.Project.Write(".ai/tools/app/main.sh", "# __version__ = \"1.0.0\"\n# __tool_type__ = \"sh\"\n# __executor_id__ = \"strict\"\n"+
		"# __category__ = \"app\"\n# __description__ = \"Main\"\necho done\n")
	w.Project.Write(".ai/tools/app/kit.txt", "")
	w.Project.Write(".ai/tools/app/words.inc", "# words\n")
	e := w.Engine()
	if report := sign(t, e, engine.SignRequest{All: true, Source: space.User}); report.Failed > 0 {
		t.Fatalf("the runtime was not signed: %s", marshal(t, report))
	}
	wantStates(t, w, "sign --all", sign(t, e, engine.SignRequest{All: true}),
		map[string]string{"tools/app/main.sh": "signed", "tools/app/words.inc": "signed"})
}
