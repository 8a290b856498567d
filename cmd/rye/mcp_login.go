package main

import (
	"context"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/ryeos/rye/pkg/engine"
	"github.com/ryeos/rye/pkg/item"
)

// loginTime is how long a person has to allow a sign-in.
const loginTime = 5 * time.Minute

func newMCPLoginCommand(a *app) *cobra.Command {
	req := engine.LoginRequest{}
	var noBrowser bool
	var timeout time.Duration
	cmd := &cobra.Command{
		Use:   "login SERVER",
		Short: "Sign in to an MCP server",
		Long: `Sign in to an MCP server on the network that wants to know who calls. The page to allow it on is printed on standard
error, and opened in your browser if that is a terminal. The browser must be on this machine: it is sent back to an address
that only this machine reaches.

The tokens are kept for you alone in state/mcp-oauth in your .ai folder, renewed when they expire, and sent to that server
only. A call never asks you to sign in: it fails, and says which command does.`,
		Example: `  rye mcp login tracker
  rye mcp login tracker --scope issues:write
  rye mcp login tracker --no-browser`,
		Args: one("the name of an MCP server"),
		RunE: func(_ *cobra.Command, args []string) error {
			if timeout <= 0 {
				return item.Usagef("--timeout must be more than 0")
			}
			req.Server = args[0]
			return a.withServers(func(ctx context.Context, eng *engine.Engine) error {
				late := item.Errorf(item.TypeTimeout, "nobody has signed in within %s", timeout).Hint("rye mcp login %s --timeout 10m", item.ShellWord(req.Server))
				ctx, stop := context.WithTimeoutCause(ctx, timeout, late)
				defer stop()
				req.Show = func(page string) { a.showPage(eng, page, !noBrowser && isTerminal(a.stderr)) }
				return runMCPLogin(ctx, a, eng, req)
			})
		},
	}
	cmd.Flags().StringArrayVar(&req.Scopes, "scope", nil, "also ask for this `scope`; may be repeated")
	cmd.Flags().BoolVar(&noBrowser, "no-browser", false, "only print the page, do not open it")
	cmd.Flags().DurationVar(&timeout, "timeout", loginTime, "how long to wait for you")
	return cmd
}

// showPage prints the page even with --quiet: without it nobody could sign in.
func (a *app) showPage(eng *engine.Engine, page string, open bool) {
	a.stderr.WriteString("to sign in, open " + safe(page) + "\n")
	if !open {
		return
	}
	if err := eng.OpenBrowser(page); err != nil {
		a.warn("cannot open a browser: " + err.Error())
	}
}

func runMCPLogin(ctx context.Context, a *app, eng *engine.Engine, req engine.LoginRequest) error {
	in, err := eng.LoginMCP(ctx, req)
	if err != nil {
		return err
	}
	if a.format() != formatText {
		return a.print(in)
	}
	a.line("signed in to %s by %s", safe(in.Server), safe(in.Issuer))
	if len(in.Scopes) > 0 {
		a.note("for %s", safe(strings.Join(in.Scopes, " ")))
	}
	if in.Expires != nil && !in.Renewed {
		a.note("until %s", in.Expires.Local().Format(time.DateTime))
	}
	return nil
}

func newMCPLogoutCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "logout SERVER",
		Short: "Forget the sign-in to an MCP server",
		Long: `Forget the tokens for an MCP server, and tell its authorization server that they are not wanted any more, if it can be
told.`,
		Example: `  rye mcp logout tracker`,
		Args:    one("the name of an MCP server"),
		RunE: func(_ *cobra.Command, args []string) error {
			return a.withServers(func(ctx context.Context, eng *engine.Engine) error {
				out, err := eng.LogoutMCP(ctx, args[0])
				if err != nil {
					return err
				}
				if out.Warning != "" {
					a.warn(safe(out.Warning))
				}
				if a.format() != formatText {
					return a.print(out)
				}
				if !out.Was {
					a.note("nobody was signed in to %s", safe(out.Server))
					return nil
				}
				a.line("signed out of %s", safe(out.Server))
				return nil
			})
		},
	}
}
