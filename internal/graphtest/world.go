// Package graphtest runs state graphs without a world: an environment whose items are functions and whose clock stands
// still, a journal in memory that can die, random graphs, and the check that killing a run anywhere changes nothing.
package graphtest

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/ryeos/rye/pkg/graph"
	"github.com/ryeos/rye/pkg/item"
)

// World is the environment of runs in tests. Its zero value has one item, which answers whatever Answer says.
type World struct {
	// Answer is what an action gives; nil: Echo.
	Answer func(graph.Action) (any, error)
	Vars   map[string]string
	// Slept is told of every wait, which takes no time. nil: nobody is.
	Slept func(time.Duration)

	mu       sync.Mutex
	executed map[string]int // by Action.Key
	actions  []graph.Action
	events   []graph.Event
	offset   time.Duration
}

// Start is when the clock of every world starts.
var Start = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// Execute notes the action and answers it.
func (w *World) Execute(ctx context.Context, a graph.Action) (any, error) {
	w.mu.Lock()
	if w.executed == nil {
		w.executed = map[string]int{}
	}
	w.executed[a.Key]++
	w.actions = append(w.actions, a)
	w.mu.Unlock()
	if w.Answer == nil {
		return Echo(a)
	}
	return w.Answer(a)
}

// Echo answers with the parameters, as a tool would.
func Echo(a graph.Action) (any, error) {
	return map[string]any{"status": "success", "type": "tool", "item_id": a.Ref.String(), "data": a.Params}, nil
}

// LookupEnv looks a variable up.
func (w *World) LookupEnv(name string) (string, bool) { v, ok := w.Vars[name]; return v, ok }

// Emit keeps the event.
func (w *World) Emit(e graph.Event) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.events = append(w.events, e)
}

// Now stands still except for Sleep.
func (w *World) Now() time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	return Start.Add(w.offset)
}

// Sleep moves the clock.
func (w *World) Sleep(ctx context.Context, d time.Duration) error {
	w.mu.Lock()
	w.offset += d
	w.mu.Unlock()
	if w.Slept != nil {
		w.Slept(d)
	}
	return ctx.Err()
}

// Actions lists what was executed, in order.
func (w *World) Actions() []graph.Action {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.actions)
}

// Executed says how often each effect was executed, by its key.
func (w *World) Executed() map[string]int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return maps.Clone(w.executed)
}

// Events lists the events of a type, in order.
func (w *World) Events(kind string) []graph.Event {
	w.mu.Lock()
	defer w.mu.Unlock()
	var chosen []graph.Event
	for _, e := range w.events {
		if e.Type == kind {
			chosen = append(chosen, e)
		}
	}
	return chosen
}

// Fate answers by nothing but the action: the same one always has the same result, among them lists, failures, and
// failures of the first attempts only.
func Fate(a graph.Action) (any, error) {
	encoded, err := item.AppendJSON(nil, a.Params)
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(fmt.Appendf(encoded, "%s %s", a.Ref, a.Node))
	n := binary.BigEndian.Uint64(sum[:])
	switch {
	case n%8 == 0:
		return map[string]any{"status": "error", "error": "permanent"}, nil
	case n%8 == 1 && a.Attempt <= int(n>>8%3):
		return nil, errors.New("transient timeout")
	case n%8 == 2:
		return []any{n % 100, "x"}, nil
	case n%8 == 3:
		return map[string]any{"status": "success", "data": "text"}, nil
	}
	list := make([]any, n>>16%5)
	for i := range list {
		list[i] = map[string]any{"i": i}
	}
	return map[string]any{"status": "success", "data": map[string]any{"n": n >> 32 % 10, "list": list}}, nil
}
