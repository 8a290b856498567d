//go:build unix

package main

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// TestServeRoots: calls stay below the folders that the server is for, whatever links and dots they name.
func TestServeRoots(t *testing.T) {
	g := newGround(t)
	root := t.TempDir()
	inside, link, beside := filepath.Join(root, "inside"), filepath.Join(root, "link"), root+"-beside"
	for _, dir := range []string{inside, beside} {
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(g.project, link); err != nil {
		t.Fatal(err)
	}
	m := &model{ground: g, server: g.command("mcp", "serve", "--root", root, "--root", filepath.Join(root, "none"))}
	m.connect(newEra, &sdk.CommandTransport{Command: m.server})
	for dir, errorType := range map[string]any{
		root: nil, inside: nil, filepath.Join(inside, "..", "inside"): nil,
		g.project: "permission", link: "permission", beside: "permission", filepath.Join(root, ".."): "permission", "/": "permission",
		filepath.Join(root, "none"): "usage",
	} {
		for tool, arguments := range map[string]fields{
			"execute": {"item_id": "tool:rye/bash", "parameters": fields{"command": "pwd"}},
			"fetch":   {"item_id": "tool:rye/bash"},
			"sign":    {"item_id": "tool:*"},
		} {
			arguments["project_path"] = dir
			answer, isError := m.call(tool, arguments)
			if tool == "sign" && errorType == nil {
				continue // there is nothing to sign
			}
			if isError != (errorType != nil) || answer["error_type"] != errorType {
				t.Errorf("%s in %s: %v", tool, dir, answer)
			}
		}
	}
}

// TestServeDefaultProject: with -p a call need not say which project it is about, and the schema says so; without it must.
func TestServeDefaultProject(t *testing.T) {
	g := newGround(t)
	other := t.TempDir()
	for name, tt := range map[string]struct {
		args    []string
		missing bool
	}{"without": {nil, true}, "with": {[]string{"-p", g.project}, false}} {
		t.Run(name, func(t *testing.T) {
			m := &model{ground: &ground{t, g.project, g.home}, server: g.command(append([]string{"mcp", "serve"}, tt.args...)...)}
			m.server.Dir = other
			m.connect(newEra, &sdk.CommandTransport{Command: m.server})
			result, err := m.session.CallTool(context.Background(), &sdk.CallToolParams{
				Name: "execute", Arguments: fields{"item_id": "tool:rye/bash", "parameters": fields{"command": "pwd"}},
			})
			if err != nil {
				t.Fatal(err)
			}
			answer := m.read(result)
			if data, _ := answer["data"].(fields); result.IsError != tt.missing || !tt.missing && data["stdout"] != g.project+"\n" {
				t.Errorf("got %v", answer)
			}
			listed, err := m.session.ListTools(context.Background(), nil)
			if err != nil {
				t.Fatal(err)
			}
			for _, tool := range listed.Tools {
				required, _ := tool.InputSchema.(fields)["required"].([]any)
				if asked := len(required) > 0 && required[len(required)-1] == "project_path"; asked != tt.missing {
					t.Errorf("%s requires %v", tool.Name, required)
				}
			}
		})
	}
}
