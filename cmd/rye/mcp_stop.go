package main

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/ryeos/rye/pkg/engine"
	"github.com/ryeos/rye/pkg/item"
)

func newMCPStopCommand(a *app) *cobra.Command {
	var all bool
	cmd := &cobra.Command{
		Use:   "stop [SERVER]",
		Short: "End the MCP servers that are kept between calls",
		Long: `End the MCP servers of this project that are kept between calls, or one of them, with every process of theirs. The
next call starts a server anew. With --all, end everything that rye keeps for you, in every project.`,
		Example: `  rye mcp stop everything
  rye mcp stop --all`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			if all && len(args) > 0 {
				return item.Usagef("--all is for every server: name one, or give --all")
			}
			eng, err := a.engine()
			if err != nil {
				return err
			}
			stop := func(k engine.Kept) bool {
				own := k.Kind == engine.KeptMCP && k.Project == eng.Project()
				return all || own && (len(args) == 0 || k.Name == args[0])
			}
			// One that is kept may have been configured once.
			if len(args) > 0 && !slices.ContainsFunc(eng.Kept(context.Background()), stop) {
				if err := eng.KnowsMCPServer(args[0]); err != nil {
					return err
				}
			}
			return runMCPStop(a, eng, stop)
		},
	}
	cmd.Flags().BoolVar(&all, "all", false, "everything that is kept, in every project")
	return cmd
}

func runMCPStop(a *app, eng *engine.Engine, wanted func(engine.Kept) bool) error {
	ctx := context.Background()
	stopped := []engine.Kept{}
	for _, k := range eng.Kept(ctx) {
		if !wanted(k) {
			continue
		}
		if err := eng.StopKept(ctx, k); err != nil {
			return err
		}
		stopped = append(stopped, k)
	}
	if a.format() != formatText {
		return a.print(map[string]any{"stopped": stopped, "total": len(stopped)})
	}
	for _, k := range stopped {
		a.line("%s %s", safe(k.Name), warmth(k))
	}
	a.note("%d ended", len(stopped))
	return nil
}

// warmth says in a few words how something is kept.
func warmth(k engine.Kept) string {
	if k.Stuck {
		return fmt.Sprintf("pid %d, does not answer", k.PID)
	}
	since := time.Since(k.Since).Round(time.Second)
	if k.Active > 0 {
		return fmt.Sprintf("pid %d, for %s, %d calls, %d of them now", k.PID, since, k.Calls, k.Active)
	}
	return fmt.Sprintf("pid %d, for %s, %d calls, idle for %s", k.PID, since, k.Calls, time.Duration(k.IdleSeconds*float64(time.Second)).Round(time.Second))
}
