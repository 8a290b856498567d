package engine_test

import (
	"testing"

	"github.com/ryeos/rye/internal/ryetest"
	"github.com/ryeos/rye/pkg/item"
)

// Seed 002's matrix with the texts of spec/rye-core §8.2. The first failing rule wins.
func TestExecutionMatrix(t *testing.T) {
	w := ryetest.New(t)
	w.Project.Tool("x.yaml", shellTool())
	w.Project.Write(".ai/directives/d.md", "")
	w.Project.Write(".ai/knowledge/k.md", "")
	w.Project.Config("c.yaml", "a: 1\n")
	e := w.Engine()
	const (
		toolFork    = `thread="fork" is not supported for tools. Fork spawns a managed LLM thread, which only applies to directives. Use thread="inline" (default).`
		remoteFork  = `Directives on remote must use thread="fork". The remote server needs to spawn an LLM thread to follow directive steps.`
		asyncDry    = "async + dry_run is not supported. Validation is instant, nothing to detach."
		asyncInline = `async + directive + inline is not supported. Inline directives return text for the agent to follow — there is nothing to detach. Use thread="fork" for async directives.`
		dryRemote   = "dry_run + remote is not supported. Dry run validates locally."
	)
	for _, test := range []struct {
		req  item.Request
		want string
	}{
		{item.Request{Ref: "tool:x", Thread: "spoon"}, `Unknown thread mode: 'spoon'. Must be "inline" or "fork".`},
		{item.Request{Ref: "tool:x", Target: "moon"}, `Unknown target: 'moon'. Must be "local", "remote", or "remote:<name>".`},
		{item.Request{Ref: "tool:x", Target: "remote:"}, `Invalid target "remote:" — remote name cannot be empty. Use "remote" for the default remote or "remote:<name>" for a named remote.`},
		{item.Request{Ref: "tool:none", Thread: "spoon"}, `Unknown thread mode: 'spoon'. Must be "inline" or "fork".`},
		{item.Request{Ref: "tool:x", Thread: "spoon", Target: "moon"}, `Unknown thread mode: 'spoon'. Must be "inline" or "fork".`},
		{item.Request{Ref: "tool:x", Thread: "fork"}, toolFork},
		{item.Request{Ref: "x", Thread: "fork"}, toolFork},
		{item.Request{Ref: "tool:x", Thread: "fork", Target: "remote"}, toolFork},
		{item.Request{Ref: "tool:x", Thread: "fork", Async: true, DryRun: true}, toolFork},
		{item.Request{Ref: "tool:x", Async: true, DryRun: true}, asyncDry},
		{item.Request{Ref: "tool:x", DryRun: true, Target: "remote:gpu"}, dryRemote},
		{item.Request{Ref: "directive:d", Target: "remote"}, remoteFork},
		{item.Request{Ref: "directive:d", Target: "remote:gpu", Thread: "inline", Async: true}, remoteFork},
		{item.Request{Ref: "directive:d", Async: true}, asyncInline},
		{item.Request{Ref: "directive:d", Async: true, DryRun: true}, asyncDry},
		{item.Request{Ref: "directive:d", DryRun: true, Target: "remote", Thread: "fork"}, dryRemote},
		{item.Request{Ref: "knowledge:k"}, "Knowledge items are not executable: they are read"},
		{item.Request{Ref: "agent:a"}, "Agents are not executable yet. Tools and directives are; a directive with thread=\"fork\" is an agent with one side."},
		{item.Request{Ref: "config:c"}, "Unknown kind 'config': config items are not executable"},
	} {
		resp := execute(t, e, test.req)
		if resp.Error != test.want || resp.ErrorType != item.TypeUsage || !resp.Failed() {
			t.Errorf("%+v:\ngot  %s error %s\nwant %s", test.req, resp.ErrorType, resp.Error, test.want)
		}
	}
	for _, target := range []string{"", "local"} {
		for _, thread := range []string{"", "inline"} {
			resp := execute(t, e, item.Request{Ref: "tool:x", Target: target, Thread: thread, Parameters: map[string]any{"command": "true"}})
			if resp.Failed() {
				t.Errorf("target %q, thread %q: %s", target, thread, resp.Error)
			}
		}
	}
}
