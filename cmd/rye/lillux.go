package main

import (
	"encoding/json"
	"errors"
	"math"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/ryeos/rye/pkg/engine"
	"github.com/ryeos/rye/pkg/item"
)

// isLillux reports whether rye was called by its other name. Then no other command is built.
func isLillux(program string) bool {
	return strings.TrimSuffix(filepath.Base(program), ".exe") == "lillux"
}

const lilluxHelp = `The process manager of RYE OS, for programs. Each command prints one JSON object on standard output and leaves with 0, also
when that says "success": false; a command line that cannot be understood gives 2. rye is lillux, too, when it is called
by that name:

  ln -s "$(command -v rye)" ~/.local/bin/lillux

COMMANDS
  exec run, stream, spawn, kill, status    processes
  cas store, fetch, verify, has            content under its hash
  sign, verify, keypair, envelope open     keys, signatures, sealed variables
  time now, after                          the clock

With --db and --thread-id it waits until a thread is at its end, and prints its status or "timeout".`

const lilluxExample = `  rye lillux exec run --cmd ls --arg -l --timeout 5
  rye lillux exec spawn --cmd ./server --log server.log
  rye lillux --db .ai/state/threads/registry.db --thread-id "$ID" --timeout 60`

// newLilluxCommand stands for lillux among rye's commands. The commands below it are built when it is called, so that the
// others do not pay for them.
func newLilluxCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use: "lillux COMMAND", Short: "Processes, content, keys and envelopes, as JSON", Long: lilluxHelp, Example: lilluxExample,
		DisableFlagParsing: true,
		PersistentPreRunE:  func(*cobra.Command, []string) error { return nil }, // preferences do not concern it
		RunE: func(cmd *cobra.Command, args []string) error {
			program := newLilluxProgram(a)
			program.Annotations = map[string]string{cobra.CommandDisplayNameAnnotation: cmd.CommandPath()}
			a.flags.add(program.PersistentFlags())
			program.SetArgs(args)
			program.SetOut(a.stdout)
			program.SetErr(a.stderr)
			return program.Execute()
		},
	}
}

// newLilluxProgram is lillux as a program.
func newLilluxProgram(a *app) *cobra.Command {
	a.prefs = &preferences{}
	var database, id string
	timeout := seconds(300)
	cmd := &cobra.Command{
		Use: "lillux", Long: lilluxHelp, Example: lilluxExample, Args: onlyCommands, SilenceErrors: true, SilenceUsage: true,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if !cmd.Flags().Changed("db") && !cmd.Flags().Changed("thread-id") {
				return cmd.Help()
			}
			if err := requireFlags(cmd, "db", "thread-id"); err != nil {
				return err
			}
			return a.printObject(engine.LilluxWatch(cmd.Context(), database, id, timeout.duration()))
		},
	}
	cmd.CompletionOptions.DisableDefaultCmd = true
	cmd.SetFlagErrorFunc(flagError)
	fs := cmd.Flags()
	fs.StringVar(&database, "db", "", "the registry.db `file` of the thread to wait for")
	fs.StringVar(&id, "thread-id", "", "the `id` of the thread")
	fs.Var(&timeout, "timeout", "wait no longer than this many `seconds`")
	cmd.AddCommand(newLilluxExec(a), newLilluxCAS(a), newLilluxSign(a), newLilluxVerify(a), newLilluxKeypair(a),
		newLilluxEnvelope(a), newLilluxTime(a))
	return cmd
}

// lilluxGroup is a command that only holds others.
func lilluxGroup(use, short string, commands ...*cobra.Command) *cobra.Command {
	cmd := &cobra.Command{Use: use, Short: short, Args: onlyCommands, RunE: func(cmd *cobra.Command, _ []string) error {
		return item.Usagef("%s needs a command", cmd.CommandPath()).Hint("%s --help", cmd.CommandPath())
	}}
	cmd.AddCommand(commands...)
	return cmd
}

// lilluxLeaf is a command that takes no arguments, and those flags at least.
func lilluxLeaf(use, short string, run func(*cobra.Command) error, required ...string) *cobra.Command {
	return &cobra.Command{Use: use, Short: short, Args: cobra.NoArgs, RunE: func(cmd *cobra.Command, _ []string) error {
		if err := requireFlags(cmd, required...); err != nil {
			return err
		}
		return run(cmd)
	}}
}

func requireFlags(cmd *cobra.Command, names ...string) error {
	for _, name := range names {
		if !cmd.Flags().Changed(name) {
			return item.Usagef("--%s is missing", name).Hint("%s --help", cmd.CommandPath())
		}
	}
	return nil
}

// printObject writes one line of JSON, whatever the terminal and the preferences are.
func (a *app) printObject(v any) error {
	enc := json.NewEncoder(a.stdout)
	enc.SetEscapeHTML(false)
	return lost(enc.Encode(v))
}

// printOrError prints v, or {"error": …} in its place.
func (a *app) printOrError(v any, err error) error {
	if err != nil {
		v = map[string]string{"error": err.Error()}
	}
	return a.printObject(v)
}

// seconds is a flag's time in seconds, with a fraction.
type seconds float64

func (s *seconds) Set(text string) error {
	f, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsNaN(f) || f < 0 {
		return errors.New("it must be a number of seconds, 0 or more")
	}
	*s = seconds(f)
	return nil
}

func (s *seconds) String() string { return strconv.FormatFloat(float64(*s), 'f', -1, 64) }

func (s *seconds) Type() string { return "seconds" }

// duration is at most what a time.Duration holds, 292 years.
func (s *seconds) duration() time.Duration {
	if ns := float64(*s) * float64(time.Second); ns < math.MaxInt64 {
		return time.Duration(ns)
	}
	return math.MaxInt64
}

func newLilluxTime(a *app) *cobra.Command {
	now := lilluxLeaf("now", "Print the time", func(*cobra.Command) error {
		t := time.Now()
		return a.printObject(map[string]int64{"timestamp_ms": t.UnixMilli(), "timestamp_ns": t.UnixNano()})
	})
	var ms uint32
	after := lilluxLeaf("after", "Sleep, and print for how long", func(*cobra.Command) error {
		began := time.Now()
		time.Sleep(time.Duration(ms) * time.Millisecond)
		return a.printObject(map[string]int64{"elapsed_ms": time.Since(began).Milliseconds()})
	}, "ms")
	after.Flags().Uint32Var(&ms, "ms", 0, "sleep this many `milliseconds`")
	return lilluxGroup("time", "The clock", now, after)
}
