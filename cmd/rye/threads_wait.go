package main

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/ryeos/rye/pkg/item"
	"github.com/ryeos/rye/pkg/thread"
)

// waitOptions say for what to wait, and how to leave.
type waitOptions struct {
	any, all  bool
	timeout   time.Duration
	propagate bool
}

// endedThread is a thread at its end, with what `rye execute` would have returned.
type endedThread struct {
	thread.Thread
	Response *item.Response `json:"response"`
}

func newThreadsWait(a *app) *cobra.Command {
	var o waitOptions
	cmd := &cobra.Command{
		Use:   "wait ID …",
		Short: "Wait until threads are at their end",
		Long: `Wait until all the threads, or with --any one of them, are at their end, and show how they ended.

The exit code is the one that rye execute would have left with: 0 for a run that succeeded, 1 for one that failed, 130 for
one that was cancelled or killed, and so on. A lost thread, of which nobody knows how it ended, gives 8. Of several
threads the highest code counts. When --timeout is over first, nothing happens to the threads, and the code is 124.`,
		Example: `  rye threads wait 3f2a
  rye threads wait --timeout 10m 3f2a 91bc
  rye threads wait --any $(rye threads list --active -o json | jq -r '.threads[].thread_id')`,
		Args:              oneOrMore("the id of a thread"),
		ValidArgsFunction: a.completeThreads(thread.Active()),
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case o.any && o.all:
				return item.Usagef("--any and --all exclude each other")
			case cmd.Flags().Changed("timeout") && o.timeout <= 0:
				return item.Usagef("--timeout must be positive, got %s", o.timeout)
			}
			return runThreadsWait(a, &o, args)
		},
	}
	fs := cmd.Flags()
	fs.BoolVar(&o.any, "any", false, "until the first of them is at its end, and show that one")
	fs.BoolVar(&o.all, "all", false, "until all of them are (the default)")
	fs.DurationVar(&o.timeout, "timeout", 0, "wait no longer than this `duration`")
	fs.BoolVar(&o.propagate, "propagate-exit", false, "leave with the tool's own exit code")
	return cmd
}

func runThreadsWait(a *app, o *waitOptions, ids []string) error {
	ctx, stop := interruptible()
	defer stop()
	eng, store, err := a.registry(ctx)
	if err != nil {
		return err
	}
	threads, err := findThreads(ctx, store, ids)
	if err != nil {
		return err
	}
	waiting := ctx
	if o.timeout > 0 {
		var cancel context.CancelFunc
		waiting, cancel = context.WithTimeout(ctx, o.timeout)
		defer cancel()
	}
	if threads, err = waitFor(waiting, store, threads, o.any); err != nil {
		return err
	}
	ended := make([]endedThread, len(threads))
	code := exitOK
	for i, t := range threads {
		resp, err := eng.ThreadResponse(ctx, t)
		if err != nil {
			return err
		}
		ended[i] = endedThread{t, resp}
		code = max(code, exitOf(resp, o.propagate))
	}
	if err := a.showEnded(ended); err != nil {
		return err
	}
	if code != exitOK {
		return &silentError{code}
	}
	return nil
}

// waitFor returns the threads when they are at their end, in their order; with first, the one that is so first.
func waitFor(ctx context.Context, store *thread.Store, threads []thread.Thread, first bool) ([]thread.Thread, error) {
	if i := slices.IndexFunc(threads, thread.Thread.Resting); first && i >= 0 {
		return threads[i : i+1], nil
	}
	each, enough := context.WithCancel(ctx)
	defer enough()
	type end struct {
		i   int
		t   thread.Thread
		err error
	}
	ends := make(chan end, len(threads))
	for i, t := range threads {
		go func() {
			t, err := store.Wait(each, t.ID)
			ends <- end{i, t, err}
		}()
	}
	var failed error
	for range threads {
		e := <-ends
		switch {
		case e.err == nil && first:
			return []thread.Thread{e.t}, nil
		case e.err == nil:
			threads[e.i] = e.t
		case ctx.Err() == nil:
			return nil, e.err
		default:
			failed = e.err
		}
	}
	if failed != nil && errors.Is(ctx.Err(), context.DeadlineExceeded) && slices.ContainsFunc(threads, going) {
		return nil, stillRunning(threads)
	}
	return threads, failed
}

func going(t thread.Thread) bool { return !t.Resting() }

func stillRunning(threads []thread.Thread) error {
	var ids []string
	for _, t := range threads {
		if going(t) {
			ids = append(ids, t.ID)
		}
	}
	err := item.Errorf(item.TypeTimeout, "%d of %d threads not at their end in time: %s", len(ids), len(threads), strings.Join(ids, ", "))
	return err.Hint("rye threads logs -f %s", ids[0]).Hint("end it: rye threads cancel %s", ids[0])
}

func (a *app) showEnded(ended []endedThread) error {
	if a.format() != formatText {
		return a.print(map[string]any{"threads": ended})
	}
	threads := make([]thread.Thread, len(ended))
	for i, e := range ended {
		threads[i] = e.Thread
	}
	a.printLines(a.threadTable(threads, time.Now()))
	for _, e := range ended {
		if e.Response.Failed() {
			a.printError(e.ID+": "+item.FirstLine(e.Response.Error), e.Response.Hints)
		}
	}
	return nil
}
