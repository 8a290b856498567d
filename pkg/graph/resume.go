package graph

import "iter"

// records gives those of a journal, none if there is no journal.
func records(j Journal) iter.Seq2[[]byte, error] {
	if j == nil {
		return func(func([]byte, error) bool) {}
	}
	return j.Records()
}

// resume replays the journal.
func (w *walker) resume() *failure {
	for line, err := range records(w.journal) {
		if err != nil {
			return startup(CodeJournal, "Cannot resume: %v", err)
		}
		if err := w.replay(line); err != nil {
			return startup(CodeJournal, "Cannot resume: %v", err)
		}
	}
	if w.state == nil {
		return startup(CodeNoState, "Cannot resume: state not found or signature invalid for %s/%s", w.graph.ID, w.opts.RunID)
	}
	if w.digest != w.graph.Digest {
		return startup(CodeGraphChanged, "Cannot resume: the graph %s has changed since the run %s began", w.graph.ID, w.runID)
	}
	if w.outcome != nil && w.outcome.Status == StatusError && w.opts.Retry {
		// What failed has failed for certain: the node gets another attempt, which is a new effect.
		w.outcome = nil
		w.attempt++
	}
	if w.single {
		w.journal = nil
	}
	return nil
}

func (w *walker) replay(line []byte) error {
	r, err := decodeRecord(line)
	if err != nil {
		return err
	}
	w.written(r, len(line))
	return w.apply(r, line)
}

// Snapshot is what the journal of a run says, whether the run has ended or not.
type Snapshot struct {
	RunID string         `json:"graph_run_id"`
	Step  int            `json:"step_count"`   // steps that are over
	Node  string         `json:"current_node"` // to execute next
	State map[string]any `json:"state"`
	Ended Status         `json:"status,omitempty"` // "" while the run has not ended
}

// Inspect reads a journal and changes nothing.
func Inspect(j Journal) (*Snapshot, error) {
	w := &walker{}
	for line, err := range records(j) {
		if err != nil {
			return nil, err
		}
		if err := w.replay(line); err != nil {
			return nil, err
		}
	}
	s := &Snapshot{RunID: w.runID, Step: w.step, Node: w.node, State: w.state}
	if w.outcome != nil {
		s.Ended = w.outcome.Status
	}
	return s, nil
}
