package engine

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net"
	"slices"
	"time"

	"github.com/ryeos/rye/pkg/item"
	"github.com/ryeos/rye/pkg/keeper"
	"github.com/ryeos/rye/pkg/mcp"
	"github.com/ryeos/rye/pkg/process"
	"github.com/ryeos/rye/pkg/runtime"
	"github.com/ryeos/rye/pkg/space"
)

// KeptMCP is the kind of what is kept for MCP: a session with a server.
const KeptMCP = "mcp"

// ParseKeepAlive reads how long something is kept without a call: seconds, or a text such as 5m. 0 is not at all, "" is the
// default.
func ParseKeepAlive(text string) (time.Duration, error) {
	if text == "" {
		return mcp.DefaultKeepAlive, nil
	}
	return mcp.ParseKeepAlive(text)
}

// keepMCP is the process that keeps a session.
func keepMCP(ctx context.Context, order *keeper.Order) error {
	start := &mcpStart{}
	if err := json.Unmarshal(order.What, start); err != nil {
		return err
	}
	if err := start.expand(); err != nil {
		return err
	}
	session := start.open(true)
	defer session.Close()
	return keeper.Serve(ctx, order, func(ctx context.Context, conn *net.UnixConn) { session.Keep(ctx, conn) })
}

// reachMCP connects to the keeper of a server; nil if it is not to be kept, or cannot be reached, so that the call must do
// without.
func (e *Engine) reachMCP(ctx context.Context, c *mcpCall) net.Conn {
	idle := e.options.MCPKeepAlive
	if idle > 0 && c.server.KeepAlive >= 0 {
		idle = c.server.KeepAlive
	}
	if idle <= 0 || c.server.Remote() || e.options.Binary == "" {
		return nil
	}
	key, err := c.start.identity()
	if err != nil {
		return nil // the call itself will say so
	}
	conn, err := e.dialKeeper(ctx, kept{
		kind: KeptMCP, name: c.server.Name, idle: idle, what: c.start, key: append(key, string(c.server.element.Source())),
	})
	if err != nil {
		if ctx.Err() == nil {
			e.options.Note("the MCP server " + c.server.Name + " is started for this call only: " + err.Error())
		}
		return nil
	}
	return conn
}

// through has the keeper at the other end make the call.
func (c *mcpCall) through(ctx context.Context, conn net.Conn) (*mcp.Result, error) {
	s := c.server
	late := item.Errorf(item.TypeUnavailable, "what keeps the MCP server %s does not answer", s.Name).Hint("rye mcp stop %s", item.ShellWord(s.Name))
	ctx, stop := context.WithTimeoutCause(ctx, 3*s.StartTimeout+s.Timeout+keeperDelay, late)
	defer stop()
	return mcp.CallKept(ctx, conn, s.Name, c.tool, c.arguments, c.pin.digest, c.accepts)
}

// keeperDelay is how much later than everything that it waits for a keeper answers at most.
const keeperDelay = 10 * time.Second

// runKept does what the plan's process would do, if that is to call a tool of a server that is kept. ok is false if not, and
// nothing has happened then.
func (c *Call) runKept(ctx context.Context, plan *runtime.Plan, stdout io.Writer) (result process.Result, ok bool) {
	e, began := c.engine, time.Now()
	if e.options.MCPKeepAlive <= 0 || !c.callsMCP(plan) {
		return result, false
	}
	params, err := readParams(bytes.NewReader(plan.Stdin))
	if err != nil {
		return result, false
	}
	call, err := e.mcpCallOf(c.chain, params, plan.Env.List())
	if err != nil {
		return result, false
	}
	limited, stop := context.WithCancel(ctx)
	if plan.Timeout > 0 {
		limited, stop = context.WithTimeout(ctx, plan.Timeout)
	}
	defer stop()
	conn := e.reachMCP(limited, call)
	if conn == nil {
		return result, false
	}
	defer conn.Close()
	var out bytes.Buffer
	answer, err := call.result(call.through(limited, conn))
	writeMCP(&out, answer, err)
	switch {
	case ctx.Err() != nil:
		result.Cancelled = context.Cause(ctx)
	case limited.Err() != nil:
		result.TimedOut = true
	default:
		result.Stdout = process.OutputOf(out.Bytes(), plan.MaxOutput)
		if stdout != nil {
			if _, err := stdout.Write(out.Bytes()); err != nil {
				result.Cancelled = &process.WriteError{Stream: "standard output", Err: err}
			}
		}
	}
	result.Duration = time.Since(began)
	return result, true
}

// callsMCP reports whether the plan is the one of rye's own runtime for servers that are programs, as it came with rye.
func (c *Call) callsMCP(plan *runtime.Plan) bool {
	r := c.chain.Elements[min(1, len(c.chain.Elements)-1)]
	return r.ID == mcpStdioRuntime && r.Space() == space.System && plan.Sandbox == nil &&
		slices.Equal(plan.Argv, []string{c.engine.options.Binary, MCPVerb, c.ref.String(), "--project-path", c.engine.options.Project})
}
