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
	result, err := e.executeMCP(ctx, text, stdin)
	return writeMCP(stdout, result, err)
}

// writeMCP writes what a call gives, also that it failed.
func writeMCP(stdout io.Writer, result *MCPResult, err error) error {
	var answer any = result
	if err != nil {
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
	call, err := e.mcpCallOf(c, params, e.options.Env)
	if err != nil {
		return nil, err
	}
	return call.alone(ctx) // this process may be confined; a keeper, and who else calls through it, is not
}

// mcpCall is a call of a server's tool.
type mcpCall struct {
	server    *mcpServer
	start     *mcpStart
	tool      string
	arguments map[string]any
	pin       mcpPin
}

// mcpCallOf is the call that a tool of MCP stands for, in the environment that its process gets.
func (e *Engine) mcpCallOf(c *chain.Chain, params map[string]any, env []string) (*mcpCall, error) {
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
	start, err := e.startMCP(s, env)
	return &mcpCall{server: s, start: start, tool: tool, arguments: params, pin: pinOf(c.Tool().Meta)}, err
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
	start, err := e.startMCP(s, e.options.Env)
	if err != nil {
		return nil, err
	}
	call := &mcpCall{server: s, start: start, tool: tool, arguments: arguments, pin: pin}
	conn := e.reachMCP(ctx, call)
	if conn == nil {
		return call.alone(ctx)
	}
	defer conn.Close()
	return call.result(call.through(ctx, conn))
}

// alone makes the call in a session of its own.
func (c *mcpCall) alone(ctx context.Context) (*MCPResult, error) {
	session := c.start.open(false)
	defer session.Close()
	accept := c.accepts
	if c.pin.digest == "" {
		accept = nil
	}
	return c.result(session.CallIf(ctx, c.tool, c.arguments, accept))
}

// accepts compares what the server offers with what was pinned.
func (c *mcpCall) accepts(offered []mcp.Definition) error {
	return c.pin.check(c.server.Name, c.tool, offered)
}

func (c *mcpCall) result(answer *mcp.Result, err error) (*MCPResult, error) {
	if err != nil {
		return nil, err
	}
	result := &MCPResult{
		Success: !answer.Failed, Server: c.server.Name, Tool: c.tool, Content: answer.Content, Structured: answer.Structured,
		Parsed: answer.Parsed, IsError: answer.Failed,
	}
	if answer.Failed {
		result.Error = cmp.Or(strings.TrimSpace(mcp.Clean(answer.Text)), "the tool reported an error and did not say which")
	}
	if hidden := c.server.shadows(); len(hidden) > 0 {
		result.Warnings = append(result.Warnings, c.server.element.Place.Display()+" shadows "+strings.Join(hidden, ", "))
	}
	return result, nil
}
