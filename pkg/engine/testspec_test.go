package engine

import (
	"bytes"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/ryeos/rye/pkg/item"
)

func TestReadTestSpec(t *testing.T) {
	spec, err := readTestSpec("x", []byte(`
description: ignored
tool: my/words
tests:
  - name: all
    description: every key
    params: {n: 1, l: [a, {b: null}]}
    assert: {n: 1, n == 1: true}
    tags: [a, b]
    timeout: 0.25
  - {name: none, params: null, assert: null, skip: later}
`))
	if err != nil {
		t.Fatal(err)
	}
	all, none := spec.tests[0], spec.tests[1]
	got := fmt.Sprintln(spec.tool, all.name, all.params, len(all.asserts), all.tags, all.timeout, none.skip, none.params == nil, len(none.asserts))
	if want := "tool:my/words all map[l:[a map[b:<nil>]] n:1] 2 [a b] 250ms later true 0\n"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if none.timeout != 0 || all.timeout != 250*time.Millisecond {
		t.Errorf("timeouts %v, %v", all.timeout, none.timeout)
	}
}

func TestReadTestSpecErrors(t *testing.T) {
	const head = "tool: x\ntests:\n  - name: n\n"
	for _, c := range []struct{ source, want string }{
		{"tests: []", "f:1:1: Test spec missing 'tool' field"},
		{"tool: [x]", "f:1:7: Test spec missing 'tool' field"},
		{"tool: directive:x", "f:1:7: directive:x is no tool: only tools can be tested"},
		{"tool: ../x", "f:1:7: "},
		{"tool: x", "f:1:1: Test spec missing 'tests' list"},
		{"tool: x\ntests: {a: 1}", "f:2:8: Test spec missing 'tests' list"},
		{"tool: x\ntests: []", "f:2:8: Test spec missing 'tests' list"},
		{"tool: x\ntests:\n  - 3", "f:3:5: a test must be a mapping"},
		{"tool: x\ntests:\n  - tags: [a]", "f:3:5: a test needs a 'name' that is text"},
		{"tool: x\ntests:\n  - name: 3", "f:3:11: a test needs a 'name' that is text"},
		{head + "    asert: {}", "f:4:12: a test has no key \"asert\": did you mean 'assert'?"},
		{head + "    xyz: {}", "f:4:10: a test has no key \"xyz\" (valid: name, params, assert, "},
		{head + "    params: [1]", "f:4:13: 'params' must be a mapping"},
		{head + "    assert: true", "f:4:13: 'assert' must be a mapping"},
		{head + "    assert:\n      a: 1\n      n in 3: true", "f:6:15: 'in' needs a list"},
		{head + "    tags: a", "f:4:11: 'tags' must be a list of words"},
		{head + "    tags: [a, 'b,c']", "f:4:11: 'tags' must be a list of words"},
		{head + "    skip: true", "f:4:11: 'skip' must say why"},
		{head + "    timeout: 0", "f:4:14: 'timeout' must be a number of seconds"},
		{head + "    timeout: 86401", "f:4:14: 'timeout' must be a number of seconds"},
		{"tool: x\n tests: 1", "f:2:2: mapping values are not allowed"},
	} {
		spec, err := readTestSpec("f", []byte(c.source))
		if syntax, ok := errors.AsType[*item.SyntaxError](err); !ok || !bytes.HasPrefix([]byte(syntax.Error()), []byte(c.want)) {
			t.Errorf("%q:\ngot  %v\nwant %s", c.source, err, c.want)
		}
		if spec == nil {
			t.Errorf("%q: no spec", c.source)
		}
	}
}

// A spec that cannot be read still tells whose it is, so that the tests of other tools run.
func TestReadTestSpecKeepsTheTool(t *testing.T) {
	spec, err := readTestSpec("f", []byte("tool: my/x\ntests: 1\n"))
	if err == nil || spec.tool.ID != "my/x" {
		t.Errorf("got %s, %v", spec.tool, err)
	}
}

// FuzzTestSpec: a spec is refused at a place that exists, or each of its tests has a name.
func FuzzTestSpec(f *testing.F) {
	f.Add([]byte("tool: x\ntests:\n  - {name: a, assert: {a == 1: true}, tags: [b], timeout: 1, skip: c}\n"))
	f.Add([]byte("tool: x\ntests: &t [{name: a, params: {p: *t}}]\n"))
	f.Add([]byte("{tool: x, tests: [{<<: {name: a, asert: 1}}]}"))
	f.Fuzz(func(t *testing.T, src []byte) {
		spec, err := readTestSpec("f", src)
		if err == nil {
			for _, test := range spec.tests {
				if test.name == "" || test.timeout < 0 {
					t.Fatalf("%+v was accepted", test)
				}
			}
			return
		}
		syntax, ok := errors.AsType[*item.SyntaxError](err)
		if !ok || syntax.Path != "f" {
			t.Fatalf("%T: %v", err, err)
		}
		if lines := 1 + bytes.Count(src, []byte("\n")); syntax.Pos.Line < 1 || syntax.Pos.Line > lines+1 || syntax.Pos.Column < 1 {
			t.Fatalf("%v is not in a file of %d lines", syntax.Pos, lines)
		}
	})
}
