package graph_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/ryeos/rye/internal/graphtest"
	"github.com/ryeos/rye/pkg/graph"
	"github.com/ryeos/rye/pkg/item"
)

// TestValidate is the table of spec/rye-agent §3.12: a mistake, what is said about it, and where in the config.
func TestValidate(t *testing.T) {
	tests := []struct{ config, want string }{
		{"  start: a\n  nodes: {a: {type: return}}", ""},
		{"  nodes: {a: {type: return}}", "error 1:3 no 'start' node defined"},
		{"  start: b\n  nodes: {a: {type: return}}", "error 1:10 start node 'b' not found in nodes"},
		{"  start: a\n  nodes:\n    a: {type: gate, next: b}", "error 3:27 node 'a' references unknown node 'b'|note 3:5 no return"},
		{"  start: a\n  nodes:\n    a: {type: gate, next: [{to: b, when: {path: inputs.n}}, {to: d}]}\n    d: {type: return}", "error 3:28 node 'a' edge references unknown node 'b'"},
		{"  start: a\n  nodes:\n    a: {action: {item_id: 'tool:x/y'}, on_error: b, next: d}\n    d: {type: return}", "error 3:50 node 'a' on_error references unknown node 'b'"},
		{"  start: a\n  nodes:\n    a: {type: foreach, next: d}\n    d: {type: return}", "error 3:8 foreach node 'a' missing 'over' expression|error 3:8 foreach node 'a' missing 'action'"},
		{"  start: a\n  nodes:\n    a: {type: foreach, over: [1], action: {item_id: 'tool:x/y', params: {async: true}}, next: d}\n    d: {type: return}",
			"error 3:8 foreach node 'a': async actions are not supported – use `parallel: true` at node level"},
		{"  start: a\n  nodes:\n    a: {next: d}\n    d: {type: return}", "error 3:8 node 'a' must define 'action' or use type return, foreach or gate"},
		{"  start: a\n  nodes:\n    a: {type: loop, next: d}\n    d: {type: return}", `error 3:8 node 'a' has an unknown type "loop"`},
		{"  start: a\n  nodes:\n    a: {type: return}\n    b: {type: gate, next: c}\n    c: {type: return}", "warning 4:8 unreachable nodes: b, c"},
		{"  start: a\n  state: {x: 1}\n  nodes:\n    a: {type: return, output: '${state.y.z}'}", "warning 2:14 state key 'x' is assigned but never referenced|warning 4:8 state key 'y' is referenced but never assigned"},
		{"  start: a\n  state: {x: 1, y: 2}\n  nodes:\n    a: {type: gate, next: [{to: b, when: {not: {path: state.x}}}]}\n    b: {type: return, output: '${state}'}", ""},
		{"  start: a\n  nodes:\n    a: {type: foreach, over: '${inputs.items}', as: x, action: {item_id: 'tool:x/y', params: {p: '${state.x} ${state._retries.a || state._last_error}'}}, collect: c, next: b}\n    b: {type: return, output: '${state.c}'}", ""},
		{"  start: a\n  nodes:\n    a: {type: gate, nxt: b, next: b}\n    b: {type: return, foo: 1}", `note 3:26 config.nodes.a has an unknown key "nxt" (did you mean 'next'?)`},
		{"  start: a\n  nodes:\n    a: {type: gate, next: [{to: b, when: {path: inputs.n, op: like, value: 1}}]}\n    b: {type: return}", `note 3:42 config.nodes.a.next.0.when: unknown operator "like": the condition never holds`},
		{"  start: a\n  nodes:\n    a: {type: return, output: '${inputs.x[0]} ${inputs.y:-z}'}", `note 3:8 "inputs.x[0]" is no path|note 3:8 "inputs.y:-z" is no path`},
		{"  start: a\n  max_steps: 0\n  on_error: explode\n  nodes:\n    a: {type: return}", "error 2:14 config.max_steps must be a whole number from 1 to 10000000|error 3:13 config.on_error must be one of fail, continue"},
		{"  start: a\n  nodes:\n    a: {action: {item_id: x/y}, next: d}\n    d: {type: return}", "error 3:27 config.nodes.a.action.item_id must be a canonical ref, as in tool:x/y"},
		{"  start: a\n  nodes:\n    a: {action: {primary: run, params: [1]}, next: 3}\n    d: 4", "error"},
	}
	for _, test := range tests {
		g := parse(t, test.config)
		report := g.Validate()
		var got []string
		for kind, issues := range map[string][]item.Issue{"error": report.Errors, "warning": report.Warnings, "note": report.Notes} {
			for _, issue := range issues {
				got = append(got, fmt.Sprintf("%s %d:%d %s", kind, issue.Pos.Line-strings.Count(head, "\n"), issue.Pos.Column, issue.Message))
			}
		}
		all := strings.Join(got, "\n")
		count := 0
		for want := range strings.SplitSeq(test.want, "|") {
			want = strings.Replace(want, "no return", "the graph has no return node", 1)
			if want != "" {
				count++
			}
			if strings.Count("\n"+all, "\n"+want) == 0 {
				t.Errorf("%s\ngives\n%s\nwithout\n%s", test.config, all, want)
			}
		}
		if count != len(got) && test.want != "error" {
			t.Errorf("%s\ngives\n%s", test.config, all)
		}
		if report.Success != !strings.Contains(all, "error ") || report.NodeCount != len(g.Nodes) {
			t.Errorf("%s\nis a success: %v", test.config, report.Success)
		}
	}
}

