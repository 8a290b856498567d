package main

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/ryeos/rye/pkg/item"
)

type completion = func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective)

// completeRefs offers the references of items, and leaves paths to the shell when none fits.
func (a *app) completeRefs(kinds ...item.Kind) completion {
	return func(_ *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
		refs := a.refs(typed, kinds...)
		if len(refs) == 0 {
			return nil, cobra.ShellCompDirectiveDefault
		}
		return refs, cobra.ShellCompDirectiveNoFileComp
	}
}

// refs lists canonical references that start with what was typed; a plain id gets plain ids.
func (a *app) refs(typed string, kinds ...item.Kind) []string {
	eng, err := a.engine()
	if err != nil {
		return nil
	}
	var refs []string
	for _, kind := range kinds {
		for _, ref := range eng.IDs(kind) {
			_, id, _ := strings.Cut(ref, ":")
			switch {
			case strings.HasPrefix(ref, typed):
				refs = append(refs, ref)
			case strings.HasPrefix(id, typed):
				refs = append(refs, id)
			}
		}
	}
	return refs
}

// completeExecute offers references, then the tool's parameters and rye's own flags, then values of an enumeration.
func (a *app) completeExecute(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
	cmd.InheritedFlags()
	fs := cmd.Flags()
	fs.SetInterspersed(false)
	if fs.Parse(args) != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	if fs.NArg() == 0 {
		if strings.HasPrefix(typed, "-") {
			return flagNames(fs, typed), cobra.ShellCompDirectiveNoFileComp
		}
		return a.refs(typed, item.Tool, item.Directive), cobra.ShellCompDirectiveNoFileComp
	}
	eng, err := a.engine()
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	shown, err := eng.Show(fs.Arg(0))
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	if value, ok := enumValues(shown.Parameters, args, typed); ok {
		return value, cobra.ShellCompDirectiveNoFileComp
	}
	if typed != "" && !strings.HasPrefix(typed, "-") {
		return nil, cobra.ShellCompDirectiveDefault
	}
	var names []string
	for _, p := range shown.Parameters {
		name := "--" + strings.ReplaceAll(p.Name, "_", "-")
		if strings.HasPrefix(name, typed) && !slices.Contains(args, name) {
			names = append(names, name+"\t"+firstLine(p.Description))
		}
	}
	if typed != "" {
		names = append(names, flagNames(fs, typed)...)
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}

// enumValues completes the value of the parameter that was just named; a parameter without an enumeration leaves it to
// the shell.
func enumValues(params []item.Parameter, args []string, typed string) ([]string, bool) {
	last, ok := strings.CutPrefix(args[len(args)-1], "--")
	if !ok || strings.HasPrefix(typed, "--") {
		return nil, false
	}
	for _, p := range params {
		if p.Name != strings.ReplaceAll(last, "-", "_") || len(p.Enum) == 0 {
			continue
		}
		var values []string
		for _, e := range p.Enum {
			if s, ok := e.(string); ok && strings.HasPrefix(s, typed) {
				values = append(values, s)
			}
		}
		return values, true
	}
	return nil, false
}

func flagNames(fs *pflag.FlagSet, typed string) []string {
	var names []string
	fs.VisitAll(func(f *pflag.Flag) {
		if !f.Hidden && strings.HasPrefix("--"+f.Name, typed) {
			names = append(names, "--"+f.Name+"\t"+f.Usage)
		}
	})
	return names
}

// completeKeys offers the fingerprints of trusted keys.
func (a *app) completeKeys(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	eng, err := a.engine()
	if err != nil || len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	list, err := eng.Keys()
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var names []string
	for _, k := range list.Keys {
		names = append(names, k.Fingerprint+"\t"+k.Owner)
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}
