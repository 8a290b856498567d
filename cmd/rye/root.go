package main

import (
	"github.com/spf13/cobra"
)

func newRootCommand(a *app) *cobra.Command {
	var showVersion bool
	root := &cobra.Command{
		Use:   "rye",
		Short: "Run signed agent tooling",
		Long: `rye runs tools that live as files in .ai folders. It finds a tool in the project's, the user's or the system's
space, follows its executor chain (tool → runtime → primitive), verifies every signature on the way, runs it and
returns one JSON envelope.

EXIT CODES
  0 success              4 integrity            8 unavailable
  1 the item failed      5 chain or document   70 internal error
  2 usage                6 not permitted      124 timed out
  3 not found            7 limit reached      130 interrupted`,
		Example: `  rye execute tool:rye/bash --command 'ls -la'
  rye list
  rye show tool:rye/bash
  rye init`,
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          onlyCommands,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if showVersion {
				return a.showVersion()
			}
			return cmd.Help()
		},
		PersistentPreRunE: func(*cobra.Command, []string) error {
			return a.checkOutput()
		},
	}
	root.SetFlagErrorFunc(flagError)
	a.flags.add(root.PersistentFlags())
	root.Flags().BoolVar(&showVersion, "version", false, "print rye's version")
	root.CompletionOptions.HiddenDefaultCmd = false
	root.AddCommand(
		newExecuteCommand(a), newTraceCommand(a), newSignCommand(a), newVerifyCommand(a), newKeysCommand(a), newListCommand(a),
		newSearchCommand(a), newShowCommand(a), newInitCommand(a), newDoctorCommand(a), newVersionCommand(a), newNativeCommand(a), newRunnerCommand(a), newKeeperCommand(a), newGraphWalkCommand(a), newThreadsCommand(a), newMCPCommand(a), newMCPRunCommand(a), newWarmCommand(a), newGraphCommand(a),
		newTestCommand(a), newLilluxCommand(a),
	)
	root.InitDefaultCompletionCmd()
	refuseUnknownTopics(root)
	completeValues(root, "output", "auto", formatText, formatJSON, formatYAML)
	completeValues(root, "env", "inherit", "minimal")
	return root
}
