package graph_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/ryeos/rye/internal/graphtest"
	"github.com/ryeos/rye/pkg/graph"
)

// head is what every graph of these tests starts with; config follows, indented by two spaces.
const head = `version: "1.0.0"
tool_type: graph
executor_id: rye/core/runtimes/state-graph/runtime
category: demo/sub
permissions: ["rye.execute.tool.*", "rye.execute.directive.*", "rye.fetch.*"]
config_schema:
  type: object
  required: [dir]
  properties: {dir: {type: string}, n: {type: integer, default: 5}, items: {type: array}}
config:
`

func parse(t testing.TB, config string) *graph.Graph {
	t.Helper()
	g, err := graph.Parse("tools/demo/sub/g.yaml", []byte(head+config))
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// options are those of a run with enough of everything.
func options() graph.Options {
	return graph.Options{
		RunID: "run", MaxSteps: 100, MaxConcurrency: 10,
		Inputs: map[string]any{"dir": "/tmp", "items": []any{"a", "b", "c"}},
	}
}

func run(t testing.TB, config string, w *graphtest.World) *graph.Result {
	t.Helper()
	return parse(t, config).Run(context.Background(), options(), w)
}

// wantJSON compares a value with JSON; keys that the JSON does not name do not count at the top.
func wantJSON(t testing.TB, got any, want string) {
	t.Helper()
	encoded, err := json.Marshal(got)
	if err != nil {
		t.Fatal(err)
	}
	var all, some any
	if err := json.Unmarshal(encoded, &all); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(want), &some); err != nil {
		t.Fatal(err)
	}
	chosen := all
	if m, ok := all.(map[string]any); ok {
		if names, ok := some.(map[string]any); ok {
			chosen = map[string]any{}
			for name := range names {
				chosen.(map[string]any)[name] = m[name]
			}
		}
	}
	a, _ := json.Marshal(chosen)
	b, _ := json.Marshal(some)
	if string(a) != string(b) {
		t.Errorf("got  %s\nwant %s\nof   %s", a, b, encoded)
	}
}

// failing fails for actions whose parameter `fail` is true, with the text of `error`.
func failing(a graph.Action) (any, error) {
	if a.Params["fail"] == true {
		return map[string]any{"status": "error", "error": a.Params["error"]}, nil
	}
	return graphtest.Echo(a)
}

func nodes(w *graphtest.World) string {
	var names []string
	for _, a := range w.Actions() {
		names = append(names, a.Node)
	}
	return strings.Join(names, " ")
}

// samePrefix lets texts end in what another package says.
func samePrefix(got, want string) bool {
	head, _, found := strings.Cut(want, " is not the id of an item: ")
	return found && strings.HasPrefix(got, head+" is not the id of an item: ")
}
