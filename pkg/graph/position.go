package graph

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"strings"
	"time"
)

// position is where a run stands. It only changes by apply, so that replaying a journal leads to the very place where
// the run was when it wrote its last record.
type position struct {
	runID   string
	digest  string // of the graph
	started time.Time
	chain   [sha256.Size]byte // digest of all records so far that are not about single effects

	state      map[string]any
	step       int    // steps that are over
	node       string // to execute next, "" at a dead end
	attempt    int    // of node, from 1
	wake       time.Time
	suppressed []Suppressed
	effects    map[string]*effect // by slot, of the step at hand
	pending    string             // the event whose hooks may not all have run
	last       *record            // the latest receipt
	outcome    *outcome           // nil while the run has not ended
}

// effect is what is known of one effect: whether it was about to happen, and how it ended.
type effect struct {
	intended bool
	done     bool
	result   any
}

// apply brings the position up to a record; line is its encoded form.
func (p *position) apply(r *record, line []byte) error {
	if r.Kind == recordBegin || r.Kind == recordCheckpoint {
		return p.restart(r, line)
	}
	if p.state == nil {
		return fmt.Errorf("the journal starts with a record of kind %q", r.Kind)
	}
	if p.pending != "" && !strings.HasPrefix(r.Slot, p.pending+"/") {
		p.settled()
	}
	p.outcome = nil // a run that ended in an error and goes on
	if r.Kind == recordIntent || r.Kind == recordEffect {
		p.attempt = r.Attempt
		e := p.effect(r.Slot)
		e.intended, e.done, e.result = true, e.done || r.Kind == recordEffect, r.Result
		return nil
	}
	p.link(line)
	maps.Copy(p.state, r.Set)
	switch r.Kind {
	case recordRetry:
		p.attempt, p.wake = r.Attempt, r.Wake
	case recordReceipt:
		if r.Items < 0 || r.Items > maxItems {
			return fmt.Errorf("the journal has a receipt for %d items", r.Items)
		}
		p.collect(r)
		p.step, p.node, p.attempt, p.wake = r.Step, r.Next, 1, time.Time{}
		p.suppressed = append(p.suppressed, r.Errors...)
		p.effects, p.last, p.pending = map[string]*effect{}, r, r.Event
	case recordEnd:
		if r.Outcome == nil {
			return errors.New("the journal has an end without an outcome")
		}
		p.outcome = r.Outcome
	default:
		return fmt.Errorf("the journal has a record of the unknown kind %q", r.Kind)
	}
	return nil
}

// settled means that all hooks of the latest record have run.
func (p *position) settled() { p.pending, p.effects = "", map[string]*effect{} }

// restart takes the whole position from a record.
func (p *position) restart(r *record, line []byte) error {
	*p = position{
		runID: r.RunID, digest: r.Digest, state: r.State, step: r.Step, node: r.Node, attempt: 1,
		suppressed: r.Errors, effects: map[string]*effect{}, pending: r.Event, started: r.Started,
	}
	if p.state == nil {
		p.state = map[string]any{}
	}
	if r.Kind == recordCheckpoint {
		return p.unchain(r.Chain)
	}
	p.link(line)
	return nil
}

func (p *position) link(line []byte) {
	p.chain = sha256.Sum256(append(p.chain[:], line...))
}

func (p *position) unchain(chain string) error {
	decoded, err := hex.DecodeString(chain)
	if err != nil || copy(p.chain[:], decoded) != len(p.chain) {
		return fmt.Errorf("the journal has a checkpoint with the malformed chain %q", chain)
	}
	return nil
}

// collect puts the results of a foreach into the state. They are in the journal already, each with its item.
func (p *position) collect(r *record) {
	if r.Collect == "" {
		return
	}
	results := make([]any, r.Items)
	for i := range results {
		results[i] = p.effect(itemSlot(i)).result
	}
	p.state[r.Collect] = results
}

func (p *position) effect(slot string) *effect {
	e := p.effects[slot]
	if e == nil {
		e = &effect{}
		p.effects[slot] = e
	}
	return e
}

// checkpoint is the position as one record. It can be taken between steps only.
func (p *position) checkpoint() *record {
	return &record{
		Kind: recordCheckpoint, RunID: p.runID, Digest: p.digest, Started: p.started, Chain: hex.EncodeToString(p.chain[:]),
		Step: p.step, Node: p.node, State: p.state, Errors: p.suppressed,
	}
}
