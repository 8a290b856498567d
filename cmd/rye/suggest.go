package main

import (
	"errors"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/ryeos/rye/pkg/item"
)

// onlyCommands refuses words that are no command of cmd, and offers the command that was meant.
func onlyCommands(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	var names []string
	for _, sub := range cmd.Commands() {
		if !sub.Hidden {
			names = append(names, sub.Name())
		}
	}
	err := item.Usagef("unknown command %s for %q", item.Quote(args[0]), cmd.CommandPath())
	if near := item.Suggest(args[0], names); near != "" {
		err.Hint("did you mean %s %s?", cmd.CommandPath(), near)
	}
	return err.Hint("%s --help", cmd.CommandPath())
}

// flagError is what cmd's flags could not be read for; an unknown flag gets the one that was meant.
func flagError(cmd *cobra.Command, cause error) error {
	err := item.Usagef("%w", cause)
	var unknown *pflag.NotExistError
	if errors.As(cause, &unknown) {
		var names []string
		cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
		if near := item.Suggest(unknown.GetSpecifiedName(), names); near != "" {
			err.Hint("did you mean --%s?", near)
		}
	}
	return err.Hint("%s --help", cmd.CommandPath())
}
