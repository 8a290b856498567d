package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/ryeos/rye/pkg/item"
	"github.com/ryeos/rye/pkg/thread"
)

func newThreadsWatch(a *app) *cobra.Command {
	var interval time.Duration
	cmd := &cobra.Command{
		Use:   "watch [ID …]",
		Short: "Watch threads change",
		Long: `Watch threads, all or these, as a table that is kept up to date. Where standard output is no terminal each change of a
status is one line instead; with -o json it is one JSON object a line, the thread.

With IDs it ends when all of them are at their end; without, when it is interrupted.`,
		Example: `  rye threads watch
  rye threads watch 3f2a 91bc
  rye threads watch -o json | jq -r '.thread_id + " " + .status'`,
		ValidArgsFunction: a.completeThreads(thread.Active()),
		RunE: func(_ *cobra.Command, args []string) error {
			return runThreadsWatch(a, interval, args)
		},
	}
	cmd.Flags().DurationVar(&interval, "interval", time.Second, "how often to look, a `duration`")
	return cmd
}

// leastInterval keeps a typing mistake from keeping a processor busy.
const leastInterval = 50 * time.Millisecond

func runThreadsWatch(a *app, interval time.Duration, ids []string) error {
	if err := a.streamFormat("threads watch"); err != nil {
		return err
	}
	if interval < leastInterval {
		return item.Usagef("--interval must be at least %s, got %s", leastInterval, interval)
	}
	ctx, stop := streaming(a.stdout)
	defer stop()
	_, store, err := a.registry(ctx)
	if err != nil {
		return err
	}
	w := &watcher{store: store, status: map[string]thread.Status{}}
	if w.named, err = findThreads(ctx, store, ids); err != nil {
		return err
	}
	show := a.showChanges
	if a.format() == formatText && isTerminal(a.stdout) && os.Getenv("TERM") != "dumb" {
		screen := openScreen(a.stdout)
		defer screen.close()
		show = func(w *watcher) error { return screen.draw(a.watchedLines(w, screen.rows())) }
	}
	err = w.run(ctx, interval, show)
	if len(ids) == 0 && errors.Is(err, context.Canceled) {
		return nil // there is no other end
	}
	return streamEnd(ctx, err)
}

// watcher looks at threads again and again.
type watcher struct {
	store  *thread.Store
	named  []thread.Thread          // to watch; all if empty
	status map[string]thread.Status // at the last look, by id

	threads []thread.Thread // as they are now, newest first
	changed []thread.Thread // since the last look, oldest first
}

// run shows what each look finds, until all named threads are at their end or the context is.
func (w *watcher) run(ctx context.Context, interval time.Duration, show func(*watcher) error) error {
	tick := time.NewTicker(interval)
	defer tick.Stop()
	for first := true; ; first = false {
		if err := w.look(ctx, first); err != nil {
			return err
		}
		if err := show(w); err != nil {
			return err
		}
		if len(w.named) > 0 && !slices.ContainsFunc(w.threads, going) {
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
		}
	}
}

// look finds the threads and what has changed. At the first look, threads that are at their end are no news unless
// somebody asked for them.
func (w *watcher) look(ctx context.Context, first bool) error {
	found, err := w.find(ctx)
	if err != nil {
		return err
	}
	w.threads = slices.SortedFunc(maps.Values(found), func(a, b thread.Thread) int { return int(b.Seq - a.Seq) })
	w.changed = nil
	status := make(map[string]thread.Status, len(found))
	for _, t := range slices.Backward(w.threads) {
		status[t.ID] = t.Status
		if before, known := w.status[t.ID]; before != t.Status && (known || !first || going(t) || len(w.named) > 0) {
			w.changed = append(w.changed, t)
		}
	}
	w.status = status
	return nil
}

// recent is how many of the newest threads are looked at, whatever their status: more than start between two looks.
const recent = 200

// find gets the named threads; or else the newest, those on their way, and those that were so at the last look.
func (w *watcher) find(ctx context.Context) (map[string]thread.Thread, error) {
	found := map[string]thread.Thread{}
	if len(w.named) == 0 {
		for _, f := range []thread.Filter{{Limit: recent}, {Status: thread.Active(), Limit: 1000}} {
			threads, err := w.store.List(ctx, f)
			if err != nil {
				return nil, err
			}
			for _, t := range threads {
				found[t.ID] = t
			}
		}
	}
	for _, id := range w.expected() {
		if _, have := found[id]; have {
			continue
		}
		t, err := w.store.Get(ctx, id)
		switch {
		case err == nil:
			found[id] = t
		case !errors.Is(err, thread.ErrNotFound): // else it was pruned
			return nil, err
		}
	}
	return found, nil
}

// expected are the ids of which the state must be known.
func (w *watcher) expected() []string {
	var ids []string
	for _, t := range w.named {
		ids = append(ids, t.ID)
	}
	for id, status := range w.status {
		if !status.Terminal() {
			ids = append(ids, id)
		}
	}
	return ids
}

// showChanges prints one line for each change.
func (a *app) showChanges(w *watcher) error {
	enc := json.NewEncoder(a.stdout)
	enc.SetEscapeHTML(false)
	for _, t := range w.changed {
		if a.format() == formatJSON {
			if err := enc.Encode(t); err != nil {
				return lost(err)
			}
			continue
		}
		a.line("%s %s %s %s%s", t.UpdatedAt.Local().Format(time.TimeOnly), safe(t.ID), t.Status, safe(t.Item), endText(t))
	}
	return lost(a.unwritten)
}

// endText says in parentheses how a thread ended.
func endText(t thread.Thread) string {
	var parts []string
	if code := exitText(t); code != "" {
		parts = append(parts, "exit "+code)
	}
	if took := elapsed(t, time.Now()); took != "" && !t.CompletedAt.IsZero() {
		parts = append(parts, took)
	}
	if len(parts) == 0 {
		return ""
	}
	return " (" + strings.Join(parts, ", ") + ")"
}

// watchedLines is the table, as much of it as fits: threads on their way first.
func (a *app) watchedLines(w *watcher, rows int) []string {
	threads := slices.Clone(w.threads)
	slices.SortStableFunc(threads, func(a, b thread.Thread) int { return rank(a) - rank(b) })
	active := 0
	for _, t := range threads {
		active += 1 - rank(t)
	}
	const around = 2 // the heading and the last line
	hidden := max(0, len(threads)-max(1, rows-around))
	now := time.Now()
	lines := a.threadTable(threads[:len(threads)-hidden], now)
	lines[0] = a.paintOut(bold, lines[0])
	last := fmt.Sprintf("%s  %d active", now.Format(time.TimeOnly), active)
	if hidden > 0 {
		last += fmt.Sprintf(", %d more not shown", hidden)
	}
	return append(lines, a.paintOut(dim, last))
}

func rank(t thread.Thread) int {
	if t.Status.Terminal() {
		return 1
	}
	return 0
}
