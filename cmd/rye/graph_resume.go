package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/ryeos/rye/pkg/engine"
	"github.com/ryeos/rye/pkg/item"
)

func newGraphResume(a *app) *cobra.Command {
	o := &executeOptions{}
	cmd := &cobra.Command{
		Use:   "resume RUN [--retry]",
		Short: "Let a run of a graph go on where it stopped",
		Long: `Let a run go on that was cancelled, killed or lost. Each step was written down before the next one began: what is over is
not done again. RUN is the id of the run or of a thread that it has had, or the start of it.

A node that was being executed when the run was killed may have had its effect, or not. If it declares idempotent: true
or cache_result: true it is executed again. Any other makes the run stop and say so; with --retry it is executed again,
and so is a node that failed.`,
		Example: `  rye graph resume flow-release-1795230933
  rye graph resume flow-release-1795230933 --retry`,
	}
	o.bindResume(cmd, a)
	cmd.ValidArgsFunction = func(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
		runs := func(typed string) []string { return a.graphRuns(typed, "") }
		return a.completeCall(cmd, args, typed, runs, a.graphOfRun)
	}
	return cmd
}

// bindResume makes cmd a command that lets runs go on.
func (o *executeOptions) bindResume(cmd *cobra.Command, a *app) {
	o.bind(cmd, a)
	o.subject = "the id of a run"
	o.report = a.showGraphResult
	o.prepare = func(eng *engine.Engine, req item.Request) (*engine.Call, *item.Response) {
		call, again, failed := eng.PrepareResume(context.Background(), req.Ref)
		o.again = again
		return call, failed
	}
	retry := cmd.Flags().Bool("retry", false, "execute again what failed, and what may have happened already")
	o.own = []string{"retry", "async"}
	o.extend = func(params map[string]any) error {
		if *retry {
			params["retry"] = true
		}
		return nil
	}
}

// graphOfRun is the graph that a run is of, "" if there is no such run.
func (a *app) graphOfRun(id string) string {
	run, err := a.graphRun(id)
	if err != nil {
		return ""
	}
	return run.Graph
}
