package main

import (
	"context"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/ryeos/rye"
	"github.com/ryeos/rye/pkg/engine"
	"github.com/ryeos/rye/pkg/item"
)

// newRunnerCommand is what `rye execute --async` starts: the detached runner of one thread. What it is to run comes on
// standard input, and what it has to say goes to the thread's runner.log.
func newRunnerCommand(a *app) *cobra.Command {
	var id string
	cmd := &cobra.Command{
		Use: engine.RunnerVerb, Hidden: true, Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			if id == "" || a.flags.project == "" {
				return item.Usagef("%s needs --project-path and --thread-id", engine.RunnerVerb)
			}
			binary, err := os.Executable()
			if err != nil {
				return err
			}
			debug.SetMemoryLimit(runMemory)
			// The terminal it was started from may close; that ends nothing.
			signal.Ignore(syscall.SIGHUP)
			ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
			defer stop()
			base := engine.Options{System: rye.System(), Binary: binary, Env: os.Environ(), Version: currentVersion(), Warn: a.warn}
			return engine.RunThread(ctx, base, a.flags.project, id, a.stdin)
		},
	}
	cmd.Flags().StringVar(&id, "thread-id", "", "the registered thread")
	return cmd
}
