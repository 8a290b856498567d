package main

import (
	"context"
	"encoding/json"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/ryeos/rye/pkg/engine"
	"github.com/ryeos/rye/pkg/item"
)

// newMCPRunCommand is what the runtimes of MCP tools start: the tool's reference, parameters on standard input, the result
// on standard output.
func newMCPRunCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use: engine.MCPVerb + " REF", Hidden: true, Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			eng, err := a.engine()
			if err != nil {
				return err
			}
			ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
			defer stop()
			return eng.RunMCP(ctx, args[0], a.stdin, a.stdout)
		},
	}
}

// serverAndTool are the arguments of a call.
func serverAndTool(cmd *cobra.Command, args []string) error {
	switch err := item.Usagef("%s needs the names of an MCP server and a tool of it", cmd.CommandPath()); {
	case len(args) == 0:
		return err.Hint("rye mcp servers")
	case len(args) == 1:
		return err.Hint("rye mcp cost %s", item.ShellWord(args[0]))
	case len(args) > 2:
		return item.Usagef("%s takes two arguments, got %s too", cmd.CommandPath(), item.Quote(args[2])).
			Hint("arguments of the tool are given as --param NAME=VALUE")
	}
	return nil
}

func newMCPCallCommand(a *app) *cobra.Command {
	var params string
	var given []string
	cmd := &cobra.Command{
		Use:   "call SERVER TOOL",
		Short: "Call a tool of an MCP server directly",
		Long: `Call a tool of an MCP server, also one that was not discovered. The value of --param is JSON, or text if it is
no JSON; --params takes all of them at once. If the tool is pinned, its definition must still be what was pinned.

A discovered tool is an item like any other: rye execute tool:mcp/SERVER/TOOL --parameter value checks parameters by its
schema, too.`,
		Example: `  rye mcp call everything echo --param message=hello
  rye mcp call everything get-sum --params '{"a": 1, "b": 2}'`,
		Args: serverAndTool,
		RunE: func(_ *cobra.Command, args []string) error {
			arguments, err := a.baseParameters(params)
			if err == nil {
				err = addArguments(arguments, given)
			}
			if err != nil {
				return err
			}
			return runMCPCall(a, args[0], args[1], arguments)
		},
	}
	cmd.Flags().StringVar(&params, "params", "", "arguments as a `JSON` object, @FILE, or - for standard input")
	cmd.Flags().StringArrayVar(&given, "param", nil, "one argument, `NAME=VALUE`; may be repeated")
	return cmd
}

func addArguments(arguments map[string]any, given []string) error {
	for _, word := range given {
		name, value, ok := strings.Cut(word, "=")
		if !ok || name == "" {
			return item.Usagef("--param takes NAME=VALUE, not %s", item.Quote(word))
		}
		arguments[name] = value
		if v := decodeJSON(value); v != nil || value == "null" {
			arguments[name] = v
		}
	}
	return nil
}

func runMCPCall(a *app, server, tool string, arguments map[string]any) error {
	return a.withServers(func(ctx context.Context, eng *engine.Engine) error {
		result, err := eng.CallMCP(ctx, server, tool, arguments)
		if err != nil {
			return err
		}
		if a.format() == formatText {
			a.showContent(result)
		} else if err := a.print(result); err != nil {
			return err
		}
		if result.IsError {
			return &silentError{exitFailed}
		}
		return nil
	})
}

// withServers runs what starts MCP servers, so that no signal leaves one behind.
func (a *app) withServers(run func(context.Context, *engine.Engine) error) error {
	eng, err := a.engine()
	if err != nil {
		return err
	}
	engine.BecomeReaper()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	return run(ctx, eng)
}

// showContent prints the blocks of text; of others it says what they are.
func (a *app) showContent(result *engine.MCPResult) {
	for _, data := range result.Content {
		var block struct{ Type, Text, MimeType, URI, Data string }
		if json.Unmarshal(data, &block) != nil || block.Type == "text" {
			a.line("%s", safeLines(block.Text))
			continue
		}
		a.note("[%s %s %s, %d bytes of data: -o json shows it]", safe(block.Type), safe(block.MimeType), safe(block.URI), len(block.Data))
	}
	for _, warning := range result.Warnings {
		a.warn(warning)
	}
	if result.IsError {
		a.note("✗ %s of the MCP server %s failed", safe(result.Tool), safe(result.Server))
	}
}
