package graph

import (
	"cmp"
	"context"
	"encoding/hex"
	"sync"
	"time"
)

// walker is one run on its way through the graph.
type walker struct {
	graph          *Graph
	opts           Options
	env            Env
	journal        Journal
	allowed        Capabilities
	hooks          []Hook
	maxSteps       int
	maxConcurrency int
	single         bool // one node only

	mu sync.Mutex // of the position and of what follows, while the items of a foreach run at once
	position
	sinceCheckpoint int // bytes
	checkpointSize  int
}

// walk takes steps until the run has ended.
func (w *walker) walk(ctx context.Context) *failure {
	for w.outcome == nil {
		if f := w.firePending(ctx); f != nil {
			return f
		}
		if ctx.Err() != nil {
			return w.cancelled()
		}
		if f := w.compact(); f != nil {
			return f
		}
		var f *failure
		switch {
		case w.node == "":
			f = w.finish(ctx, map[string]any{}, w.step) // a dead end is a return without output
		case w.step >= w.maxSteps:
			f = w.exceed(ctx)
		default:
			f = w.advance(ctx)
		}
		if f != nil {
			return f
		}
	}
	return nil
}

// advance executes the node at hand, once or, when it is to be retried, for the first time.
func (w *walker) advance(ctx context.Context) *failure {
	n := w.graph.Node(w.node)
	if n == nil {
		return &failure{status: StatusError, code: CodeNoNode, phase: "execution", node: w.node, message: "Node '" + w.node + "' not found in graph"}
	}
	visit := w.visit(n, w.step+1)
	switch n.Type {
	case Return:
		return visit.finish(ctx)
	case Gate:
		return visit.gate()
	case Foreach:
		return visit.foreach(ctx)
	}
	return visit.do(ctx)
}

// finish ends the run well.
func (w *walker) finish(ctx context.Context, output any, steps int) *failure {
	status := StatusCompleted
	if len(w.suppressed) > 0 {
		status = StatusCompletedWithErrors
	}
	if !w.single {
		_, f := w.fire(ctx, eventGraphCompleted, map[string]any{
			"status": string(status), "output": output, "steps": steps, "state": w.state,
		})
		if f != nil {
			return f
		}
	}
	f := w.commit(&record{Kind: recordEnd, Step: steps, Outcome: &outcome{Status: status, Output: output, Steps: steps}})
	if f == nil {
		w.emit(eventGraphCompleted, map[string]any{"status": string(status), "steps": steps, "elapsed_s": w.elapsed(w.started)})
	}
	return f
}

// exceed ends a run that takes too many steps.
func (w *walker) exceed(ctx context.Context) *failure {
	_, f := w.fire(ctx, eventLimit, map[string]any{
		"limit_code": string(CodeMaxSteps), "current_value": w.step, "current_max": w.maxSteps, "state": w.state,
	})
	if f != nil {
		return f
	}
	return w.fail(nil, outcome{Error: maxStepsMessage(w.maxSteps), Code: CodeMaxSteps, Steps: w.step})
}

// fail ends the run in an error, for good unless somebody asks for a retry.
func (w *walker) fail(set map[string]any, o outcome) *failure {
	o.Status = StatusError
	f := w.commit(&record{Kind: recordEnd, Step: o.Steps, Node: o.Node, Set: set, Outcome: &o})
	if f == nil {
		w.emit(eventGraphError, map[string]any{"error": o.Error, "node": o.Node, "steps": o.Steps, "elapsed_s": w.elapsed(w.started)})
	}
	return f
}

// commit makes a record durable and then brings the position up to it.
func (w *walker) commit(r *record) *failure {
	line, err := r.encode()
	if err == nil && w.journal != nil {
		err = w.journal.Append(line)
	}
	if err == nil {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.written(r, len(line))
		err = w.apply(r, line)
	}
	return journalFailure(err)
}

func journalFailure(err error) *failure {
	if err == nil {
		return nil
	}
	return &failure{status: StatusError, code: CodeJournal, phase: "execution", message: "the journal of the run cannot be written: " + err.Error()}
}

// defaultCheckpoint keeps short runs from writing checkpoints at all.
const defaultCheckpoint = 256 << 10

func (w *walker) written(r *record, size int) {
	if r.Kind == recordBegin || r.Kind == recordCheckpoint {
		w.sinceCheckpoint, w.checkpointSize = 0, size
		return
	}
	w.sinceCheckpoint += size
}

// compact puts a checkpoint in the place of the journal's records once they are much more than it will be. The state is
// written again only after records of twice its size, so the cost of a step does not depend on how many went before.
func (w *walker) compact() *failure {
	if w.journal == nil || len(w.effects) > 0 || w.attempt > 1 {
		return nil // a resumed run may stand in the middle of a step
	}
	if w.sinceCheckpoint < max(cmp.Or(w.opts.CheckpointAfter, defaultCheckpoint), 2*w.checkpointSize) {
		return nil
	}
	r := w.checkpoint()
	line, err := r.encode()
	if err == nil {
		err = w.journal.Replace(line)
	}
	if err == nil {
		w.written(r, len(line))
		err = w.apply(r, line)
	}
	return journalFailure(err)
}

func (w *walker) cancelled() *failure {
	return &failure{status: StatusCancelled, code: CodeCancelled, phase: "execution", message: "the run was cancelled"}
}

// elapsed is the time since then in seconds.
func (w *walker) elapsed(since time.Time) float64 {
	return w.env.Now().Sub(since).Round(time.Millisecond).Seconds()
}

func (w *walker) emit(kind string, payload map[string]any) { w.env.Emit(Event{kind, payload}) }

func (w *walker) stateHash() string { return hex.EncodeToString(w.chain[:]) }
