package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/ryeos/rye/pkg/engine"
)

// newKeeperCommand is what calls start that keep something between them. What that is comes on standard input.
func newKeeperCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use: engine.KeeperVerb, Hidden: true, Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
			defer stop()
			return engine.RunKeeper(ctx, a.stdin)
		},
	}
}
