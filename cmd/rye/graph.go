package main

import (
	"context"
	"io"

	"github.com/spf13/cobra"

	"github.com/ryeos/rye/pkg/engine"
	"github.com/ryeos/rye/pkg/item"
)

func newGraphCommand(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "graph",
		Short: "Run, check and draw state graphs",
		Long: `A state graph is a YAML tool whose nodes execute other items and whose edges depend on a state that the nodes change.
rye execute runs it like any tool; these commands know more about it: how far a run has come, how to go on with one that
was stopped or killed, what is wrong with a graph before it runs, and what it looks like.

docs/graphs.md has the reference of the files.`,
		Example: `  rye graph validate .ai/tools/flow/release.yaml
  rye graph run tool:flow/release --version 1.2.0
  rye graph show tool:flow/release --run flow-release-1795230933
  rye graph resume flow-release-1795230933`,
		Args: onlyCommands,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newGraphRun(a), newGraphStep(a), newGraphResume(a), newGraphValidate(a), newGraphShow(a), newGraphList(a))
	return cmd
}

// prepareGraph is Prepare for graphs alone.
func prepareGraph(eng *engine.Engine, req item.Request) (*engine.Call, *item.Response) {
	call, failed := eng.Prepare(req)
	if failed != nil {
		return nil, failed
	}
	if err := call.CheckGraph(); err != nil {
		return nil, failure(call, err)
	}
	return call, nil
}

// graphProgress is where a run tells of its steps: standard error, where a person reads it.
func (a *app) graphProgress() io.Writer {
	if a.flags.quiet || a.format() != formatText && !isTerminal(a.stderr) {
		return nil
	}
	return a.stderr
}

// completeGraphCall offers graphs, then the parameters of the one that was named.
func (a *app) completeGraphCall(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
	return a.completeCall(cmd, args, typed, a.graphs, func(word string) string { return word })
}

// graphs lists the references of graphs that start with what was typed.
func (a *app) graphs(typed string) []string {
	eng, err := a.engine()
	if err != nil {
		return nil
	}
	var refs []string
	for _, ref := range a.refs(typed, item.Tool) {
		if eng.IsGraph(ref) {
			refs = append(refs, ref)
		}
	}
	return refs
}

// graphRuns lists runs whose ids start with what was typed; those of one graph if ref names it.
func (a *app) graphRuns(typed, ref string) []string {
	eng, err := a.engine()
	if err != nil {
		return nil
	}
	ids, err := eng.GraphRunIDs(typed)
	if err != nil {
		return nil
	}
	var offers []string
	for _, id := range ids[:min(len(ids), offered)] {
		run, err := eng.FindGraphRun(context.Background(), id)
		if err == nil && (ref == "" || run.Ref.String() == ref || run.Ref.ID == ref) {
			offers = append(offers, id+"\t"+string(run.Status)+" "+run.Graph)
		}
	}
	return offers
}
