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

// refuseUnknownTopics makes `rye help NAME` fail for a name that is no command.
func refuseUnknownTopics(root *cobra.Command) {
	root.InitDefaultHelpCmd()
	help, _, err := root.Find([]string{"help"})
	if err != nil {
		return
	}
	help.Args = func(_ *cobra.Command, args []string) error {
		cmd, rest, err := root.Find(args)
		if err != nil {
			return err
		}
		return onlyCommands(cmd, rest)
	}
}

// flagError is what cmd's flags could not be read for; an unknown flag gets the one that was meant.
func flagError(cmd *cobra.Command, cause error) error {
	err := item.Usagef("%w", cause)
	var unknown *pflag.NotExistError
	if errors.As(cause, &unknown) {
		if near := nearFlag(cmd.Flags(), unknown.GetSpecifiedName()); near != "" {
			err.Hint("did you mean --%s?", near)
		}
	}
	return err.Hint("%s --help", cmd.CommandPath())
}

// nearFlag is the flag that was meant, or "".
func nearFlag(fs *pflag.FlagSet, name string) string {
	var names []string
	fs.VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
	return item.Suggest(name, names)
}

// one asks for one argument and says what it is.
func one(what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		switch {
		case len(args) == 0:
			return item.Usagef("%s needs %s", cmd.CommandPath(), what).Hint("%s --help", cmd.CommandPath())
		case len(args) > 1:
			return item.Usagef("%s takes one argument, got %s too", cmd.CommandPath(), item.Quote(args[1])).Hint("%s --help", cmd.CommandPath())
		}
		return nil
	}
}

// oneOrMore asks for at least one argument and says what each is.
func oneOrMore(what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return item.Usagef("%s needs %s", cmd.CommandPath(), what).Hint("%s --help", cmd.CommandPath())
		}
		return nil
	}
}
