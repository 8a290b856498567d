package main

import (
	"github.com/spf13/cobra"
)

// newNativeCommand is what the native runtime starts: `rye _native FUNCTION --project-path DIR`, parameters on standard
// input.
func newNativeCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use: "_native FUNCTION", Hidden: true, Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			eng, err := a.engine()
			if err != nil {
				return err
			}
			return eng.RunNative(cmd.Context(), args[0], a.stdin, a.stdout)
		},
	}
}
