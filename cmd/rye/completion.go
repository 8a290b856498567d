package main

import (
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/ryeos/rye/pkg/item"
	"github.com/ryeos/rye/pkg/thread"
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
		refs = append(refs, fitting(eng.IDs(kind), typed)...)
	}
	return refs
}

// fitting are the references that start with what was typed; a plain id gets plain ids.
func fitting(refs []string, typed string) (found []string) {
	for _, ref := range refs {
		_, id, _ := strings.Cut(ref, ":")
		switch {
		case strings.HasPrefix(ref, typed):
			found = append(found, ref)
		case strings.HasPrefix(id, typed):
			found = append(found, id)
		}
	}
	return found
}

// completeExecute offers references, then the tool's parameters, then values of an enumeration. cobra offers rye's own
// flags.
func (a *app) completeExecute(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
	refs := func(typed string) []string { return a.refs(typed, item.Tool, item.Directive) }
	return a.completeCall(cmd, args, typed, refs, func(word string) string { return word })
}

// completeRerun offers threads, then the parameters of the tool that the thread ran.
func (a *app) completeRerun(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
	ids := func(typed string) []string { return a.threadIDs(typed, nil) }
	return a.completeCall(cmd, args, typed, ids, a.threadItem)
}

// completeCall completes a command that runs a tool: subjects offers what may name the tool, refOf reads that.
func (a *app) completeCall(cmd *cobra.Command, args []string, typed string, subjects func(string) []string, refOf func(string) string) ([]string, cobra.ShellCompDirective) {
	cmd.InheritedFlags()
	fs := cmd.Flags()
	fs.SetInterspersed(false)
	if fs.Parse(args) != nil { // the last flag waits for its value
		return completeFlagValue(cmd, lookupFlag(fs, args[len(args)-1]), typed)
	}
	if fs.NArg() == 0 {
		return subjects(typed), cobra.ShellCompDirectiveNoFileComp
	}
	eng, err := a.engine()
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	shown, err := eng.Show(refOf(fs.Arg(0)))
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

// completeThreads offers the ids of threads, those with one of these statuses if any are given.
func (a *app) completeThreads(statuses []thread.Status) completion {
	return func(_ *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
		ids := slices.DeleteFunc(a.threadIDs(typed, statuses), func(offer string) bool {
			id, _, _ := strings.Cut(offer, "\t")
			return slices.Contains(args, id)
		})
		return ids, cobra.ShellCompDirectiveNoFileComp
	}
}

// offered is how many of the newest threads completion looks at.
const offered = 200

// threadIDs lists ids that start with what was typed, each with its status and item.
func (a *app) threadIDs(typed string, statuses []thread.Status) []string {
	ctx := context.Background()
	_, store, err := a.registry(ctx)
	if err != nil {
		return nil
	}
	threads, err := store.IDs(ctx, typed, offered)
	if err != nil {
		return nil
	}
	var ids []string
	for _, t := range threads {
		if len(statuses) == 0 || slices.Contains(statuses, t.Status) {
			ids = append(ids, t.ID+"\t"+string(t.Status)+" "+t.Item)
		}
	}
	return ids
}

// threadItem is the item that a thread ran, "" if there is no such thread.
func (a *app) threadItem(id string) string {
	ctx := context.Background()
	_, store, err := a.registry(ctx)
	if err != nil {
		return ""
	}
	threads, err := store.IDs(ctx, id, 1)
	if err != nil || len(threads) == 0 {
		return ""
	}
	return threads[0].Item
}
