package main

import (
	"github.com/spf13/cobra"

	"github.com/ryeos/rye/pkg/engine"
)

// newNativeCommand is what the native runtime starts: `rye _native FUNCTION --project-path DIR`, parameters on standard
// input.
func newNativeCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use: "_native FUNCTION", Hidden: true, Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return engine.RunNative(cmd.Context(), args[0], a.flags.project, a.stdin, a.stdout)
		},
	}
}
