package main

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/ryeos/rye/pkg/engine"
	"github.com/ryeos/rye/pkg/item"
	"github.com/ryeos/rye/pkg/thread"
)

// cancelled is a thread that was to end, as it is shown.
type cancelled struct {
	ID     string        `json:"thread_id"`
	Item   string        `json:"directive"`
	Parent string        `json:"parent_id,omitempty"`
	Status thread.Status `json:"status"`
	PID    int           `json:"pid,omitempty"`
	Method string        `json:"method"`
}

// notCancelled is an id for which that failed.
type notCancelled struct {
	ID    string         `json:"thread_id"`
	Error string         `json:"error"`
	Type  item.ErrorType `json:"error_type"`
	Hints []string       `json:"hints,omitempty"`
}

// methods are the engine's words for people.
var methods = map[string]string{
	engine.MethodNotRunning: "it was not running",
	engine.MethodTerminated: "its runner ended it",
	engine.MethodKilled:     "its runner did not answer and was killed",
	engine.MethodFinished:   "it came to its own end first",
}

func newThreadsCancel(a *app) *cobra.Command {
	var grace time.Duration
	cmd := &cobra.Command{
		Use:   "cancel ID …",
		Short: "End threads and everything they started",
		Long: `End threads: their tools' processes are asked to end and, if they have not after the grace, killed, and so is everything
that they started, also what detached itself from them. Threads that a thread started end with it.

A thread at its end cannot be cancelled, and that is an error. Of several threads all are tried; the highest exit code
counts.`,
		Example:           "  rye threads cancel 3f2a\n  rye threads cancel --grace 0s 3f2a 91bc",
		Args:              oneOrMore("the id of a thread"),
		ValidArgsFunction: a.completeThreads(thread.Active()),
		RunE: func(_ *cobra.Command, args []string) error {
			if grace < 0 {
				return item.Usagef("--grace must not be negative, got %s", grace)
			}
			return runThreadsCancel(a, grace, args)
		},
	}
	cmd.Flags().DurationVar(&grace, "grace", engine.DefaultGrace, "time between asking and killing, a `duration`; 0s kills at once")
	return cmd
}

// runThreadsCancel cancels side by side: each may take its grace.
func runThreadsCancel(a *app, grace time.Duration, ids []string) error {
	ctx, stop := interruptible()
	defer stop()
	eng, _, err := a.registry(ctx)
	if err != nil {
		return err
	}
	done, failures := cancelEach(ctx, eng, grace, ids)
	if len(ids) == 1 && failures[0] != nil {
		return failures[0]
	}
	code := exitOK
	threads := []cancelled{}
	var errs []notCancelled
	for i, err := range failures {
		for _, c := range done[i] {
			t := c.Thread
			threads = append(threads, cancelled{t.ID, t.Item, t.Parent, t.Status, c.PID, c.Method})
		}
		if err != nil {
			errs = append(errs, notCancelled{ids[i], err.Error(), item.TypeOf(err), item.HintsOf(err)})
			code = max(code, exitCodes[item.TypeOf(err)])
		}
	}
	if err := a.showCancelled(threads, errs); err != nil {
		return err
	}
	if code != exitOK {
		return &silentError{code}
	}
	return nil
}

func cancelEach(ctx context.Context, eng *engine.Engine, grace time.Duration, ids []string) ([][]engine.Cancellation, []error) {
	done, failures := make([][]engine.Cancellation, len(ids)), make([]error, len(ids))
	var wg sync.WaitGroup
	for i, id := range ids {
		wg.Go(func() { done[i], failures[i] = eng.CancelThread(ctx, id, grace) })
	}
	wg.Wait()
	return done, failures
}

func (a *app) showCancelled(threads []cancelled, errs []notCancelled) error {
	if a.format() != formatText {
		doc := struct {
			Status  string         `json:"status"`
			Threads []cancelled    `json:"threads"`
			Errors  []notCancelled `json:"errors,omitempty"`
		}{item.StatusSuccess, threads, errs}
		if len(errs) > 0 {
			doc.Status = item.StatusError
		}
		return a.print(doc)
	}
	for _, t := range threads {
		how := methods[t.Method]
		if t.PID != 0 {
			how += fmt.Sprintf(" (pid %d)", t.PID)
		}
		a.line("%s %s: %s", t.ID, t.Status, how)
	}
	for _, e := range errs {
		a.printError(e.ID+": "+e.Error, e.Hints)
	}
	return nil
}
