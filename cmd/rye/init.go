package main

import (
	"github.com/spf13/cobra"
)

func newInitCommand(a *app) *cobra.Command {
	var yes bool
	cmd := &cobra.Command{
		Use:   "init",
		Short: "Prepare a project: folders, a key if you have none, a first tool",
		Long: `Make .ai with its folders and a .gitignore, a signing key in your user space if you have none, and a first tool, signed
and ready to run. What exists is left as it is, so init can be run again.`,
		Args: cobra.NoArgs,
		Example: `  rye init
  rye execute tool:hello --name Ada`,
		RunE: func(*cobra.Command, []string) error { return runInit(a) },
	}
	cmd.Flags().BoolVarP(&yes, "yes", "y", false, "ask nothing (init never asks; accepted for scripts)")
	return cmd
}

func runInit(a *app) error {
	if a.flags.project == "" {
		a.flags.project = "." // a project is made here, not in a parent that has one
	}
	eng, err := a.engine()
	if err != nil {
		return err
	}
	done, err := eng.Init()
	if err != nil {
		return err
	}
	if a.format() != formatText {
		return a.print(done)
	}
	for _, path := range done.Created {
		a.line("%s %s", a.paintOut(green, "+"), safe(path))
	}
	if len(done.Created) == 0 {
		a.note("nothing to do: %s is prepared already", safe(done.Project))
	}
	if done.NewKey {
		a.note("new signing key %s, trusted for you", done.Fingerprint)
	}
	a.line("\nnow try:  rye execute %s --name Ada", done.FirstTool)
	return nil
}
