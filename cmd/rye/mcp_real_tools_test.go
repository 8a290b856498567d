//go:build unix

package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/ryeos/rye/internal/mcptest"
)

// realCall is a call of a tool of a real server.
type realCall struct {
	tool, params string
	code         int
	says         string // part of what rye prints
}

// everythingCalls, filesystemCalls and memoryCalls call each tool of a server at least once. FILES stands for the folder
// that the server may use.
var (
	everythingCalls = []realCall{
		{tool: "echo", params: `{"message": "grüß 世界 🌾"}`, says: "Echo: grüß 世界 🌾"},
		{tool: "get-annotated-message", params: `{"messageType": "error", "includeImage": true}`, says: `"annotations":{"audience":["user","assistant"]`},
		{tool: "get-env", says: "MCPTEST_PIDS"},
		{tool: "get-resource-links", params: `{"count": 2}`, says: `"type":"resource_link"`},
		{tool: "get-resource-reference", params: `{"resourceType": "Blob", "resourceId": 3}`, says: "demo://resource/dynamic/blob/3"},
		{tool: "get-structured-content", params: `{"location": "Chicago"}`, says: `"structuredContent":{"conditions":`},
		{tool: "get-sum", params: `{"a": 2, "b": 40}`, says: "The sum of 2 and 40 is 42."},
		{tool: "get-tiny-image", says: `"mimeType":"image/png"`},
		{tool: "gzip-file-as-resource", params: `{"name": "a.gz", "data": "data:text/plain;base64,cnll", "outputType": "resource"}`, says: `"mimeType":"application/gzip"`},
		{tool: "simulate-research-query", params: `{"topic": "rye"}`, code: exitFailed, says: "requires task augmentation"},
		{tool: "toggle-simulated-logging", says: "Started simulated"},
		{tool: "toggle-subscriber-updates", says: "Started simulated"},
		{tool: "trigger-long-running-operation", params: `{"duration": 0.1, "steps": 2}`, says: "operation completed"},
	}
	filesystemCalls = []realCall{
		{tool: "list_allowed_directories", says: "FILES"},
		{tool: "create_directory", params: `{"path": "FILES/in/ner"}`, says: "Successfully created"},
		{tool: "write_file", params: `{"path": "FILES/a b.txt", "content": "one\ntwo «é»\n"}`, says: "Successfully wrote"},
		{tool: "write_file", params: `{"path": "FILES/empty.png", "content": ""}`, says: "Successfully wrote"},
		{tool: "read_file", params: `{"path": "FILES/a b.txt"}`, says: `one\ntwo «é»\n`},
		{tool: "read_text_file", params: `{"path": "FILES/a b.txt", "head": 1}`, says: `"text":"one"`},
		{tool: "read_multiple_files", params: `{"paths": ["FILES/a b.txt", "FILES/none"]}`, says: "FILES/none: Error"},
		{tool: "read_media_file", params: `{"path": "FILES/empty.png"}`, says: `"mimeType":"image/png"`},
		{tool: "edit_file", params: `{"path": "FILES/a b.txt", "edits": [{"oldText": "two", "newText": "three"}], "dryRun": true}`, says: "+three"},
		{tool: "read_file", params: `{"path": "FILES/a b.txt"}`, says: "two"},
		{tool: "edit_file", params: `{"path": "FILES/a b.txt", "edits": [{"oldText": "two", "newText": "three"}], "dryRun": false}`, says: "+three"},
		{tool: "read_file", params: `{"path": "FILES/a b.txt"}`, says: "three"},
		{tool: "list_directory", params: `{"path": "FILES"}`, says: "[DIR] in"},
		{tool: "list_directory_with_sizes", params: `{"path": "FILES", "sortBy": "size"}`, says: "2 files"},
		{tool: "directory_tree", params: `{"path": "FILES", "excludePatterns": ["*.png"]}`, says: "ner"},
		{tool: "move_file", params: `{"source": "FILES/a b.txt", "destination": "FILES/in/b.txt"}`, says: "Successfully moved"},
		{tool: "search_files", params: `{"path": "FILES", "pattern": "**/b.txt", "excludePatterns": []}`, says: "FILES/in/b.txt"},
		{tool: "get_file_info", params: `{"path": "FILES/in"}`, says: "isDirectory: true"},
		{tool: "read_file", params: `{"path": "/etc/passwd"}`, code: exitFailed, says: "Access denied"},
	}
	memoryCalls = []realCall{
		{tool: "create_entities", params: `{"entities": []}`, says: `"entities":[]`},
		{tool: "create_entities", params: `{"entities": [{"name": "rye", "entityType": "grain", "observations": ["«é» \"text\"\n\t\\", ""]},
			{"name": "oat", "entityType": "grain", "observations": []}]}`, says: `"observations":["«é» \"text\"\n\t\\",""]`},
		{tool: "create_relations", params: `{"relations": [{"from": "rye", "to": "oat", "relationType": "grows by"}]}`, says: "grows by"},
		{tool: "add_observations", params: `{"observations": [{"entityName": "oat", "contents": ["is eaten"]}]}`, says: "is eaten"},
		{tool: "add_observations", params: `{"observations": [{"entityName": "wheat", "contents": []}]}`, code: exitFailed, says: "wheat not found"},
		{tool: "search_nodes", params: `{"query": "oat"}`, says: "is eaten"},
		{tool: "open_nodes", params: `{"names": ["rye"]}`, says: "«é»"},
		{tool: "delete_observations", params: `{"deletions": [{"entityName": "oat", "observations": ["is eaten"]}]}`, says: "success"},
		{tool: "delete_relations", params: `{"relations": [{"from": "rye", "to": "oat", "relationType": "grows by"}]}`, says: "success"},
		{tool: "delete_entities", params: `{"entityNames": ["oat"]}`, says: "success"},
		{tool: "read_graph", says: `"relations":[]`},
	}
)

// TestRealServers discovers each server, verifies what was written and executes every tool.
func TestRealServers(t *testing.T) {
	for name, calls := range map[string][]realCall{"everything": everythingCalls, "filesystem": filesystemCalls, "memory": memoryCalls} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRealServers(t)
			r.program(name, mcptest.Noted)
			r.executeAll(name, calls)
		})
	}
	t.Run("everything over HTTP", func(t *testing.T) {
		t.Parallel()
		r := newRealServers(t)
		r.remoteEverything(nil)
		calls := slices.Clone(everythingCalls)
		for i, c := range calls {
			if c.tool == "get-env" {
				calls[i].says = "PORT" // it was not rye that has started this one
			}
		}
		r.executeAll("everything", calls)
	})
}

func (r *realServers) executeAll(name string, calls []realCall) {
	r.t.Helper()
	tools := r.discover(name)
	r.must("verify", "--all")
	for _, c := range calls {
		r.execute(name, c)
		tools = slices.DeleteFunc(tools, func(tool string) bool { return tool == c.tool })
	}
	if len(tools) > 0 {
		r.t.Errorf("never executed: %v", tools)
	}
}

// execute calls a tool as an item.
func (r *realServers) execute(server string, c realCall) {
	r.t.Helper()
	files := strings.NewReplacer("FILES", r.files).Replace
	if c.params == "" {
		c.params = "{}"
	}
	cmd := r.command("execute", "tool:mcp/"+server+"/"+c.tool, "--params", "-")
	cmd.Stdin = strings.NewReader(files(c.params))
	out, code := r.run(cmd)
	if code != c.code || !strings.Contains(out, files(c.says)) {
		r.t.Errorf("%s %s: left with %d, want %d, and said, want %q: %s", c.tool, c.params, code, c.code, c.says, out)
	}
}
