package graphtest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/ryeos/rye/pkg/graph"
)

// Report counts what CheckCrashes did.
type Report struct {
	Kills   int // runs that were killed and resumed
	Unknown int // of which stopped because something may have happened
}

// CheckCrashes runs the random graph of a seed once without interruption, and then once for every write of its journal,
// killed just before and just after it, and resumed. The final state must be the same, and no effect may have been
// executed twice that nobody said can be: where that would be needed, the run must say that it does not know.
func CheckCrashes(seed uint64) (Report, error) {
	file := fmt.Sprintf("random/g%d.yaml", seed)
	g, err := graph.Parse(file, Source(seed))
	if err != nil {
		return Report{}, err
	}
	c := &crash{graph: g}
	whole := &Journal{}
	want, err := c.life(whole, &World{Answer: Fate}, graph.Options{Cache: &Cache{}})
	if err != nil {
		return Report{}, err
	}
	for kill := 1; kill <= whole.Writes(); kill++ {
		for _, late := range []bool{false, true} {
			if err := c.interrupt(kill, late, want); err != nil {
				return c.report, fmt.Errorf("graph %d, killed at write %d of %d (late: %v): %w", seed, kill, whole.Writes(), late, err)
			}
		}
	}
	return c.report, nil
}

type crash struct {
	graph  *graph.Graph
	report Report
}

// life runs or resumes the graph in one process, and gives what a reader of the run sees afterwards.
func (c *crash) life(j *Journal, w *World, opts graph.Options) (string, error) {
	opts.RunID, opts.Journal, opts.CheckpointAfter = "run", j, 500
	opts.Inputs = map[string]any{"n": json.Number("3"), "items": []any{"a", json.Number("2"), map[string]any{"x": true}}}
	result := c.graph.Run(context.Background(), opts, w)
	if result.Code == graph.CodeJournal || result.Status == graph.StatusUnknown {
		return "", fmt.Errorf("the run stopped: %w", &Stopped{result})
	}
	if result.Phase == "startup" {
		return "", fmt.Errorf("the run did not start: %s", result.Error)
	}
	snapshot, err := graph.Inspect(j)
	if err != nil {
		return "", err
	}
	seen, err := json.Marshal([]any{result, snapshot})
	return string(seen), err
}

// Stopped is a run that came to no end.
type Stopped struct{ Result *graph.Result }

func (s *Stopped) Error() string { return s.Result.Error }

// interrupt kills a run at one write, kills the run that takes it up a few writes later, and lets the third one live.
func (c *crash) interrupt(kill int, late bool, want string) error {
	c.report.Kills++
	cache, w, j := &Cache{}, &World{Answer: Fate}, &Journal{Kill: kill, Late: late}
	for life := range 3 {
		seen, err := c.life(j, w, graph.Options{Cache: cache, Resume: !j.empty()})
		var stopped *Stopped
		switch {
		case err == nil:
			return c.compare(seen, want, w)
		case !errors.As(err, &stopped):
			return err
		case stopped.Result.Status == graph.StatusUnknown:
			c.report.Unknown++
			return c.resolve(j.Revived(0, false), w, cache, stopped.Result, want)
		case life == 0:
			j = j.Revived(1+kill%4, !late)
		default:
			j = j.Revived(0, false)
		}
	}
	return errors.New("a run that nobody killed came to no end")
}

// resolve resumes a run that stopped because it does not know, and tells it to go on.
func (c *crash) resolve(j *Journal, w *World, cache *Cache, r *graph.Result, want string) error {
	if err := c.honest(r, j, w); err != nil {
		return err
	}
	seen, err := c.life(j, w, graph.Options{Cache: cache, Resume: true, Retry: true})
	if err != nil {
		return err
	}
	return same(seen, want)
}

// compare checks a run that came to its end by itself.
func (c *crash) compare(seen, want string, w *World) error {
	if err := c.atMostOnce(w); err != nil {
		return err
	}
	return same(seen, want)
}

func same(seen, want string) error {
	if seen != want {
		return fmt.Errorf("the run ended otherwise:\n%s\nwithout interruption:\n%s", seen, want)
	}
	return nil
}

// honest checks a run that stopped because it does not know: it repeated nothing, and names what may not be repeated and
// has an intent without a result in the journal.
func (c *crash) honest(r *graph.Result, j *Journal, w *World) error {
	if len(r.Unknown) == 0 {
		return fmt.Errorf("the run says that something is unknown and not what: %s", r.Error)
	}
	for _, u := range r.Unknown {
		if n := c.graph.Node(u.Node); n != nil && n.Repeatable() {
			return fmt.Errorf("node %s may be repeated, and was not", u.Node)
		}
		if open := j.open(slotOf(u)); open != 1 {
			return fmt.Errorf("%+v is reported as unknown, and %d of its intents have no result", u, open)
		}
	}
	return c.atMostOnce(w)
}

// slotOf is what the slots of an uncertain effect have in them.
func slotOf(u graph.Uncertain) string {
	switch {
	case u.Item != nil:
		return fmt.Sprintf("item/%d", *u.Item)
	case u.Hook != "":
		return "/" + u.Hook + "/"
	}
	return "action/"
}

// atMostOnce checks that nothing was executed twice which declares nothing.
func (c *crash) atMostOnce(w *World) error {
	executed := w.Executed()
	for _, a := range w.Actions() {
		if executed[a.Key] > 1 && !c.repeatable(a) {
			return fmt.Errorf("%s of %s was executed %d times", a.Ref, a.Node, executed[a.Key])
		}
	}
	return nil
}

func (c *crash) repeatable(a graph.Action) bool {
	if n := c.graph.Node(a.Node); n != nil {
		return n.Repeatable()
	}
	for _, h := range c.graph.Hooks {
		if a.Node == "hook "+h.ID {
			return h.Idempotent
		}
	}
	return false
}
