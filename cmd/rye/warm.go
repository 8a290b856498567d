package main

import (
	"github.com/spf13/cobra"

	"github.com/ryeos/rye/pkg/engine"
)

func newWarmCommand(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "warm",
		Short: "See and end what is kept between calls",
		Long: `What rye keeps between calls so that the next one need not start it: the interpreters of Python tools that are warm,
and MCP servers. All of it ends by itself when nobody has called it for a while.`,
		Args: onlyCommands,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newWarmListCommand(a), newWarmStopCommand(a))
	return cmd
}

func newWarmListCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:     "list",
		Short:   "List what is kept, in every project",
		Example: "  rye warm list",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			eng, err := a.engine()
			if err != nil {
				return err
			}
			kept := eng.Kept(cmd.Context())
			if a.format() != formatText {
				return a.print(map[string]any{"kept": kept, "total": len(kept)})
			}
			rows := make([][]string, len(kept))
			for i, k := range kept {
				rows[i] = []string{safe(k.Kind), safe(k.Name), safe(k.Project), warmth(k)}
			}
			a.table([]string{"KIND", "NAME", "PROJECT", "KEPT"}, rows)
			return nil
		},
	}
}

func newWarmStopCommand(a *app) *cobra.Command {
	var all bool
	cmd := &cobra.Command{
		Use:   "stop",
		Short: "End what is kept for this project",
		Long: `End everything that is kept for this project, with every process of it, also what still runs there. With --all, end
what is kept for you in every project.`,
		Example: `  rye warm stop
  rye warm stop --all`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			eng, err := a.engine()
			if err != nil {
				return err
			}
			return runMCPStop(a, eng, func(k engine.Kept) bool { return all || k.Project == eng.Project() })
		},
	}
	cmd.Flags().BoolVar(&all, "all", false, "in every project")
	return cmd
}
