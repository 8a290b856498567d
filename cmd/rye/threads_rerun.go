package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/ryeos/rye/pkg/engine"
	"github.com/ryeos/rye/pkg/item"
)

func newThreadsRerun(a *app) *cobra.Command {
	var o executeOptions
	cmd := &cobra.Command{
		Use:   "rerun ID [--PARAMETER VALUE …]",
		Short: "Run again what a thread ran",
		Long: `Repeat the request of a thread as it was recorded, with the item as it is now: it is found and verified anew. What follows
the ID is read as after rye execute REF, and changes single parameters. Secrets are not recorded and must be given again.

The run is in the foreground, like rye execute; with --async it is a thread again.`,
		Example: `  rye threads rerun 3f2a
  rye threads rerun 3f2a --async --command 'make -k test'`,
	}
	o.bind(cmd, a)
	o.subject = "the id of a thread"
	o.prepare = func(eng *engine.Engine, req item.Request) (*engine.Call, *item.Response) {
		call, again, failed := eng.PrepareRerun(context.Background(), req.Ref)
		o.again = again
		return call, failed
	}
	cmd.ValidArgsFunction = a.completeRerun
	return cmd
}

func newThreadsResume(a *app) *cobra.Command {
	o := &executeOptions{}
	cmd := &cobra.Command{
		Use:   "resume ID [--retry]",
		Short: "Let a stopped run of a graph go on",
		Long: `Let the run of a graph go on where it stopped: one that was cancelled, killed or lost, or that failed. It is what rye graph
resume does. A thread of any other tool has no steps to go on from: rye threads rerun starts it from the beginning.

The run is in the foreground, like rye execute; with --async it is a thread again.`,
		Example: "  rye threads resume 3f2a\n  rye threads resume 3f2a --retry",
	}
	o.bindResume(cmd, a)
	o.subject = "the id of a thread"
	cmd.ValidArgsFunction = a.completeRerun
	return cmd
}
