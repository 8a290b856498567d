package runtime_test

import (
	"testing"
	"time"

	"github.com/ryeos/rye/internal/ryetest"
	"github.com/ryeos/rye/pkg/item"
	"github.com/ryeos/rye/pkg/runtime"
)

// Who sets the timeout, from the farthest to the nearest: each step adds one, and it wins.
func TestTimeoutPrecedence(t *testing.T) {
	w := ryetest.New(t)
	w.Project.Tool("bare.yaml", ryetest.YAML(ryetest.Execute, "config: {command: /bin/true}"))
	w.Project.Tool("r.yaml", ryetest.YAML(ryetest.Execute, "config: {command: /bin/true, timeout: 60}"))
	w.Project.Tool("x.yaml", ryetest.YAML("r"))
	w.Project.Tool("own.yaml", ryetest.YAML("r", "config: {timeout: 5}"))
	w.Project.Tool("asks.yaml", ryetest.YAML("r", `config: {timeout: "{timeout}"}`, "config_schema: {type: object, properties: {timeout: {}}}"))
	const file = "config execution/execution.yaml"
	for _, test := range []struct {
		tool     string
		settings runtime.Settings
		params   map[string]any
		caller   time.Duration
		seconds  float64
		owner    string
	}{
		{tool: "bare", seconds: 300, owner: "rye's default"},
		{tool: "bare", settings: runtime.Settings{Timeout: 100 * time.Second}, seconds: 100, owner: file},
		{tool: "x", settings: runtime.Settings{Timeout: 100 * time.Second}, seconds: 60, owner: "r"},
		{tool: "own", seconds: 5, owner: "own"},
		{tool: "own", settings: runtime.Settings{ToolTimeout: 200 * time.Second}, seconds: 200, owner: file},
		{tool: "own", settings: runtime.Settings{ToolTimeout: 200 * time.Second}, params: map[string]any{"timeout": 9}, seconds: 9, owner: "the caller"},
		{tool: "own", params: map[string]any{"timeout": 9}, caller: 8 * time.Second, seconds: 8, owner: "the caller"},
		{tool: "asks", params: map[string]any{"timeout": 0.5}, seconds: 0.5, owner: "asks"},
		{tool: "asks", params: map[string]any{"timeout": "7"}, seconds: 7, owner: "asks"},
		{tool: "asks", seconds: 60, owner: "r"}, // nothing to fill in: the next element decides
	} {
		in := w.Input(test.tool)
		in.Settings, in.Timeout = test.settings, test.caller
		p := plan(t, in, test.params)
		if p.Timeout.Seconds() != test.seconds || p.TimeoutOwner != test.owner {
			t.Errorf("%+v: got %v of %s", test, p.Timeout, p.TimeoutOwner)
		}
	}
	in := w.Input("asks")
	for _, bad := range []any{-1, "soon", 0} {
		refusedPlan(t, in, map[string]any{"timeout": bad}, item.TypeUsage, "the timeout of asks must be a positive number of seconds")
	}
}

func TestLimitsOfAChain(t *testing.T) {
	_, in := yamlTool(t, "config: {command: /bin/true, timeout: never}")
	refusedPlan(t, in, nil, item.TypeChain, "the timeout of x must be a positive number of seconds")
	_, in = yamlTool(t, "config: {command: /bin/true, timeout: '60'}")
	if p := plan(t, in, nil); p.Timeout.Seconds() != 60 {
		t.Errorf("a number in quotes: %v of %s", p.Timeout, p.TimeoutOwner)
	}
	_, in = yamlTool(t, "config: {command: /bin/true, max_output: -5}")
	refusedPlan(t, in, nil, item.TypeChain, "config.max_output must be a number of bytes")

	_, in = yamlTool(t, "config: {command: /bin/true, max_output: 1000}")
	in.Settings.MaxOutput = 5000
	if p := plan(t, in, nil); p.MaxOutput != 1000 {
		t.Errorf("the chain's: %d", p.MaxOutput)
	}
	in.Settings.ToolMaxOutput = 7000
	if p := plan(t, in, nil); p.MaxOutput != 7000 {
		t.Errorf("execution.yaml's for the tool: %d", p.MaxOutput)
	}
}
