package draw

import (
	"strings"
	"time"

	"github.com/ryeos/rye/pkg/item"
)

// Run is what a run did so far.
type Run struct {
	Status  string
	Visits  []Visit // in the order in which they happened
	Current string  // the node where the run stands, "" if it is over
}

// Visit is one step of a run.
type Visit struct {
	Step     int
	Node     string
	Status   string // ok, error, running, …
	Duration time.Duration
	Attempts int
	Items    int // of a foreach
	Error    string
}

// lay puts the run over the boxes and their arrows. Nodes that the graph no longer has are left out.
func (r *Run) lay(boxes map[string]*box) {
	for i, v := range r.Visits {
		b := boxes[v.Node]
		if b == nil {
			continue
		}
		b.visits = append(b.visits, v)
		switch {
		case i+1 < len(r.Visits) && r.Visits[i+1].Step == v.Step+1:
			b.take(r.Visits[i+1].Node, v)
		case i+1 == len(r.Visits) && markOf(v.Status) != running:
			b.take(r.Current, v)
		}
	}
	if b := boxes[r.Current]; b != nil && r.Current != "" {
		b.current = true
	}
}

// take marks the arrows by which a run may have gone on to the next node. Of two conditions that lead to the same node,
// the record of a run does not tell which one held.
func (b *box) take(next string, v Visit) {
	failed := markOf(v.Status) == failed
	for _, a := range b.out {
		if a.to.name == next && (!a.onError || failed) {
			a.taken = true
		}
	}
}

// mark is how a node fared.
type mark string

const (
	none    mark = ""
	done    mark = "✓"
	failed  mark = "✗"
	running mark = "…"
	unclear mark = "?"
)

var marks = map[string]mark{
	"ok": done, "success": done, "completed": done, "cached": done,
	"error": failed, "failed": failed, "cancelled": failed,
	"running": running,
}

func markOf(status string) mark {
	if m, ok := marks[status]; ok {
		return m
	}
	return unclear
}

// mark is that of the last visit, except where the run stands.
func (b *box) mark() mark {
	switch {
	case b.current:
		return running
	case len(b.visits) > 0:
		return markOf(b.visits[len(b.visits)-1].Status)
	}
	return none
}

// summary is the mark, and how long and how often the node ran; "" if it did not.
func (b *box) summary() string {
	if b.mark() == none {
		return ""
	}
	var total time.Duration
	attempts, items := 0, 0
	for _, v := range b.visits {
		total += v.Duration
		attempts += v.Attempts
		items += v.Items
	}
	text := string(b.mark())
	if total > 0 {
		text += " " + short(total)
	}
	var counts []string
	if len(b.visits) > 1 {
		counts = append(counts, plural(len(b.visits), "visit"))
	}
	if attempts > len(b.visits) {
		counts = append(counts, plural(attempts, "attempt"))
	}
	if items > 0 {
		counts = append(counts, plural(items, "item"))
	}
	if counts != nil {
		text += " (" + strings.Join(counts, ", ") + ")"
	}
	return text
}

// failure is the error of the last visit.
func (b *box) failure() string {
	if len(b.visits) == 0 {
		return ""
	}
	return item.FirstLine(b.visits[len(b.visits)-1].Error)
}

// short is a duration without digits that nobody reads.
func short(d time.Duration) string {
	switch {
	case d >= time.Minute:
		d = d.Round(time.Second)
	case d >= time.Second:
		d = d.Round(100 * time.Millisecond)
	case d >= time.Millisecond:
		d = d.Round(time.Millisecond)
	}
	return d.String()
}

// summary is "run completed, 3 steps in 1.2s".
func (r *Run) summary() string {
	var total time.Duration
	for _, v := range r.Visits {
		total += v.Duration
	}
	text := "run " + visible(r.Status) + ", " + plural(len(r.Visits), "step")
	if total > 0 {
		text += " in " + short(total)
	}
	return text
}
