package engine

import (
	"context"
	"maps"
	"strings"

	"github.com/ryeos/rye/pkg/chain"
	"github.com/ryeos/rye/pkg/item"
	"github.com/ryeos/rye/pkg/mcp"
	"github.com/ryeos/rye/pkg/space"
)

// MCPServer is one line of a list of servers.
type MCPServer struct {
	Name        string      `json:"name"`
	Space       space.Label `json:"space"`
	Path        string      `json:"path"`
	Transport   string      `json:"transport,omitempty"`
	Target      string      `json:"target,omitempty"` // the command or the address, as it is written
	Description string      `json:"description,omitempty"`
	Signature   string      `json:"signature"`
	Tools       int         `json:"tools"`     // that are pinned
	Variables   []string    `json:"variables"` // that it asks for
	Missing     []string    `json:"missing,omitempty"`
	ShadowedBy  string      `json:"shadowed_by,omitempty"`
	Problem     string      `json:"problem,omitempty"`
	Kept        []Kept      `json:"kept,omitempty"`
}

// MCPServers lists the servers' configurations of every space, also those that another shadows, and which of them are kept
// for the project. No server is started.
func (e *Engine) MCPServers(ctx context.Context) ([]MCPServer, error) {
	entries, err := e.spaces.List(item.Config)
	if err != nil {
		return nil, err
	}
	pinned, err := e.pinnedTools()
	if err != nil {
		return nil, err
	}
	lookup, err := e.mcpVariables(e.options.Env)
	if err != nil {
		return nil, err
	}
	kept := e.Kept(ctx)
	servers := []MCPServer{}
	for _, entry := range entries {
		if entry.Ref.Category() != mcpServers {
			continue
		}
		row := e.listMCP(entry, pinned, lookup)
		for _, k := range kept {
			if entry.ShadowedBy == nil && k.Kind == KeptMCP && k.Name == row.Name && k.Project == e.options.Project {
				row.Kept = append(row.Kept, k)
			}
		}
		servers = append(servers, row)
	}
	return servers, nil
}

func (e *Engine) listMCP(entry space.Entry, pinned map[string]int, lookup func(string) (mcp.Variable, bool)) MCPServer {
	row := MCPServer{
		Name: entry.Ref.Base(), Space: entry.Space.Label, Path: entry.Display(), Tools: pinned[entry.Ref.Base()], Variables: []string{},
	}
	if entry.ShadowedBy != nil {
		row.ShadowedBy = entry.ShadowedBy.Display()
	}
	data, detached, err := entry.Read()
	if err != nil {
		row.Signature, row.Problem = "unreadable", err.Error()
		return row
	}
	row.Signature = e.signatureState(chain.SourceOf(entry.Place, item.Config, data, detached))
	doc, err := item.ReadDocument(entry.Display(), data)
	if err != nil {
		row.Problem = err.Error()
		return row
	}
	server, err := mcp.ParseServer(row.Name, doc.Values)
	if err != nil {
		row.Problem = err.Error()
		return row
	}
	row.Transport, row.Description, row.Target = server.Transport, server.Description, server.URL
	if !server.Remote() {
		row.Target = strings.Join(append([]string{server.Command}, server.Args...), " ")
	}
	row.Variables = append(row.Variables, server.Variables()...)
	for _, name := range server.Variables() {
		if v, ok := lookup(name); !ok || v.Value == "" {
			row.Missing = append(row.Missing, name)
		}
	}
	return row
}

// pinnedTools counts the tools of each server, by what their files say.
func (e *Engine) pinnedTools() (map[string]int, error) {
	entries, err := e.spaces.List(item.Tool)
	if err != nil {
		return nil, err
	}
	count := map[string]int{}
	for _, entry := range entries {
		rest, ok := strings.CutPrefix(entry.Ref.ID, "mcp/")
		if server, _, nested := strings.Cut(rest, "/"); ok && nested && entry.ShadowedBy == nil {
			count[server]++
		}
	}
	delete(count, "servers")
	return maps.Clone(count), nil
}

// MCPCost is what the tools of a server take in a model's context.
type MCPCost struct {
	Server string     `json:"server"`
	Tokens int        `json:"tokens"`
	Tools  []ToolCost `json:"tools"`
}

// ToolCost is the part of one tool.
type ToolCost struct {
	Tool   string `json:"tool"`
	Tokens int    `json:"tokens"`
}

// MCPCost asks a server for its tools and estimates what their definitions take in a model's context.
func (e *Engine) MCPCost(ctx context.Context, server string) (*MCPCost, error) {
	s, err := e.mcpServerIn(e.spaces, server)
	if err != nil {
		return nil, err
	}
	offered, _, err := e.offeredTools(ctx, s)
	if err != nil {
		return nil, err
	}
	cost := &MCPCost{Server: s.Name, Tools: []ToolCost{}}
	for _, d := range offered {
		cost.Tools = append(cost.Tools, ToolCost{d.Name(), d.Tokens()})
		cost.Tokens += d.Tokens()
	}
	return cost, nil
}

func (e *Engine) offeredTools(ctx context.Context, s *mcpServer) ([]mcp.Definition, mcp.Info, error) {
	start, err := e.startMCP(s, e.options.Env)
	if err != nil {
		return nil, mcp.Info{}, err
	}
	session := start.open(false)
	defer session.Close()
	info, err := session.Info(ctx)
	if err != nil {
		return nil, info, err
	}
	offered, err := session.Tools(ctx)
	return offered, info, err
}
