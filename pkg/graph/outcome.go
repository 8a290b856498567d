package graph

import "fmt"

func maxStepsMessage(n int) string { return fmt.Sprintf("Max steps exceeded (%d)", n) }

// failed is the result of a run that never began.
func (w *walker) failed(f *failure) *Result {
	return &Result{Status: f.status, Error: f.message, Code: f.code, Phase: f.phase, Node: f.node, RunID: w.runID}
}

// stopped is the result of a run that can be resumed.
func (w *walker) stopped(f *failure) *Result {
	r := w.failed(f)
	r.State, r.Steps, r.Unknown = w.state, w.step, f.unknown
	w.suppress(r)
	switch f.status {
	case StatusCancelled:
		w.emit(eventGraphCancelled, map[string]any{"steps": w.step, "elapsed_s": w.elapsed(w.started)})
	default:
		w.emit(eventGraphError, map[string]any{"error": f.message, "node": f.node, "steps": w.step, "elapsed_s": w.elapsed(w.started)})
	}
	return r
}

// ended is the result of a run that is over.
func (w *walker) ended() *Result {
	o := w.outcome
	r := &Result{
		Success: o.Status != StatusError, Status: o.Status, Output: o.Output, Error: o.Error, Code: o.Code, Node: o.Node,
		Steps: o.Steps, RunID: w.runID,
	}
	if !r.Success {
		r.State, r.Phase = w.state, "execution"
	}
	w.suppress(r)
	return r
}

// stepped is the result of a single step.
func (w *walker) stepped(node string) *Result {
	r := &Result{Success: true, State: w.state, Steps: w.step, RunID: w.runID}
	if w.outcome != nil {
		r = w.ended()
		r.State = w.state
	}
	r.StepResult = &StepResult{ExecutedNode: node, StepCount: r.Steps}
	if w.outcome == nil && w.node != "" {
		next := w.node
		r.NextNode = &next
	}
	w.suppress(r)
	return r
}

func (w *walker) suppress(r *Result) { r.Errors, r.ErrorsSuppressed = w.suppressed, len(w.suppressed) }
