package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ryeos/rye/pkg/engine"
	"github.com/ryeos/rye/pkg/item"
	"github.com/ryeos/rye/pkg/space"
)

func newMCPCommand(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "mcp",
		Short: "Use the tools of MCP servers",
		Long: `Use the tools of MCP servers. A server is a signed item, config/mcp/servers/NAME.yaml in a space's .ai folder; rye mcp
discover writes its tools as signed items, which rye execute runs. See docs/mcp.md.`,
		Args: onlyCommands,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newMCPServersCommand(a), newMCPDiscoverCommand(a), newMCPCallCommand(a), newMCPCostCommand(a), newMCPStopCommand(a), newMCPServeCommand(a),
		newMCPLoginCommand(a), newMCPLogoutCommand(a))
	return cmd
}

func newMCPServersCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "servers",
		Short: "List the configured MCP servers",
		Long: `List the configured MCP servers of every space, with what shadows what, the state of their signatures, the
number of their tools that are pinned, the variables that they need and do not get, and which of them are kept between
calls. No server is started.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			eng, err := a.engine()
			if err != nil {
				return err
			}
			servers, err := eng.MCPServers(cmd.Context())
			if err != nil {
				return err
			}
			if a.format() != formatText {
				return a.print(map[string]any{"servers": servers, "total": len(servers)})
			}
			a.showServers(servers)
			return nil
		},
	}
}

func (a *app) showServers(servers []engine.MCPServer) {
	if len(servers) == 0 {
		a.note("no MCP server is configured; write .ai/config/mcp/servers/NAME.yaml and sign it: see docs/mcp.md")
		return
	}
	rows := make([][]string, len(servers))
	for i, s := range servers {
		remark := s.Problem
		switch {
		case s.ShadowedBy != "":
			remark = "shadowed by " + s.ShadowedBy
		case remark == "" && len(s.Missing) > 0:
			remark = "not set: " + strings.Join(s.Missing, ", ")
		}
		rows[i] = []string{s.Name, string(s.Space), s.Signature, s.Transport, fmt.Sprint(s.Tools), keptOf(s), item.FirstLine(s.Target), item.FirstLine(remark)}
	}
	a.table([]string{"SERVER", "SPACE", "SIGNATURE", "TRANSPORT", "TOOLS", "KEPT", "TARGET", ""}, rows)
}

func keptOf(s engine.MCPServer) string {
	switch len(s.Kept) {
	case 0:
		return "–"
	case 1:
		return warmth(s.Kept[0])
	}
	return fmt.Sprintf("%d times", len(s.Kept)) // for callers with different environments
}

func newMCPDiscoverCommand(a *app) *cobra.Command {
	var req engine.DiscoverRequest
	var source string
	cmd := &cobra.Command{
		Use:   "discover SERVER",
		Short: "Write the tools of an MCP server as signed items",
		Long: `Ask an MCP server for its tools and write each as a signed item, tool:mcp/SERVER/TOOL, that pins the tool's
definition: its name, title, description, schemas and annotations. When the tool is called and the server defines it in
another way, the call is refused.

A tool that is pinned already and has changed is shown with its changes and left alone; --repin takes it as it is now.`,
		Example: `  rye mcp discover everything
  rye mcp discover everything --check
  rye mcp discover everything --tool echo --repin`,
		Args: one("the name of an MCP server"),
		RunE: func(_ *cobra.Command, args []string) error {
			req.Server, req.Source = args[0], space.Label(source)
			if source != "" && req.Source != space.Project && req.Source != space.User {
				return item.Usagef("--source is project or user, not %s", item.Quote(source))
			}
			return a.withServers(func(ctx context.Context, eng *engine.Engine) error { return runMCPDiscover(ctx, a, eng, req) })
		},
	}
	cmd.Flags().StringArrayVar(&req.Tools, "tool", nil, "only the `tool` of this name; may be repeated")
	cmd.Flags().BoolVar(&req.Repin, "repin", false, "pin what has changed as it is now")
	cmd.Flags().BoolVar(&req.Check, "check", false, "say what would be written, and write nothing")
	cmd.Flags().StringVar(&source, "source", "", "`space` to write to: project or user (default: that of the server's configuration)")
	completeValues(cmd, "source", "project", "user")
	return cmd
}

func runMCPDiscover(ctx context.Context, a *app, eng *engine.Engine, req engine.DiscoverRequest) error {
	found, err := eng.Discover(ctx, req)
	if err != nil {
		return err
	}
	if a.format() != formatText {
		if err := a.print(found); err != nil {
			return err
		}
	} else {
		a.showDiscovered(found)
	}
	if found.Status == item.StatusError {
		return &silentError{exitIntegrity}
	}
	return nil
}

func (a *app) showDiscovered(found *engine.Discovered) {
	rows := make([][]string, len(found.Tools))
	for i, t := range found.Tools {
		rows[i] = []string{t.ItemID, t.State, fmt.Sprint(t.Tokens), item.FirstLine(t.Description)}
	}
	a.table([]string{"ITEM", "STATE", "TOKENS", "DESCRIPTION"}, rows)
	for _, t := range found.Tools {
		a.remark(t)
	}
	a.note("%d tools of %s %s, about %d tokens in a model's context", len(found.Tools), safe(found.Said.Name), safe(found.Said.Version), found.Tokens)
	if found.Status == item.StatusError {
		printHints(a.stderr, []string{"read the changes; if they are right: rye mcp discover " + found.Server + " --repin"})
	}
}

// remark says what a person should know about a tool.
func (a *app) remark(t engine.DiscoveredTool) {
	if t.Hidden {
		a.warn("the definition of " + safe(t.Tool) + " holds characters that a reader does not see, or more than anybody reads")
	}
	if t.RenamedFrom != "" {
		a.warn(safe(t.Tool) + " has the definition that " + safe(t.RenamedFrom) + " had")
	}
	if t.Problem != "" {
		a.warn(safe(t.Tool) + ": " + safe(t.Problem))
	}
	for _, line := range t.Diff {
		a.note("  %s", safe(line))
	}
}

func newMCPCostCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "cost SERVER",
		Short: "Estimate what a server's tools take in a model's context",
		Long: `Ask an MCP server for its tools and estimate how many tokens their definitions would take in a model's context, at
four bytes of JSON a token. rye's own MCP server does not put them there: see docs/mcp.md.`,
		Example: `  rye mcp cost everything`,
		Args:    one("the name of an MCP server"),
		RunE: func(_ *cobra.Command, args []string) error {
			return a.withServers(func(ctx context.Context, eng *engine.Engine) error {
				cost, err := eng.MCPCost(ctx, args[0])
				if err != nil {
					return err
				}
				if a.format() != formatText {
					return a.print(cost)
				}
				rows := [][]string{}
				for _, t := range cost.Tools {
					rows = append(rows, []string{t.Tool, fmt.Sprint(t.Tokens)})
				}
				a.table([]string{"TOOL", "TOKENS"}, append(rows, []string{"total", fmt.Sprint(cost.Tokens)}))
				return nil
			})
		},
	}
}
