//go:build unix

package main

import (
	"encoding/json"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/ryeos/rye/internal/mcptest"
)

// TestInspector has the official inspector, in its CLI mode, list and call rye's own server. With --strict it leaves with 6 if
// a schema is one that some clients do not take.
func TestInspector(t *testing.T) {
	program := filepath.Join(mcptest.Installed(t, "inspector"), "node_modules", "@modelcontextprotocol", "inspector", "clients", "launcher", "build", "index.js")
	g := served(t)
	rye, err := exec.LookPath("rye")
	if err != nil {
		t.Fatal(err)
	}
	m := &model{ground: g}
	for transport, server := range map[string][]string{
		"stdio": {rye, "mcp", "serve", "-p", g.project},
		"http":  {m.listen(), "--header", "Authorization: Bearer " + serveToken},
	} {
		inspect := func(args ...string) fields {
			cmd := exec.Command("node", append(append([]string{program, "--cli"}, server...), args...)...)
			cmd.Dir, cmd.Env = g.project, g.command().Env
			out := g.run(cmd)
			var doc fields
			if err := json.Unmarshal([]byte(out.stdout), &doc); err != nil || out.code != 0 {
				t.Fatalf("%s %v: %+v", transport, args, out)
			}
			return doc
		}
		if tools, _ := inspect("--method", "tools/list", "--strict")["tools"].([]any); len(tools) != 3 {
			t.Errorf("%s: got %d tools", transport, len(tools))
		}
		project := "project_path=" + g.project
		ran := inspect("--method", "tools/call", "--tool-name", "execute", "--tool-arg", project, "item_id=tool:my/json", `parameters={"n":42}`)
		if data, _ := ran["structuredContent"].(fields)["data"].(fields); data["n"] != 42.0 {
			t.Errorf("%s: execute gave %v", transport, ran)
		}
		found := inspect("--method", "tools/call", "--tool-name", "fetch", "--tool-arg", project, "query=tool", "scope=tool.my.*")
		if total, _ := found["structuredContent"].(fields)["total"].(float64); total != 4 {
			t.Errorf("%s: fetch gave %v", transport, found)
		}
	}
}
