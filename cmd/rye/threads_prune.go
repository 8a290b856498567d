package main

import (
	"context"
	"errors"
	"io/fs"
	"math"
	"time"

	"github.com/spf13/cobra"

	"github.com/ryeos/rye/pkg/item"
)

// pruned is what was removed, or what would be.
type pruned struct {
	Removed int      `json:"removed"`
	Threads []string `json:"threads,omitempty"` // of a dry run
}

// pruneOptions choose what goes.
type pruneOptions struct {
	olderThan age
	keep      int
	dryRun    bool
}

func newThreadsPrune(a *app) *cobra.Command {
	var o pruneOptions
	cmd := &cobra.Command{
		Use:   "prune (--older-than AGE | --keep N)",
		Short: "Remove threads that ended long ago, with their logs",
		Long: `Remove the rows and the logs of threads that ended longer ago than --older-than and are not among the newest that --keep
keeps. With one of the two, only that one counts. A thread that is not at its end stays, and so does one as long as a
thread that it started does.`,
		Example: `  rye threads prune --older-than 30d
  rye threads prune --keep 1000 --dry-run
  rye threads prune --older-than 12h --keep 50`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			switch {
			case !cmd.Flags().Changed("older-than") && !cmd.Flags().Changed("keep"):
				return item.Usagef("say what may go: --older-than, --keep, or both").
					Hint("rye threads prune --older-than 30d").Hint("rye threads prune --keep 1000")
			case o.keep < 0:
				return item.Usagef("--keep must not be negative, got %d", o.keep)
			}
			return runThreadsPrune(a, &o)
		},
	}
	flags := cmd.Flags()
	flags.Var(&o.olderThan, "older-than", "only threads that ended longer ago than this `age`: 90s, 12h, 30d")
	flags.IntVar(&o.keep, "keep", 0, "keep the newest, this `number` of them")
	flags.BoolVar(&o.dryRun, "dry-run", false, "say what would be removed")
	return cmd
}

func runThreadsPrune(a *app, o *pruneOptions) error {
	ctx, stop := interruptible()
	defer stop()
	result, err := o.prune(ctx, a)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		a.note("no threads were recorded in this project")
	case err != nil:
		return err
	}
	if a.format() != formatText {
		return a.print(result)
	}
	for _, id := range result.Threads {
		a.line("%s", id)
	}
	if o.dryRun {
		a.note("%d threads would be removed", result.Removed)
		return nil
	}
	a.line("removed %d threads", result.Removed)
	return nil
}

func (o *pruneOptions) prune(ctx context.Context, a *app) (pruned, error) {
	_, store, err := a.registry(ctx)
	if err != nil {
		return pruned{}, err
	}
	if o.dryRun {
		ids, err := store.Prunable(ctx, time.Duration(o.olderThan), o.keep, math.MaxInt32)
		return pruned{len(ids), ids}, err
	}
	n, err := store.Prune(ctx, time.Duration(o.olderThan), o.keep)
	return pruned{Removed: n}, err
}
