package graph

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"time"
)

// record is one line of a journal. A step is written as an intent before each effect, the effect's result where other
// effects follow before the step is over, and one receipt with what changed. Steps without effects are a receipt alone.
type record struct {
	Kind    recordKind `json:"kind"`
	Step    int        `json:"step"`
	Node    string     `json:"node,omitempty"`    // that the record is about; of a checkpoint, the next one
	Attempt int        `json:"attempt,omitempty"` // of the node, from 1

	Slot   string `json:"slot,omitempty"`   // intent and effect: which effect of the step
	Digest string `json:"digest,omitempty"` // begin, checkpoint: of the graph; intent: of the action; receipt: of what was collected
	Result any    `json:"result,omitempty"` // effect

	Status  string         `json:"status,omitempty"`  // receipt: ok, error
	Set     map[string]any `json:"set,omitempty"`     // receipt, retry, end: changes of the state
	Collect string         `json:"collect,omitempty"` // receipt: the key that the results of the items go to
	Items   int            `json:"items,omitempty"`   // receipt: how many there are
	Next    string         `json:"next,omitempty"`    // receipt: the next node; none at a dead end
	Event   string         `json:"event,omitempty"`   // begin, receipt: whose hooks run now
	Errors  []Suppressed   `json:"errors,omitempty"`  // receipt: of this step; checkpoint: of all
	Wake    time.Time      `json:"wake,omitzero"`     // retry: when

	RunID   string         `json:"run,omitempty"`     // begin, checkpoint
	Started time.Time      `json:"started,omitzero"`  // begin, checkpoint
	State   map[string]any `json:"state,omitempty"`   // begin, checkpoint: all of it
	Chain   string         `json:"chain,omitempty"`   // checkpoint
	Outcome *outcome       `json:"outcome,omitempty"` // end
}

type recordKind string

const (
	recordBegin      recordKind = "begin"      // the first record of a run
	recordCheckpoint recordKind = "checkpoint" // stands for all records before it
	recordIntent     recordKind = "intent"     // an effect is about to happen
	recordEffect     recordKind = "effect"     // it has happened
	recordRetry      recordKind = "retry"      // the node failed and is to be executed again
	recordReceipt    recordKind = "receipt"    // the step is over
	recordEnd        recordKind = "end"        // the run is over
)

// outcome is how a run ended.
type outcome struct {
	Status Status `json:"status"`
	Output any    `json:"output,omitempty"`
	Error  string `json:"error,omitempty"`
	Code   Code   `json:"code,omitempty"`
	Node   string `json:"node,omitempty"`
	Steps  int    `json:"steps"`
}

// Suppressed is an error that did not stop the run.
type Suppressed struct {
	Step  int    `json:"step"`
	Node  string `json:"node"`
	Item  *int   `json:"item,omitempty"` // of a foreach
	Error string `json:"error"`
}

// keys lists what the record sets in the state.
func (r *record) keys() []string {
	keys := slices.Sorted(maps.Keys(r.Set))
	if r.Collect != "" {
		keys = append(keys, r.Collect)
	}
	return keys
}

func (r *record) encode() ([]byte, error) {
	var line bytes.Buffer
	encoder := json.NewEncoder(&line)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(r); err != nil {
		return nil, fmt.Errorf("encoding a journal record: %w", err)
	}
	return bytes.TrimSuffix(line.Bytes(), []byte("\n")), nil
}

func decodeRecord(line []byte) (*record, error) {
	decoder := json.NewDecoder(bytes.NewReader(line))
	decoder.UseNumber()
	decoder.DisallowUnknownFields() // a journal of a later version means more than this one would read
	var r record
	if err := decoder.Decode(&r); err != nil {
		return nil, fmt.Errorf("a journal record cannot be read: %w", err)
	}
	return &r, nil
}
