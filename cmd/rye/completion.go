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

// completeExecute offers references, then the tool's parameters, then values of an enumeration. cobra offers rye's own
// flags.
func (a *app) completeExecute(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
	cmd.InheritedFlags()
	fs := cmd.Flags()
	fs.SetInterspersed(false)
	if fs.Parse(args) != nil { // the last flag waits for its value
		return completeFlagValue(cmd, lookupFlag(fs, args[len(args)-1]), typed)
	}
	if fs.NArg() == 0 {
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
	last := args[len(args)-1]
	if p, ok := awaitsValue(shown.Parameters, last); ok && fs.NArg() > 1 {
		return enumValues(p, typed)
	}
	if flag := lookupFlag(fs, last); flag != nil && flag.NoOptDefVal == "" {
		return completeFlagValue(cmd, flag, typed)
	}
	if typed != "" && !strings.HasPrefix(typed, "-") {
		return nil, cobra.ShellCompDirectiveDefault
	}
	var names []string
	for _, p := range shown.Parameters {
		name := "--" + strings.ReplaceAll(p.Name, "_", "-")
		if strings.HasPrefix(name, typed) && !slices.Contains(args, name) {
			names = append(names, name+"\t"+item.FirstLine(p.Description))
		}
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}

// completeValues gives a flag of cmd its list of values.
func completeValues(cmd *cobra.Command, flag string, values ...string) {
	if err := cmd.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp)); err != nil {
		panic(err)
	}
}

// completeFlagValue completes the value of one of rye's flags; what has no list of values is left to the shell.
func completeFlagValue(cmd *cobra.Command, flag *pflag.Flag, typed string) ([]string, cobra.ShellCompDirective) {
	if flag != nil {
		if values, ok := cmd.GetFlagCompletionFunc(flag.Name); ok {
			return values(cmd, nil, typed)
		}
	}
	return nil, cobra.ShellCompDirectiveDefault
}

// awaitsValue is the parameter that word names, unless it is a boolean, which needs no value.
func awaitsValue(params []item.Parameter, word string) (item.Parameter, bool) {
	name, ok := strings.CutPrefix(word, "--")
	for _, p := range params {
		if ok && p.Name == strings.ReplaceAll(name, "-", "_") && p.Type != "boolean" {
			return p, true
		}
	}
	return item.Parameter{}, false
}

// enumValues completes a parameter's value; one without an enumeration is left to the shell.
func enumValues(p item.Parameter, typed string) ([]string, cobra.ShellCompDirective) {
	if len(p.Enum) == 0 {
		return nil, cobra.ShellCompDirectiveDefault
	}
	var values []string
	for _, e := range p.Enum {
		if s, ok := e.(string); ok && strings.HasPrefix(s, typed) {
			values = append(values, s)
		}
	}
	return values, cobra.ShellCompDirectiveNoFileComp
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
