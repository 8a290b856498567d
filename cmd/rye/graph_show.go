package main

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/ryeos/rye/pkg/engine"
	"github.com/ryeos/rye/pkg/item"
)

func newGraphShow(a *app) *cobra.Command {
	var format, run string
	cmd := &cobra.Command{
		Use:   "show REF|PATH",
		Short: "Draw a graph, and what a run of it did",
		Long: `Draw a graph: its nodes, where their edges lead and on what condition. With --run, the way of a run is laid over it: which
nodes were executed, how long that took, how often, and where the run is now. The graph need not be signed.

With -o json, what is known of the run instead, step by step, or else the check of rye graph validate.`,
		Example: `  rye graph show tool:flow/release
  rye graph show tool:flow/release --run flow-release-1795230933
  rye graph show tool:flow/release --format svg > release.svg`,
		Args:              one("the reference of a graph, or a file"),
		ValidArgsFunction: a.completeGraphs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if !slices.Contains(engine.DrawingFormats(), format) {
				return item.Usagef("there is no drawing format %s: use %s", item.Quote(format), strings.Join(engine.DrawingFormats(), ", "))
			}
			return runGraphShow(a, args[0], format, run, cmd.Flags().Changed("format"))
		},
	}
	fs := cmd.Flags()
	fs.StringVar(&format, "format", "text", "`format` of the drawing: "+strings.Join(engine.DrawingFormats(), ", "))
	fs.StringVar(&run, "run", "", "the `run` to lay over the drawing")
	completeValues(cmd, "format", engine.DrawingFormats()...)
	if err := cmd.RegisterFlagCompletionFunc("run", a.completeRuns); err != nil {
		panic(err)
	}
	return cmd
}

func runGraphShow(a *app, name, format, runID string, chosen bool) error {
	eng, err := a.engine()
	if err != nil {
		return err
	}
	var run *engine.GraphRun
	if runID != "" {
		if run, err = eng.FindGraphRun(context.Background(), runID); err != nil {
			return err
		}
	}
	asked := a.flags.output == formatJSON || a.flags.output == formatYAML
	switch {
	case asked && chosen:
		return item.Usagef("--format and --output %s exclude each other", a.flags.output)
	case asked && run != nil:
		return a.print(run)
	case asked:
		report, err := eng.CheckGraph(name)
		if err != nil {
			return err
		}
		return a.print(report)
	}
	var drawing bytes.Buffer
	if err := eng.DrawGraph(&drawing, name, format, run); err != nil {
		return err
	}
	_, err = drawing.WriteTo(a.stdout) // a drawing is one also in a pipe
	return lost(err)
}

func newGraphList(a *app) *cobra.Command {
	var limit int
	cmd := &cobra.Command{
		Use:   "list [REF]",
		Short: "List the runs of graphs, newest first",
		Long: `List the runs of a graph, or of all graphs, newest first: how each stands, after how many steps, and at which node it goes
on if it is resumed. They lie in .ai/state/graphs.`,
		Example:           "  rye graph list\n  rye graph list tool:flow/release -o json",
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: a.completeGraphs,
		RunE: func(_ *cobra.Command, args []string) error {
			if limit < 1 {
				return item.Usagef("--limit must be positive, got %d", limit)
			}
			return runGraphList(a, args, limit)
		},
	}
	cmd.Flags().IntVar(&limit, "limit", 20, "at most this `number`")
	return cmd
}

func runGraphList(a *app, args []string, limit int) error {
	eng, err := a.engine()
	if err != nil {
		return err
	}
	var ref item.Ref
	if len(args) > 0 {
		if ref, err = item.ParseRef(args[0]); err != nil {
			return err
		}
		ref = ref.With(item.Tool)
	}
	runs, err := eng.GraphRuns(context.Background(), ref, limit)
	if err != nil {
		return err
	}
	if a.format() != formatText {
		return a.print(map[string]any{"runs": runs})
	}
	if len(runs) == 0 {
		a.note("no runs of graphs in this project; rye graph run REF starts one")
		return nil
	}
	rows := make([][]string, len(runs))
	for i, r := range runs {
		rows[i] = []string{r.ID, string(r.Status), r.Graph, fmt.Sprint(len(r.Steps)), r.Current, ago(time.Since(r.Started))}
	}
	a.table([]string{"RUN", "STATUS", "GRAPH", "STEPS", "AT", "STARTED"}, rows)
	return nil
}
