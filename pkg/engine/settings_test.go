package engine_test

import (
	"strings"
	"testing"

	"github.com/ryeos/rye/internal/ryetest"
	"github.com/ryeos/rye/pkg/item"
)

// slow is a request that ends by its timeout: the message says who set it.
var slow = map[string]any{"command": "sleep 60"}

func TestExecutionYAMLSetsTimeouts(t *testing.T) {
	w := ryetest.New(t)
	w.Project.Tool("bare.yaml", shellTool())
	w.Project.Tool("limited.yaml", strings.Replace(shellTool(), "config: {", "config: {timeout: 0.3, ", 1))
	w.User.Config("execution/execution.yaml", "defaults: {timeout: 0.1}\ntools: {bare: {timeout: 99}}\n")
	w.Project.Config("execution/execution.yaml", "tools: {bare: {timeout: 0.2}}\n")
	e := w.Engine()
	refused(t, execute(t, e, item.Request{Ref: "bare", Parameters: slow}), item.TypeTimeout,
		"timed out after 200ms (limit set by config execution/execution.yaml)") // the project's over the user's, the tool's over the defaults
	refused(t, execute(t, e, item.Request{Ref: "limited", Parameters: slow}), item.TypeTimeout,
		"timed out after 300ms (limit set by limited)") // what the chain says beats the defaults

	w.Project.Config("execution/execution.yaml", "tools: {limited: {timeout: 0.2}}\n")
	refused(t, execute(t, e, item.Request{Ref: "limited", Parameters: slow}), item.TypeTimeout,
		"timed out after 200ms (limit set by config execution/execution.yaml)") // the tool's own entry beats the chain
}

// execution.yaml is the engine's: nothing of it reaches a tool.
func TestExecutionYAMLNeverLeaksIntoParameters(t *testing.T) {
	w := ryetest.New(t)
	w.Project.Tool("cat.yaml", ryetest.YAML(ryetest.Execute, `config: {command: /bin/cat, input_data: "{params_json}"}`))
	w.Project.Config("execution/execution.yaml", "defaults: {timeout: 30, max_steps: 100, max_concurrency: 10}\ntools: {cat: {timeout: 60, extra: 1}}\n")
	params := map[string]any{"a": 1}
	resp := execute(t, w.Engine(), item.Request{Ref: "cat", Parameters: params})
	if got := marshal(t, resp.Data); resp.Failed() || got != `{"a":1}` || len(params) != 1 {
		t.Errorf("the tool got %s, the caller's map is %v: %s", got, params, resp.Error)
	}
}

func TestExecutionYAMLIsVerifiedAndChecked(t *testing.T) {
	w := ryetest.New(t)
	w.Project.Tool("sh.yaml", shellTool())
	for content, message := range map[string]string{
		"defaults: {timeout: -1}\n":      "config/execution/execution.yaml: timeout must be a positive number, got -1",
		"tools: {sh: {timeout: soon}}\n": "config/execution/execution.yaml: timeout must be a positive number, got soon",
	} {
		w.Project.Config("execution/execution.yaml", content)
		refused(t, execute(t, w.Engine(), item.Request{Ref: "sh", Parameters: map[string]any{"command": "true"}}), item.TypeChain, message)
	}
	file := w.Project.Write(".ai/config/execution/execution.yaml", "defaults: {timeout: 1}\n")
	refused(t, execute(t, w.Engine(), item.Request{Ref: "sh", Parameters: map[string]any{"command": "true"}}), item.TypeIntegrity, "Unsigned item: "+file)
}

func TestExecutionYAMLCapsOutput(t *testing.T) {
	w := ryetest.New(t)
	w.Project.Tool("sh.yaml", shellTool())
	w.Project.Config("execution/execution.yaml", "defaults: {max_output: 1000}\n")
	resp := execute(t, w.Engine(), item.Request{Ref: "sh", Parameters: map[string]any{"command": "head -c 5000 /dev/zero | tr '\\0' x"}})
	if s, ok := resp.Data.(*item.Streams); !ok || !s.Truncated {
		t.Errorf("got %.200v", resp.Data)
	}
}
