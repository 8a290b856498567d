package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/ryeos/rye/pkg/engine"
	"github.com/ryeos/rye/pkg/item"
)

// serveOptions are the flags of `rye mcp serve`.
type serveOptions struct {
	http       string
	roots      []string
	concurrent int
	maxResult  int
	client     string // whose configuration to print
}

func newMCPServeCommand(a *app) *cobra.Command {
	var o serveOptions
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Serve items to MCP clients",
		Long: `Serve items to a model: the tools execute, fetch and sign do what rye execute, search and sign do. Their definitions
take about a thousand tokens of the model's context, however many items there are.

Without --http it serves the client that has started it, on standard input and output. What a client calls ends when it
cancels the call, hangs up or goes. Tools get the minimal environment, never yours.

A call names its project. With -p, or in a configuration that --print-config has made, it need not; --root keeps all calls
in some folders.

Over HTTP, clients need a token: that in RYE_MCP_TOKEN, else one in a file that rye makes, and names when it starts.`,
		Example: `  rye mcp serve --print-config claude
  rye mcp serve -p ~/project --root ~/project
  rye mcp serve --http 127.0.0.1:7777`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return runMCPServe(a, cmd, o) },
	}
	fs := cmd.Flags()
	fs.StringVar(&o.http, "http", "", "serve streamable HTTP on this loopback `address`; port 0 is any that is free")
	fs.StringArrayVar(&o.roots, "root", nil, "refuse projects outside of this `folder`; may be repeated")
	fs.IntVar(&o.concurrent, "max-concurrent", 0, "run so many items at a `time`; others wait (default: two for each processor)")
	fs.IntVar(&o.maxResult, "max-result", engine.DefaultMCPResult, "cut answers that are longer than so many `bytes`")
	fs.StringVar(&o.client, "print-config", "", "print what to paste into the configuration of a `client`: claude, cursor or vscode")
	completeValues(cmd, "print-config", "claude", "cursor", "vscode")
	return cmd
}

func runMCPServe(a *app, cmd *cobra.Command, o serveOptions) error {
	if o.http == "" {
		a.flags.output = formatText // standard output is for the protocol, and errors are none of it
	}
	switch {
	case a.flags.env == "inherit":
		return item.Usagef("what a model runs gets the minimal environment: --env inherit is not for rye mcp serve").
			Hint("a tool names what it needs besides in env_config.pass")
	case cmd.Flags().Changed("max-concurrent") && o.concurrent < 1:
		return item.Usagef("--max-concurrent must be at least 1")
	case o.maxResult < leastResult:
		return item.Usagef("--max-result must be at least %d", leastResult)
	}
	for i, root := range o.roots {
		abs, err := filepath.Abs(root)
		if err != nil {
			return err
		}
		o.roots[i] = abs
	}
	eng, err := a.engine()
	if err != nil {
		return err
	}
	if o.client != "" {
		return a.printMCPConfig(eng.Project(), o)
	}
	return a.serveMCP(eng, o)
}

// leastResult is the smallest bound of an answer that leaves room for an error and its hints, in bytes.
const leastResult = 4 << 10

// serveMCP serves until it is told to end. Then it has ended well.
func (a *app) serveMCP(eng *engine.Engine, o serveOptions) error {
	if err := engine.BecomeReaper(); err != nil {
		a.warn(err.Error())
	}
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE) // a client that has gone is no reason to leave its tools behind
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	serve := engine.MCPServe{
		Version: currentVersion(), AskProject: a.flags.project == "", Roots: o.roots, Concurrent: o.concurrent, MaxResult: o.maxResult,
	}
	if o.http == "" {
		return eng.ServeMCP(ctx, serve, a.stdin, a.stdout)
	}
	token, file, err := eng.MCPToken()
	if err != nil {
		return err
	}
	listener, url, err := engine.ListenMCP(o.http)
	if err != nil {
		return err
	}
	if err := a.announce(url, file); err != nil {
		return err
	}
	return eng.ServeMCPHTTP(ctx, serve, listener, token)
}

// announce says where the server is and where its token.
func (a *app) announce(url, file string) error {
	if a.format() != formatText {
		return a.print(struct {
			URL       string `json:"url"`
			TokenFile string `json:"token_file,omitempty"`
		}{url, file})
	}
	where := "in " + file
	if file == "" {
		where = "that of " + engine.MCPTokenVariable
	}
	fmt.Fprintf(a.stderr, "%s\nbearer token: %s\n", url, where)
	return nil
}
