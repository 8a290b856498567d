package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/ryeos/rye/pkg/engine"
)

func newGraphValidate(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "validate REF|PATH",
		Short: "Check a graph without running it",
		Long: `Check a graph: that its keys make sense, that every name of a node is one, that every node can be reached, that state is
set before it is read. Each finding has its place in the file. Errors keep a graph from being signed and from running, and
give the exit code 5; warnings are what is probably a slip. Nothing is executed, so the file need not be signed.`,
		Example: `  rye graph validate tool:flow/release
  rye graph validate .ai/tools/flow/release.yaml
  rye graph validate -o json tool:flow/release | jq -r '.errors[]'`,
		Args:              one("the reference of a graph, or a file"),
		ValidArgsFunction: a.completeGraphs,
		RunE: func(_ *cobra.Command, args []string) error {
			eng, err := a.engine()
			if err != nil {
				return err
			}
			report, err := eng.CheckGraph(args[0])
			if err != nil {
				return err
			}
			if a.format() != formatText {
				err = a.print(report)
			} else {
				a.showGraphReport(report)
			}
			if err == nil && !report.Success {
				err = &silentError{exitChain}
			}
			return err
		},
	}
}

func (a *app) showGraphReport(r *engine.GraphReport) {
	for _, text := range r.Errors {
		a.line("%s %s", a.paintOut(red, "error:"), safeLines(text))
	}
	for _, text := range r.Warnings {
		a.line("%s %s", a.paintOut(yellow, "warning:"), safeLines(text))
	}
	name := r.ItemID
	if name == "" {
		name = r.Path
	}
	mark, verdict := a.paint(green, "✓"), "valid"
	if !r.Success {
		mark, verdict = a.paint(red, "✗"), count(len(r.Errors), "error")
	}
	if len(r.Warnings) > 0 {
		verdict += ", " + count(len(r.Warnings), "warning")
	}
	a.note("%s %s: %s, %s", mark, safe(name), count(r.NodeCount, "node"), verdict)
}

// count is "1 error" or "2 errors".
func count(n int, what string) string {
	if n != 1 {
		what += "s"
	}
	return fmt.Sprintf("%d %s", n, what)
}

// completeGraphs offers graphs, and leaves paths to the shell when none fits.
func (a *app) completeGraphs(_ *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	refs := a.graphs(typed)
	if len(refs) == 0 {
		return nil, cobra.ShellCompDirectiveDefault
	}
	return refs, cobra.ShellCompDirectiveNoFileComp
}
