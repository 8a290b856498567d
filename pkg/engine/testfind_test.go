package engine_test

import (
	"os"
	"strings"
	"testing"

	"github.com/ryeos/rye/internal/ryetest"
	"github.com/ryeos/rye/pkg/engine"
	"github.com/ryeos/rye/pkg/integrity"
	"github.com/ryeos/rye/pkg/item"
	"github.com/ryeos/rye/pkg/space"
)

// touching is a spec whose only test makes a file.
func touching(file string) string {
	return "tool: sh\ntests: [{name: touches, params: {command: touch " + file + "}, assert: {exit_code: 0}}]\n"
}

// A spec runs its tests only if it is signed as what it is, where it is.
func TestTestRunsVerifiedSpecs(t *testing.T) {
	w := ryetest.New(t)
	w.Project.Tool("sh.yaml", shellTool())
	signed := func(kind item.Kind, path, content string) string {
		data, _, err := integrity.Sign(w.Key, kind, path, path, []byte(content), ryetest.Now)
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	const rel = ".ai/tests/a/x.test.yaml"
	for name, test := range map[string]struct{ content, wrong string }{
		"signed":     {signed(item.Dependency, rel, touching("ran")), ""},
		"unsigned":   {touching("ran"), "Unsigned item: "},
		"modified":   {signed(item.Dependency, rel, touching("other")) + "# more\n", "Content modified since signing: "},
		"moved":      {signed(item.Dependency, ".ai/tests/x.test.yaml", touching("ran")), "Signature does not fit this kind and path: "},
		"a tool":     {signed(item.Tool, "a/x.test.yaml", touching("ran")), "Signature does not fit this kind and path: "},
		"not parsed": {"{" + touching("ran"), "Unsigned item: "},
	} {
		t.Run(name, func(t *testing.T) {
			file := w.Project.Write(rel, test.content)
			report, err := w.Engine().Test(t.Context(), engine.TestRequest{})
			if err != nil {
				t.Fatal(err)
			}
			_, err = os.Stat(w.Project.Path("ran"))
			ran := err == nil
			spec := report.Specs[0]
			if test.wrong == "" {
				if !ran || !spec.Success || spec.Summary.Passed != 1 {
					t.Errorf("ran is %t: %+v", ran, spec)
				}
				w.Project.Remove("ran")
				return
			}
			if ran || spec.Success || len(spec.Results) > 0 || spec.ErrorType != item.TypeIntegrity ||
				!strings.HasPrefix(spec.Error, test.wrong) || !strings.HasSuffix(spec.Hints[0], "rye sign "+file) {
				t.Errorf("ran is %t: %+v", ran, spec)
			}
			verified := verify(t, w.Engine(), engine.VerifyRequest{Patterns: []string{file}}).Results[0]
			if verified.Error != spec.Error {
				t.Errorf("rye verify says %q, rye test %q", verified.Error, spec.Error)
			}
		})
	}
}

// The project's specs are among the files that are signed and verified all together; those of other spaces are no tests.
func TestSpecsAreSigned(t *testing.T) {
	w := ryetest.New(t)
	w.Project.Tool("sh.yaml", shellTool())
	w.Project.Write(".ai/tests/x.test.yaml", touching("ran"))
	w.Project.Write(".ai/tests/a/y.test.yaml", touching("ran"))
	w.Project.Write(".ai/tests/slip.test.yaml", "tool: sh\ntests: [{name: x, asert: {}}]\n")
	w.Project.Write(".ai/tests/notes.yaml", "no spec\n")
	w.User.Write(".ai/tests/mine.test.yaml", touching("ran"))
	e := w.Engine()

	report := sign(t, e, engine.SignRequest{Patterns: []string{w.Project.Path(".ai/tests")}})
	wantStates(t, w, "the folder", report, map[string]string{
		"tests/x.test.yaml": "signed", "tests/a/y.test.yaml": "signed", "tests/slip.test.yaml": "failed",
	})
	for _, r := range report.Results {
		if r.State == engine.StateFailed && !strings.HasPrefix(r.Error, w.Project.Path(".ai/tests/slip.test.yaml")+":2:") {
			t.Errorf("%s", r.Error)
		}
	}
	w.Project.Remove(".ai/tests/slip.test.yaml")
	wantStates(t, w, "verify", verify(t, e, engine.VerifyRequest{}), map[string]string{
		"tools/sh.yaml": "verified", "tests/x.test.yaml": "verified", "tests/a/y.test.yaml": "verified",
	})
	all := states(w, verify(t, e, engine.VerifyRequest{All: true}))
	if all["tests/x.test.yaml"] != engine.StateVerified || all["tests/mine.test.yaml"] != "" {
		t.Errorf("verify --all: %v", all)
	}
	wantStates(t, w, "the user's", sign(t, e, engine.SignRequest{All: true, Source: space.User}), map[string]string{})

	// In the home folder the user space is the project.
	home := w.Engine(func(o *engine.Options) { o.Project = o.User })
	wantStates(t, w, "at home", sign(t, home, engine.SignRequest{All: true}), map[string]string{"tests/mine.test.yaml": "signed"})
}