func TestValidatePermissions(t *testing.T) {
	g, err := graph.Parse("g.yaml", []byte("tool_type: graph\nconfig: {start: a, nodes: {a: {type: return}}}\n"))
	if err != nil {
		t.Fatal(err)
	}
	wantJSON(t, g.Validate().Fields(), `{"success": false, "node_count": 1, "warnings": [],
		"errors": ["graph must declare 'permissions' – a list of capability tokens, as in rye.execute.tool.rye.bash"]}`)
	if g.ID != "g" {
		t.Errorf("the id is %s", g.ID)
	}
}

func TestParseErrors(t *testing.T) {
	for source, line := range map[string]int{"a: [": 1, "config:\n  nodes: {a: 1, a: 2}": 2, "category: c\nconfig: 3\n": 2} {
		_, err := graph.Parse("g.yaml", []byte(source))
		var syntax *item.SyntaxError
		if !errors.As(err, &syntax) || syntax.Pos.Line != line {
			t.Errorf("%q: %v", source, err)
		}
	}
}

// TestParseManyMistakes: a file full of mistakes is answered in bounded time, with the first of them.
func TestParseManyMistakes(t *testing.T) {
	var nodes strings.Builder
	for i := range 20_000 {
		fmt.Fprintf(&nodes, "    n%d: {typo: 1, next: gone}\n", i)
	}
	report := parse(t, "  start: n0\n  nodes:\n"+nodes.String()).Validate()
	if len(report.Errors) != 100 || len(report.Notes) != 100 || report.NodeCount != 20_000 {
		t.Errorf("%d errors, %d notes", len(report.Errors), len(report.Notes))
	}
}

func TestLinks(t *testing.T) {
	g := parse(t, "  start: a\n  nodes:\n    a: {action: {item_id: 'tool:x/y'}, on_error: c, next: [{to: b, when: {path: result}}, {to: c}]}\n    b: {type: gate, next: c}\n    c: {type: return}")
	if got := fmt.Sprint(g.Links()); got != "[{a b when} {a c next} {a c on_error} {b c next}]" {
		t.Errorf("the links are %s", got)
	}
	if g.ID != "demo/sub/g" || g.Node("b").Type != graph.Gate || g.Node("z") != nil {
		t.Errorf("the graph is %+v", g)
	}
}

// FuzzParse: any file is read or refused; what validates can run, and ends.
func FuzzParse(f *testing.F) {
	f.Add([]byte(head + "  start: a\n  nodes: {a: {type: return}}"))
	f.Add([]byte(head + "  start: a\n  nodes: {a: {type: foreach, over: [1, 2], as: '', parallel: true, action: {item_id: 'tool:${item}'}, collect: state, next: a}}"))
	f.Add([]byte(head + "  start: a\n  hooks: [{event: after_step, action: {retry: 1}}]\n  nodes: {a: {action: {item_id: 'tool:x'}, cache: true, assign: {inputs: '${}'}, next: [{to: a, when: {any: [{}]}}]}}"))
	for seed := range uint64(5) {
		f.Add(graphtest.Source(seed))
	}
	f.Fuzz(func(t *testing.T, source []byte) {
		g, err := graph.Parse("demo/g.yaml", source)
		if err != nil {
			return
		}
		report := g.Validate()
		opts := options()
		if g.MaxSteps = min(g.MaxSteps, 20); g.MaxSteps == 0 {
			opts.MaxSteps = 20
		}
		opts.Journal = &graphtest.Journal{}
		r := g.Run(context.Background(), opts, &graphtest.World{Answer: graphtest.Fate})
		if !report.Success && r.Code != graph.CodeValidation {
			t.Fatalf("ran although it is invalid: %+v", r)
		}
		if r.Status != graph.StatusCompleted && r.Status != graph.StatusCompletedWithErrors && r.Status != graph.StatusError {
			t.Fatalf("ended as %q", r.Status)
		}
	})
}
