package main

import (
	"context"
	"io"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/ryeos/rye/pkg/engine"
	"github.com/ryeos/rye/pkg/item"
)

func newLilluxExec(a *app) *cobra.Command {
	return lilluxGroup("exec", "Start, end and look at processes", newLilluxRun(a), newLilluxStream(a), newLilluxSpawn(a),
		newLilluxKill(a), newLilluxStatus(a))
}

// lilluxProgram are the flags that say what to start.
type lilluxProgram struct {
	engine.LilluxCommand
	input string
	pipe  bool
}

func (p *lilluxProgram) add(fs *pflag.FlagSet) {
	fs.StringVar(&p.Program, "cmd", "", "the `program`: a name to find in PATH, or a path")
	fs.StringArrayVar(&p.Args, "arg", nil, "an `argument` for it, which may begin with a hyphen; can be repeated")
	fs.StringArrayVar(&p.Env, "env", nil, "a variable for it, `NAME=VALUE`; can be repeated")
	fs.StringVar(&p.input, "stdin", "", "its standard input, a `text`")
	fs.BoolVar(&p.pipe, "stdin-pipe", false, "its standard input is that of lillux, unless --stdin is given")
}

// command reads standard input if it is wanted. That comes before signals are caught: they end the wait for it.
func (p *lilluxProgram) command(a *app, fs *pflag.FlagSet) (engine.LilluxCommand, error) {
	c := p.LilluxCommand
	switch {
	case fs.Changed("stdin"):
		c.Stdin = []byte(p.input)
	case p.pipe:
		var err error
		if c.Stdin, err = io.ReadAll(a.stdin); err != nil {
			return c, item.Errorf(item.TypeUnavailable, "cannot read standard input: %w", err)
		}
	}
	return c, nil
}

// lilluxWait are the flags of a program that is waited for.
type lilluxWait struct {
	lilluxProgram
	timeout seconds
}

func (w *lilluxWait) add(fs *pflag.FlagSet) {
	w.lilluxProgram.add(fs)
	w.timeout = 300
	fs.StringVar(&w.Dir, "cwd", "", "the `folder` to run it in")
	fs.Var(&w.timeout, "timeout", "end it, and all it has started, after this many `seconds`")
}

// start gives what to run, and a context that a signal ends.
func (w *lilluxWait) start(a *app, fs *pflag.FlagSet) (context.Context, context.CancelFunc, engine.LilluxCommand, error) {
	c, err := w.command(a, fs)
	if err != nil {
		return nil, nil, c, err
	}
	if err := engine.BecomeReaper(); err != nil {
		a.warn(err.Error())
	}
	ctx, stop := interruptible()
	return ctx, stop, c, nil
}

func newLilluxRun(a *app) *cobra.Command {
	var w lilluxWait
	cmd := lilluxLeaf("run", "Run a program and print how it ended", func(cmd *cobra.Command) error {
		ctx, stop, c, err := w.start(a, cmd.Flags())
		if err != nil {
			return err
		}
		defer stop()
		if err := a.printObject(engine.LilluxRun(ctx, c, w.timeout.duration())); err != nil {
			return err
		}
		if ctx.Err() != nil {
			return &silentError{exitInterrupted}
		}
		return nil
	}, "cmd")
	w.add(cmd.Flags())
	return cmd
}

func newLilluxStream(a *app) *cobra.Command {
	var w lilluxWait
	cmd := lilluxLeaf("stream", "Run a program and pass its output on", func(cmd *cobra.Command) error {
		ctx, stop, c, err := w.start(a, cmd.Flags())
		if err != nil {
			return err
		}
		defer stop()
		code := engine.LilluxStream(ctx, c, w.timeout.duration(), a.stdout, a.stderr)
		switch {
		case ctx.Err() != nil:
			return &silentError{exitInterrupted}
		case code != 0:
			return &silentError{code}
		}
		return nil
	}, "cmd")
	cmd.Long = `Run a program and pass on what it writes, byte for byte and as it comes. lillux leaves with the program's own exit
code, or with

    1  a signal ended the program
  124  the timeout was over
  125  the program could not be started, or its output not be passed on
  130  lillux was interrupted`
	w.add(cmd.Flags())
	return cmd
}

func newLilluxSpawn(a *app) *cobra.Command {
	var p lilluxProgram
	var log string
	cmd := lilluxLeaf("spawn", "Start a program that lives on by itself", func(cmd *cobra.Command) error {
		c, err := p.command(a, cmd.Flags())
		if err != nil {
			return err
		}
		return a.printObject(engine.LilluxSpawn(c, log))
	}, "cmd")
	p.add(cmd.Flags())
	cmd.Flags().StringVar(&log, "log", "", "the `file` for what it prints, emptied first; without one it is lost")
	return cmd
}

func newLilluxKill(a *app) *cobra.Command {
	var pid uint32
	grace := seconds(3)
	cmd := lilluxLeaf("kill", "Ask a process to end, then kill it", func(cmd *cobra.Command) error {
		return a.printObject(engine.LilluxKill(cmd.Context(), int(pid), grace.duration()))
	}, "pid")
	cmd.Long = `Ask a process to end with SIGTERM, and kill it if it has not ended within the grace. If it leads a process group, as what
lillux exec spawn has started does, the whole group is meant; on Linux then also what left the group.`
	cmd.Flags().Uint32Var(&pid, "pid", 0, "the `number` of the process")
	cmd.Flags().Var(&grace, "grace", "the time that it has, in `seconds`")
	return cmd
}

func newLilluxStatus(a *app) *cobra.Command {
	var pid uint32
	cmd := lilluxLeaf("status", "Tell whether a process lives", func(*cobra.Command) error {
		return a.printObject(engine.LilluxStatus(int(pid)))
	}, "pid")
	cmd.Flags().Uint32Var(&pid, "pid", 0, "the `number` of the process")
	return cmd
}
