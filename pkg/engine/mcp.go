package engine

import (
	"cmp"
	"context"
	"encoding/json"
	"io"
	"strings"

	"github.com/ryeos/rye/pkg/chain"
	"github.com/ryeos/rye/pkg/item"
	"github.com/ryeos/rye/pkg/mcp"
	"github.com/ryeos/rye/pkg/process"
)

// MCPVerb is the hidden verb that the runtimes of MCP tools start.
const MCPVerb = "_mcp"

// The runtimes of MCP tools: which one a tool names tells whether its server is a program or an address.
const (
	mcpStdioRuntime = "rye/core/runtimes/mcp/stdio"
	mcpHTTPRuntime  = "rye/core/runtimes/mcp/http"
)

func isMCPRuntime(id string) bool { return id == mcpStdioRuntime || id == mcpHTTPRuntime }

// MCPResult is what a call of a server's tool gives.
type MCPResult struct {
	Success    bool              `json:"success"`
	Error      string            `json:"error,omitempty"`
	Server     string            `json:"server"`
	Tool       string            `json:"tool"`
	Content    []json.RawMessage `json:"content"`
	Structured any               `json:"structuredContent,omitempty"`
	Parsed     any               `json:"parsed,omitempty"`
	IsError    bool              `json:"isError"`
	Warnings   []string          `json:"warnings,omitempty"`
}

// RunMCP is what the runtimes of MCP tools run: it calls the server's tool behind the tool that text names. Parameters are
// JSON from stdin, the result is one JSON object on stdout, also that of a failure.
func (e *Engine) RunMCP(ctx context.Context, text string, stdin io.Reader, stdout io.Writer) error {
	if err := process.BecomeReaper(); err != nil {
		e.options.Warn(err.Error())
	}
	var answer any
	result, err := e.executeMCP(ctx, text, stdin)
	if answer = result; err != nil {
		answer = ownFailure{Error: err.Error(), Type: item.TypeOf(err), Hints: item.HintsOf(err)}
	}
	enc := json.NewEncoder(stdout)
	enc.SetEscapeHTML(false)
	return enc.Encode(answer)
}

func (e *Engine) executeMCP(ctx context.Context, text string, stdin io.Reader) (*MCPResult, error) {
	ref, err := item.ParseRef(text)
	if err != nil {
		return nil, err
	}
	c, err := e.resolver.Resolve(ref.With(item.Tool))
	if err != nil {
		return nil, err
	}
	params, err := readParams(stdin)
	if err != nil {
		return nil, err
	}
	server, tool, err := mcpTarget(c.Tool().Meta, params)
	if err != nil {
		return nil, err
	}
	s, err := e.mcpServerIn(e.spaces.From(c.Tool().Space()), server)
	if err != nil {
		return nil, err
	}
	if err := checkMCPRuntime(c, s); err != nil {
		return nil, err
	}
	return e.callMCP(ctx, s, tool, params, pinOf(c.Tool().Meta))
}

// mcpTarget is the server and the tool that a tool's config names, or else its caller. What is left are the arguments.
func mcpTarget(meta *item.Metadata, params map[string]any) (server, tool string, err error) {
	take := func(name string) string {
		value := meta.Config.String(name)
		if given, ok := params[name].(string); ok && value == "" {
			value = given
		}
		if !meta.Declares(name) || meta.Config.String(name) == "" {
			delete(params, name)
		}
		return value
	}
	server, tool = take("server"), take("tool_name")
	if server == "" || tool == "" {
		return "", "", item.Usagef("missing required parameter: server, tool_name").Hint("rye mcp servers")
	}
	return server, tool, nil
}

// checkMCPRuntime keeps a tool that was written for an address from starting a program.
func checkMCPRuntime(c *chain.Chain, s *mcpServer) error {
	for _, element := range c.Elements[1:] {
		if isMCPRuntime(element.ID) && (element.ID == mcpHTTPRuntime) != s.Remote() {
			return item.Errorf(item.TypeChain, "%s runs on %s, but the MCP server %s has the transport %s", c.Ref, element.ID, s.Name, s.Transport).
				Hint("rye mcp discover %s --repin", s.Name)
		}
	}
	return nil
}

// CallMCP calls a tool of a server directly. If the tool is pinned, it must still be what it was.
func (e *Engine) CallMCP(ctx context.Context, server, tool string, arguments map[string]any) (*MCPResult, error) {
	s, err := e.mcpServerIn(e.spaces, server)
	if err != nil {
		return nil, err
	}
	pin := mcpPin{}
	if c, err := e.resolver.Alone(item.Ref{Kind: item.Tool, ID: mcpToolID(s.Name, tool)}); err == nil {
		pin = pinOf(c.Tool().Meta)
	} else if item.TypeOf(err) != item.TypeNotFound {
		return nil, err
	}
	return e.callMCP(ctx, s, tool, arguments, pin)
}

func (e *Engine) callMCP(ctx context.Context, s *mcpServer, tool string, arguments map[string]any, pin mcpPin) (*MCPResult, error) {
	session, err := e.openMCP(s)
	if err != nil {
		return nil, err
	}
	defer session.Close()
	if pin.digest != "" {
		offered, err := session.Tools(ctx)
		if err != nil {
			return nil, err
		}
		if err := pin.check(s.Name, tool, offered); err != nil {
			return nil, err
		}
	}
	answer, err := session.Call(ctx, tool, arguments)
	if err != nil {
		return nil, err
	}
	result := &MCPResult{
		Success: !answer.Failed, Server: s.Name, Tool: tool, Content: answer.Content, Structured: answer.Structured,
		Parsed: answer.Parsed, IsError: answer.Failed,
	}
	if answer.Failed {
		result.Error = cmp.Or(strings.TrimSpace(mcp.Clean(answer.Text)), "the tool reported an error and did not say which")
	}
	if hidden := s.shadows(); len(hidden) > 0 {
		result.Warnings = append(result.Warnings, s.element.Place.Display()+" shadows "+strings.Join(hidden, ", "))
	}
	return result, nil
}
