package engine

import (
	"bufio"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"slices"
	"time"

	"github.com/ryeos/rye/pkg/item"
	"github.com/ryeos/rye/pkg/space"
	"github.com/ryeos/rye/pkg/thread"
)

// GraphStep is one step of a run, as its transcript tells.
type GraphStep struct {
	Step     int     `json:"step"`
	Node     string  `json:"node"`
	Type     string  `json:"node_type,omitempty"`
	Action   string  `json:"action_id,omitempty"`
	Status   string  `json:"status"` // ok, error, running, or what the action answered
	Elapsed  float64 `json:"elapsed_s"`
	CacheHit bool    `json:"cache_hit"`
	Error    string  `json:"error,omitempty"`
	Thread   string  `json:"thread_id,omitempty"`
	Attempts int     `json:"attempts"`
	Items    int     `json:"items,omitempty"` // of a foreach

	started time.Time
	next    string
}

// stepPayload is what the events about steps carry.
type stepPayload struct {
	GraphID  string  `json:"graph_id"`
	Step     int     `json:"step"`
	Node     string  `json:"node"`
	Type     string  `json:"node_type"`
	Action   string  `json:"action_id"`
	Status   string  `json:"status"`
	Elapsed  float64 `json:"elapsed_s"`
	CacheHit bool    `json:"cache_hit"`
	Error    string  `json:"error"`
	Thread   string  `json:"thread_id"`
	Items    int     `json:"items"`
	Next     *string `json:"next_node"`
}

// maxTranscriptLine bounds one event.
const maxTranscriptLine = 16 << 20

// readTranscript reads what a run did. A crash may have left half of a line at the end; a resumed run tells some things again.
func (e *Engine) readTranscript(r *GraphRun) error {
	r.Steps = []*GraphStep{}
	project, err := os.OpenRoot(e.options.Project)
	if err != nil {
		return err
	}
	defer project.Close()
	file, err := project.Open(space.Dir + "/" + graphsDir + "/" + r.ID + "/" + transcriptFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // reserved, and not begun
	}
	if err != nil {
		return err
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, maxTranscriptLine)
	for lines.Scan() {
		var line struct {
			Timestamp time.Time   `json:"timestamp"`
			Type      string      `json:"event_type"`
			Payload   stepPayload `json:"payload"`
		}
		if json.Unmarshal(lines.Bytes(), &line) == nil {
			r.tell(line.Type, line.Timestamp, line.Payload)
		}
	}
	return lines.Err()
}

// tell adds one event.
func (r *GraphRun) tell(event string, at time.Time, p stepPayload) {
	switch event {
	case "graph_started":
		if ref, err := item.ParseRef(p.GraphID); err == nil {
			r.Ref = ref.With(item.Tool)
		}
		r.Started = at
	case "step_started":
		s := r.step(p.Step, p.Node)
		s.Status, s.Type, s.Action, s.started, s.Error = "running", p.Type, p.Action, at, ""
		s.Attempts++
	case "step_completed", "foreach_completed":
		s := r.step(p.Step, p.Node)
		s.Status, s.Elapsed, s.CacheHit, s.Error, s.Thread, s.Items = p.Status, p.Elapsed, p.CacheHit, p.Error, p.Thread, p.Items
		s.Attempts = max(s.Attempts, 1)
		if p.Next != nil {
			s.next = *p.Next
		}
	case "graph_completed":
		r.Status = thread.Status(p.Status)
		r.end(at, "ok", "")
	case "graph_error":
		r.Status = thread.Error
		r.end(at, "error", p.Error)
	case "graph_cancelled":
		r.Status = thread.Cancelled
		r.end(at, "cancelled", "")
	}
}

// step is the one with this number, which is the last one unless the transcript tells again of an earlier one.
func (r *GraphRun) step(n int, node string) *GraphStep {
	for _, s := range slices.Backward(r.Steps) {
		if s.Step == n && s.Node == node {
			return s
		}
		if s.Step < n {
			break
		}
	}
	s := &GraphStep{Step: n, Node: node}
	r.Steps = append(r.Steps, s)
	return s
}

// end settles the step that was at hand when the run ended or stopped.
func (r *GraphRun) end(at time.Time, status, message string) {
	if len(r.Steps) == 0 {
		return
	}
	if s := r.Steps[len(r.Steps)-1]; s.Status == "running" {
		s.Status, s.Error, s.Elapsed = status, message, at.Sub(s.started).Round(time.Millisecond).Seconds()
	}
}

// stand finds the node where a run stands that has not come to its end. A step that was at hand when nobody was left to
// finish it is not running any more.
func (r *GraphRun) stand() {
	if len(r.Steps) == 0 || r.Status == thread.Completed || r.Status == thread.CompletedWithErrors {
		return
	}
	last := r.Steps[len(r.Steps)-1]
	switch {
	case last.next != "":
		r.Current = last.next
	case last.Status == "running" || last.Status == "error" || last.Status == "cancelled":
		r.Current = last.Node
	}
	if r.Status != thread.Running && last.Status == "running" {
		last.Status = string(r.Status)
	}
}
