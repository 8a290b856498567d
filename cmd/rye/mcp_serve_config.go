package main

import (
	"encoding/json"
	"net"
	"os"
	"strconv"

	"github.com/ryeos/rye/pkg/engine"
	"github.com/ryeos/rye/pkg/item"
)

// mcpClient is how a program that uses MCP servers is told of one.
type mcpClient struct {
	where  string           // to paste it
	key    string           // that servers are below
	typed  bool             // a server says of which type it is
	token  string           // how its configuration takes the token from elsewhere
	inputs []map[string]any // what it is to ask a person for
}

// mcpClients are the clients that --print-config knows. No configuration holds the token itself: it may be committed.
var mcpClients = map[string]mcpClient{
	"claude": {
		where: ".mcp.json in the project's folder; or give what stands below \"rye\" to: claude mcp add-json rye",
		key:   "mcpServers", typed: true, token: "${" + engine.MCPTokenVariable + "}",
	},
	"cursor": {
		where: ".cursor/mcp.json in the project's folder, or in your home folder",
		key:   "mcpServers", token: "${env:" + engine.MCPTokenVariable + "}",
	},
	"vscode": {
		where: ".vscode/mcp.json in the project's folder", key: "servers", typed: true, token: "${input:rye-token}",
		inputs: []map[string]any{{"type": "promptString", "id": "rye-token", "description": "Token of rye's MCP server", "password": true}},
	},
}

// printMCPConfig prints what makes a client use this program in this project.
func (a *app) printMCPConfig(project string, o serveOptions) error {
	client, known := mcpClients[o.client]
	if !known {
		return item.Usagef("unknown client %s: use claude, cursor or vscode", item.Quote(o.client))
	}
	server, err := o.started(project)
	if o.http != "" {
		server, err = o.reached(client)
	}
	if err != nil {
		return err
	}
	if !client.typed {
		delete(server, "type")
	}
	config := map[string]any{client.key: map[string]any{"rye": server}}
	if o.http != "" && client.inputs != nil {
		config["inputs"] = client.inputs
	}
	a.note("paste it into %s", client.where)
	enc := json.NewEncoder(a.stdout)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return lost(enc.Encode(config))
}

// started is a server that the client starts.
func (o serveOptions) started(project string) (map[string]any, error) {
	binary, err := os.Executable()
	if err != nil {
		return nil, item.Errorf(item.TypeUnavailable, "the rye program does not find itself: %w", err)
	}
	args := []string{"mcp", "serve", "-p", project}
	for _, root := range o.roots {
		args = append(args, "--root", root)
	}
	if o.concurrent > 0 {
		args = append(args, "--max-concurrent", strconv.Itoa(o.concurrent))
	}
	if o.maxResult != engine.DefaultMCPResult {
		args = append(args, "--max-result", strconv.Itoa(o.maxResult))
	}
	return map[string]any{"type": "stdio", "command": binary, "args": args}, nil
}

// reached is a server that a person has started.
func (o serveOptions) reached(client mcpClient) (map[string]any, error) {
	if _, port, err := net.SplitHostPort(o.http); err != nil || port == "0" {
		return nil, item.Usagef("a configuration needs an address with its port").Hint("--http 127.0.0.1:7777")
	}
	return map[string]any{
		"type": "http", "url": "http://" + o.http + "/mcp", "headers": map[string]any{"Authorization": "Bearer " + client.token},
	}, nil
}
