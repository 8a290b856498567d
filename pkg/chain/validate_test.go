package chain_test

import (
	"strings"
	"testing"

	"github.com/ryeos/rye/internal/ryetest"
	"github.com/ryeos/rye/pkg/item"
)

func TestValidateStreams(t *testing.T) {
	for _, test := range []struct{ name, outputs, inputs, issue string }{
		{"subset", "outputs: [a, b]", "inputs: [a]", ""},
		{"maps with a name", "outputs: [{name: a, type: string}]", "inputs: [{name: a}]", ""},
		{"a map by name", "outputs: {a: {type: string}}", "inputs: [a]", ""},
		{"nothing declared by the child", "", "inputs: [a]", ""},
		{"nothing declared by the parent", "outputs: [a]", "", ""},
		{"one missing", "outputs: [a, b]", "inputs: [a, c]",
			"I/O mismatch: 'runtime' requires inputs [c] not provided by 'x' (outputs: [a, b])"},
		{"all missing", "outputs: [z]", "inputs: [{name: a}, {name: b}]",
			"I/O mismatch: 'runtime' requires inputs [a, b] not provided by 'x' (outputs: [z])"},
	} {
		w := ryetest.New(t)
		w.Project.Tool("x.yaml", ryetest.YAML("runtime", test.outputs))
		w.Project.Tool("runtime.yaml", ryetest.YAML(ryetest.Execute, test.inputs))
		validates(t, w, test.name, test.issue)
	}
}

func TestValidateVersions(t *testing.T) {
	const failed = "Version constraint failed: "
	for _, test := range []struct{ version, min, max, issue string }{
		{"1.2.3", "1.2.3", "1.2.3", ""}, // both ends are inclusive
		{"1.10.0", "1.9.0", "", ""},     // numbers, not texts
		{"1.2.3", "", "", ""},
		{"1.2.3", "1.3.0", "", failed + "'x' version 1.2.3 < minimum required 1.3.0"},
		{"2.0.0", "", "1.99.99", failed + "'x' version 2.0.0 > maximum allowed 1.99.99"},
		{"1.0.0-alpha", "1.0.0", "", failed + "'x' version 1.0.0-alpha < minimum required 1.0.0"},
		{"1.0.0-alpha", "", "1.0.0", ""},
		{"1.0.0-beta.2", "1.0.0-beta.11", "", failed + "'x' version 1.0.0-beta.2 < minimum required 1.0.0-beta.11"},
		{"1.0.0+build", "1.0.0", "1.0.0", ""},
		{"soon", "1.0.0", "", failed + "'soon' is not a version, in the constraint of 'runtime' on 'x'"},
		{"1.0.0", "latest", "", failed + "'latest' is not a version, in the constraint of 'runtime' on 'x'"},
	} {
		w := ryetest.New(t)
		w.Project.Tool("x.yaml", strings.Replace(ryetest.YAML("runtime"), "1.0.0", test.version, 1))
		w.Project.Tool("runtime.yaml", ryetest.YAML(ryetest.Execute, "child_constraints:",
			`  x: {min_version: "`+test.min+`", max_version: "`+test.max+`"}`,
			`  other: {min_version: "9.0.0"}`))
		validates(t, w, test.version+" in ["+test.min+", "+test.max+"]", test.issue)
	}
}

// validates resolves x and compares the one issue of its chain; "" means that it is valid.
func validates(t *testing.T, w *ryetest.World, name, issue string) {
	t.Helper()
	c, err := w.Resolver().Resolve(tool("x"))
	switch {
	case issue == "" && err != nil:
		t.Errorf("%s: %v", name, err)
	case issue == "" && len(c.Pairs) != 2:
		t.Errorf("%s: pairs %q", name, c.Pairs)
	case issue != "" && (item.TypeOf(err) != item.TypeChain || err.Error() != "Chain validation failed: "+issue):
		t.Errorf("%s: got %v", name, err)
	case issue != "" && len(c.Pairs) > 0:
		t.Errorf("%s: an invalid chain has pairs %q", name, c.Pairs)
	}
}

func TestValidateReportsEveryIssue(t *testing.T) {
	w := ryetest.New(t)
	w.Project.Tool("x.yaml", ryetest.YAML("middle", "outputs: [a]"))
	w.Project.Tool("middle.yaml", ryetest.YAML("runtime", "inputs: [b]"))
	w.Project.Tool("runtime.yaml", ryetest.YAML(ryetest.Execute, "child_constraints: {middle: {min_version: 2.0.0}}"))
	_, err := w.Resolver().Resolve(tool("x"))
	if err == nil || !strings.Contains(err.Error(), "I/O mismatch: 'middle'") ||
		!strings.Contains(err.Error(), "; Version constraint failed: 'middle'") {
		t.Errorf("got %v", err)
	}
}

func TestValidateWarnsOfAMissingVersion(t *testing.T) {
	w := ryetest.New(t)
	w.Project.Tool("x.yaml", strings.Replace(ryetest.YAML("runtime"), `version: "1.0.0"`, "", 1))
	w.Project.Tool("runtime.yaml", ryetest.YAML(ryetest.Execute, "child_constraints: {x: {min_version: 1.0.0}}"))
	c := mustResolve(t, w.Resolver(), "x")
	if len(c.Warnings) != 1 || c.Warnings[0] != "'x' has no version but 'runtime' specifies version constraints" {
		t.Errorf("warnings %q", c.Warnings)
	}
}
