package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/ryeos/rye/pkg/engine"
)

// newGraphWalkCommand is what the state-graph runtime starts: parameters on standard input, the result on standard output,
// progress on standard error.
func newGraphWalkCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use: engine.GraphVerb + " REF", Hidden: true, Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			eng, err := a.engine()
			if err != nil {
				return err
			}
			ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
			defer stop()
			return eng.RunGraph(ctx, args[0], a.stdin, a.stdout, a.stderr)
		},
	}
}
