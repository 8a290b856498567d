package main

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/ryeos/rye/pkg/engine"
	"github.com/ryeos/rye/pkg/thread"
)

func newThreadsCommand(a *app) *cobra.Command {
	list := newThreadsList(a)
	cmd := &cobra.Command{
		Use:   "threads",
		Short: "See, follow and end runs that were started with --async",
		Long: `A thread is one recorded run: what rye execute --async starts. Its status, its result and its logs are kept in
<project>/.ai/state/threads until rye threads prune removes them, however the run ends.

Everywhere an ID is asked for, the start of it does if no other id starts so. Without a subcommand the threads are
listed.`,
		Example: `  ID=$(rye execute -o text tool:rye/bash --async --command 'make test')
  rye threads
  rye threads logs -f $ID
  rye threads wait $ID --propagate-exit`,
		Args: onlyCommands,
		RunE: list.RunE,
	}
	cmd.Flags().AddFlagSet(list.Flags())
	cmd.AddCommand(list, newThreadsShow(a), newThreadsLogs(a), newThreadsWait(a), newThreadsWatch(a), newThreadsCancel(a),
		newThreadsResume(a), newThreadsRerun(a), newThreadsPrune(a))
	return cmd
}

// interruptible is a context that a signal ends.
func interruptible() (context.Context, context.CancelFunc) {
	return signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
}

// streaming is interruptible, and ends when nobody reads the output.
func streaming(out *os.File) (context.Context, context.CancelFunc) {
	ctx, stop := interruptible()
	ctx, end := untilUnread(ctx, out)
	return ctx, func() { end(); stop() }
}

// errUnread is why a context ended whose output nobody reads.
var errUnread = errors.New("nobody reads the output")

// streamEnd is what is left to report when output as things happen has come to an end. Whoever reads it may have enough.
func streamEnd(ctx context.Context, err error) error {
	switch {
	case errors.Is(context.Cause(ctx), errUnread), errors.Is(err, syscall.EPIPE):
		return nil
	case errors.Is(err, context.Canceled):
		return &silentError{exitInterrupted}
	}
	return err
}

// registry opens the project's threads; it is an error if there are none yet, which wraps fs.ErrNotExist.
func (a *app) registry(ctx context.Context) (*engine.Engine, *thread.Store, error) {
	eng, err := a.engine()
	if err != nil {
		return nil, nil, err
	}
	store, err := eng.Threads(ctx, true)
	return eng, store, err
}

// findThreads looks every id up before anything is done with one of them.
func findThreads(ctx context.Context, store *thread.Store, ids []string) ([]thread.Thread, error) {
	threads := make([]thread.Thread, len(ids))
	for i, id := range ids {
		var err error
		if threads[i], err = store.Get(ctx, id); err != nil {
			return nil, err
		}
	}
	return threads, nil
}
