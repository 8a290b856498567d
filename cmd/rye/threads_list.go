package main

import (
	"context"
	"errors"
	"io/fs"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/ryeos/rye/pkg/item"
	"github.com/ryeos/rye/pkg/thread"
)

// listOptions choose threads.
type listOptions struct {
	status   []string
	active   bool
	item     string
	children string
	limit    int
	before   int64
}

func newThreadsList(a *app) *cobra.Command {
	var o listOptions
	cmd := &cobra.Command{
		Use:     "list",
		Aliases: []string{"ls"},
		Short:   "List threads, newest first",
		Long: `List threads, newest first. Whoever lists them first looks whether those that claim to run still do: a thread whose
runner vanished is shown as lost.

In JSON, next_before is there when there are more: give it to --before for the next page.`,
		Example: `  rye threads list
  rye threads list --active
  rye threads list --status error --status lost --limit 10
  rye threads list -o json | jq -r '.threads[].thread_id'`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error { return runThreadsList(a, &o) },
	}
	fs := cmd.Flags()
	fs.StringArrayVar(&o.status, "status", nil, "only threads with this `status`; repeat it for more")
	fs.BoolVar(&o.active, "active", false, "only threads that are not at their end")
	fs.StringVar(&o.item, "item", "", "only runs of this item, a `reference`; a plain id is a tool")
	fs.StringVar(&o.children, "children", "", "only threads that the thread with this `id` started")
	fs.IntVar(&o.limit, "limit", 50, "at most this `number`")
	fs.Int64Var(&o.before, "before", 0, "only threads before this `seq`: the next_before of the page before")
	completeValues(cmd, "status", statusNames()...)
	if err := errors.Join(
		cmd.RegisterFlagCompletionFunc("children", a.completeThreads(nil)),
		cmd.RegisterFlagCompletionFunc("item", a.completeRefs(item.Tool, item.Directive)),
	); err != nil {
		panic(err)
	}
	return cmd
}

func runThreadsList(a *app, o *listOptions) error {
	filter, err := o.filter()
	if err != nil {
		return err
	}
	ctx, stop := interruptible()
	defer stop()
	threads, err := a.page(ctx, o, filter)
	if errors.Is(err, fs.ErrNotExist) && o.children == "" {
		a.note("no threads were recorded in this project; rye execute REF --async starts one")
		threads, err = []thread.Thread{}, nil
	}
	if err != nil {
		return err
	}
	next := int64(0)
	if len(threads) > o.limit {
		threads = threads[:o.limit]
		next = threads[o.limit-1].Seq
	}
	if a.format() != formatText {
		return a.print(struct {
			Threads    []thread.Thread `json:"threads"`
			NextBefore int64           `json:"next_before,omitempty"`
		}{threads, next})
	}
	if len(threads) > 0 {
		a.printLines(a.threadTable(threads, time.Now()))
	}
	if next > 0 {
		a.note("there are more: --before %d", next)
	}
	return nil
}

// filter checks the flags.
func (o *listOptions) filter() (thread.Filter, error) {
	f := thread.Filter{Before: o.before, Limit: o.limit + 1} // one more shows whether there are more
	for _, name := range o.status {
		status := thread.Status(name)
		if !status.Valid() {
			err := item.Usagef("there is no status %s", item.Quote(name))
			if near := item.Suggest(name, statusNames()); near != "" {
				err.Hint("did you mean %s?", near)
			}
			return f, err.Hint("statuses: %s", strings.Join(statusNames(), ", "))
		}
		f.Status = append(f.Status, status)
	}
	switch {
	case o.active && len(o.status) > 0:
		return f, item.Usagef("--active and --status exclude each other")
	case o.limit < 1:
		return f, item.Usagef("--limit must be positive, got %d", o.limit)
	case o.before < 0:
		return f, item.Usagef("--before must not be negative, got %d", o.before)
	case o.active:
		f.Status = thread.Active()
	}
	if o.item == "" {
		return f, nil
	}
	ref, err := item.ParseRef(o.item)
	if err == nil && ref.Kind == "" {
		ref = ref.With(item.Tool)
	}
	f.Item = ref.String()
	return f, err
}

func (a *app) page(ctx context.Context, o *listOptions, filter thread.Filter) ([]thread.Thread, error) {
	_, store, err := a.registry(ctx)
	if err != nil {
		return nil, err
	}
	if o.children != "" {
		parent, err := store.Get(ctx, o.children)
		if err != nil {
			return nil, err
		}
		filter.Parent = parent.ID
	}
	return store.List(ctx, filter)
}

func statusNames() []string {
	var names []string
	for _, status := range thread.Statuses() {
		names = append(names, string(status))
	}
	return names
}

// threadTable shows threads one a line, with ids that can be typed.
func (a *app) threadTable(threads []thread.Thread, now time.Time) []string {
	short := shortIDs(threads)
	head := []string{"ID", "STATUS", "ITEM", "STARTED", "TOOK", "EXIT"}
	parents := false
	for _, t := range threads {
		parents = parents || t.Parent != ""
	}
	if parents {
		head = append(head, "PARENT")
	}
	rows := make([][]string, len(threads))
	for i, t := range threads {
		rows[i] = []string{short[t.ID], string(t.Status), t.Item, ago(now.Sub(t.CreatedAt)), elapsed(t, now), exitText(t)}
		if a.flags.verbose {
			rows[i][0] = t.ID
		}
		if parents {
			rows[i] = append(rows[i], shorten(t.Parent))
		}
		if a.flags.verbose && parents {
			rows[i][6] = t.Parent
		}
	}
	return tableLines(head, rows)
}

// shortIDs are the starts of random ids that tell these threads apart, by id. Ids that somebody has chosen stay whole.
func shortIDs(threads []thread.Thread) map[string]string {
	short, owners := map[string]string{}, map[string]int{}
	for _, t := range threads {
		if _, seen := short[t.ID]; !seen {
			short[t.ID] = shorten(t.ID)
			owners[short[t.ID]]++
		}
	}
	for id, start := range short {
		if owners[start] > 1 {
			short[id] = id
		}
	}
	return short
}

// shortLength is the first group of a UUID.
const shortLength = 8

func shorten(id string) string {
	if len(id) == 36 && id[8] == '-' && id[13] == '-' && id[18] == '-' && id[23] == '-' {
		return id[:shortLength]
	}
	return id
}

// elapsed is how long a thread took, or takes already.
func elapsed(t thread.Thread, now time.Time) string {
	end := t.CompletedAt
	if end.IsZero() {
		end = now
	}
	if t.StartedAt.IsZero() {
		return ""
	}
	return brief(end.Sub(t.StartedAt))
}

func exitText(t thread.Thread) string {
	if t.ExitCode == nil || *t.ExitCode < 0 { // a signal ended it
		return ""
	}
	return strconv.Itoa(*t.ExitCode)
}
