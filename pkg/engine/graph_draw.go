package engine

import (
	"context"
	"io"
	"time"

	"github.com/ryeos/rye/pkg/draw"
	"github.com/ryeos/rye/pkg/item"
	"github.com/ryeos/rye/pkg/thread"
)

// DrawingFormats lists the formats of DrawGraph.
func DrawingFormats() []string {
	var names []string
	for _, f := range draw.Formats() {
		names = append(names, string(f))
	}
	return names
}

// DrawGraph draws a graph, which need not be signed; with a run, its way is laid over the drawing.
func (e *Engine) DrawGraph(w io.Writer, refOrPath, format string, run *GraphRun) error {
	f, err := e.readGraph(refOrPath)
	if err != nil {
		return err
	}
	if run != nil && f.ref != run.Ref {
		return item.Usagef("the run %s is one of %s", run.ID, run.Ref).Hint("rye graph show %s --run %s", run.Ref, run.ID)
	}
	return draw.Draw(w, f.graph, draw.Format(format), run.drawn())
}

// drawn is the run in the terms of a drawing, nil for none.
func (r *GraphRun) drawn() *draw.Run {
	if r == nil {
		return nil
	}
	over := &draw.Run{Status: string(r.Status)}
	if r.Status == thread.Running {
		over.Current = r.Current
	}
	for _, s := range r.Steps {
		over.Visits = append(over.Visits, draw.Visit{
			Step: s.Step, Node: s.Node, Status: s.Status, Duration: time.Duration(s.Elapsed * float64(time.Second)),
			Attempts: s.Attempts, Items: s.Items, Error: s.Error,
		})
	}
	return over
}

// GraphRuns lists the runs of a graph, newest first; those of all graphs if ref is zero.
func (e *Engine) GraphRuns(ctx context.Context, ref item.Ref, limit int) ([]*GraphRun, error) {
	ids, err := e.GraphRunIDs("")
	if err != nil {
		return nil, err
	}
	runs := []*GraphRun{}
	for _, id := range ids {
		if len(runs) == limit {
			break
		}
		run, err := e.FindGraphRun(ctx, id)
		if err != nil {
			continue // a folder that nothing tells about
		}
		if ref.ID == "" || run.Ref == ref {
			runs = append(runs, run)
		}
	}
	return runs, nil
}
