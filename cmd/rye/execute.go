package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/ryeos/rye/pkg/engine"
	"github.com/ryeos/rye/pkg/item"
)

// executeOptions are the engine's flags of `rye execute`; everything else after the reference is the tool's.
type executeOptions struct {
	params         string
	dryRun         bool
	trace          bool
	pin            bool
	sandbox        bool
	requireSandbox bool
	async          bool
	thread         string
	timeout        time.Duration
	propagate      bool

	subject string        // what the first argument is
	prepare prepareFunc   // finds what it names
	again   *engine.Rerun // the recorded request that is repeated, if one is

	own    []string                          // flags that are the command's after the reference, too, unless the item itself has the name
	extend func(params map[string]any) error // adds what the command's own flags say
	report func(*item.Response) (shown bool) // shows a result as text; what it does not show is summarised
}

type prepareFunc = func(*engine.Engine, item.Request) (*engine.Call, *item.Response)

func newExecuteCommand(a *app) *cobra.Command {
	var o executeOptions
	cmd := &cobra.Command{
		Use:   "execute REF [--PARAMETER VALUE …]",
		Short: "Run a tool through its executor chain",
		Long: `Run a tool. REF is a canonical reference (tool:rye/bash) or a plain id (rye/bash).

Parameters follow the reference: --key value, --key=value, --flag for true, --no-flag for false; a dash in a name is
an underscore. Values are converted as the tool's schema says; a repeated parameter becomes a list. They override
--params.

Flags before REF are always rye's. After REF, a name that the tool's schema declares is the tool's parameter, any
other of the flags below is rye's; everything after -- is the tool's.`,
		Example: `  rye execute tool:rye/bash --command 'ls -la'
  rye execute tool:rye/file-system/read --path README.md --limit 20
  echo '{"command": "date"}' | rye execute tool:rye/bash --params -
  rye execute --dry-run tool:rye/bash --command true`,
	}
	o.bind(cmd, a)
	cmd.Flags().BoolVar(&o.trace, "trace", false, "explain every step, with its time")
	return cmd
}

// bind makes cmd a verb that executes: its flags, its completion and what it does.
func (o *executeOptions) bind(cmd *cobra.Command, a *app) {
	o.subject, o.prepare = "the reference of a tool", (*engine.Engine).Prepare
	cmd.DisableFlagParsing = true
	cmd.ValidArgsFunction = func(cmd *cobra.Command, args []string, toComplete string) ([]string, cobra.ShellCompDirective) {
		return a.completeExecute(cmd, args, toComplete)
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) error { return runExecute(cmd, a, o, args) }
	fs := cmd.Flags()
	fs.StringVar(&o.params, "params", "", "parameters as a `JSON` object, @FILE, or - for standard input")
	fs.BoolVar(&o.dryRun, "dry-run", false, "resolve, verify and validate everything, but run nothing")
	fs.BoolVar(&o.pin, "pin", false, "run a private copy of exactly the files that were verified")
	fs.BoolVar(&o.sandbox, "sandbox", false, "confine the tool, also where its chain declares no sandbox")
	fs.BoolVar(&o.requireSandbox, "require-sandbox", false, "confine the tool, or do not run it where the system cannot")
	fs.BoolVar(&o.async, "async", false, "run detached, and return the id of the thread at once (see rye threads)")
	fs.StringVar(&o.thread, "thread", "", "thread `mode`: inline (default) or fork (directives only)")
	fs.DurationVar(&o.timeout, "timeout", 0, "stop the run after this `duration`, such as 90s or 5m")
	fs.BoolVar(&o.propagate, "propagate-exit", false, "leave with the tool's own exit code")
	fs.BoolP("help", "h", false, "help; after a REF, the tool's parameters")
	completeValues(cmd, "thread", "inline", "fork")
}

func runExecute(cmd *cobra.Command, a *app, o *executeOptions, args []string) error {
	fs := cmd.Flags()
	cmd.InheritedFlags() // merges the global flags into fs, which cobra does not do while its own parsing is off
	fs.SetInterspersed(false)
	if err := fs.Parse(args); err != nil {
		if errors.Is(err, pflag.ErrHelp) {
			return cmd.Help()
		}
		return flagError(cmd, err)
	}
	if err := a.checkOutput(); err != nil {
		return err
	}
	if help, _ := fs.GetBool("help"); help && fs.NArg() == 0 {
		return cmd.Help()
	}
	if fs.NArg() == 0 {
		return item.Usagef("%s needs %s", cmd.CommandPath(), o.subject).Hint("%s --help", cmd.CommandPath())
	}
	eng, err := a.engine()
	if err != nil {
		return err
	}
	return a.executeRef(eng, fs, o)
}

// executeRef reads what follows the reference with the tool's schema at hand, and runs the tool.
func (a *app) executeRef(eng *engine.Engine, fs *pflag.FlagSet, o *executeOptions) error {
	ref, rest := fs.Arg(0), fs.Args()[1:]
	call, failed := o.prepare(eng, item.Request{Ref: ref, Thread: o.thread, Trace: o.trace})
	if failed != nil {
		scanOutputFlag(fs, rest)
		return a.finish(failed, o)
	}
	traced, before := o.trace, a.flags
	params, err := a.parameters(o, call, fs, rest)
	if err == nil && a.flags.project != before.project {
		err = item.Usagef("--project-path decides what %s is: write it before the reference", call.Ref())
	}
	if err != nil {
		return a.finish(failure(call, err), o)
	}
	if help, _ := fs.GetBool("help"); help {
		return a.showParameters(eng, call)
	}
	if fs.Changed("timeout") && o.timeout <= 0 {
		return a.finish(failure(call, item.Usagef("--timeout must be positive, got %s", o.timeout)), o)
	}
	request := o.request(ref)
	late := a.flags.env != before.env
	if late { // --env stood after the reference, and the engine must know of it
		a.eng = nil
		if eng, err = a.engine(); err != nil {
			return a.finish(failure(call, err), o)
		}
	}
	if late || o.trace && !traced { // --trace stood after the reference: look again, this time for what to explain
		if call, failed = o.prepare(eng, request); failed != nil {
			return a.finish(failed, o)
		}
	}
	return a.runCall(call.With(request), params, o)
}

// request is what the flags ask for; a recorded request keeps what they do not change.
func (o *executeOptions) request(ref string) item.Request {
	r := item.Request{Ref: ref}
	if o.again != nil {
		r = o.again.Request
		r.Ref = ref
	}
	r.DryRun, r.Async = o.dryRun, o.async
	r.Thread, r.Timeout = cmp.Or(o.thread, r.Thread), cmp.Or(o.timeout, r.Timeout)
	r.Trace, r.Pin = o.trace || r.Trace, o.pin || r.Pin
	r.Sandbox, r.RequireSandbox = o.sandbox || r.Sandbox, o.requireSandbox || r.RequireSandbox
	return r
}

// failure is the envelope of a bad command line for an item that exists.
func failure(call *engine.Call, err error) *item.Response {
	resp := item.ErrorResponse(call.Ref().String(), err)
	resp.Type, resp.DeclaredInputs = call.Ref().Kind, call.DeclaredInputs()
	return resp
}

// runMemory is from where on the collector of memory works harder, in bytes: what is kept of a tool's output is twice 10 MiB at
// most, and what is left behind by the way should not come to more.
const runMemory = 28 << 20

// runCall runs the tool so that no signal and no closed pipe can leave a process behind.
func (a *app) runCall(call *engine.Call, params map[string]any, o *executeOptions) error {
	engine.BecomeReaper()
	debug.SetMemoryLimit(runMemory)
	// A closed standard output is an error to handle, not a reason to die at once. Ignoring the signal would do, but the
	// tool would inherit that.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	if o.report != nil {
		return a.finish(call.Execute(ctx, params, nil, a.graphProgress()), o)
	}
	if a.format() != formatText || o.dryRun || o.async {
		return a.finish(call.Execute(ctx, params, nil, nil), o)
	}
	stdout := &lineWriter{w: a.stdout}
	resp := call.Execute(ctx, params, stdout, a.stderr)
	if stdout.open && !a.flags.quiet && isTerminal(a.stdout) && isTerminal(a.stderr) {
		fmt.Fprintln(a.stderr) // the summary gets a line of its own
	}
	return a.finish(resp, o)
}

// lineWriter remembers whether the last line written is still open.
type lineWriter struct {
	w    io.Writer
	open bool
}

func (l *lineWriter) Write(p []byte) (int, error) {
	if len(p) > 0 {
		l.open = p[len(p)-1] != '\n'
	}
	return l.w.Write(p)
}

// finish shows a response and chooses the exit code.
func (a *app) finish(resp *item.Response, o *executeOptions) error {
	code := exitOf(resp, o.propagate)
	if a.format() == formatText {
		a.showTrace(resp.Trace)
		if o.report == nil || !o.report(resp) {
			a.summarise(resp)
		}
	} else if err := a.print(resp); err != nil {
		return err
	}
	if code != exitOK {
		return &silentError{code}
	}
	return nil
}

// summarise says in one line on standard error how a run ended. What the tool itself wrote is already on the screen.
func (a *app) summarise(resp *item.Response) {
	ms := int64(0)
	ran := false
	if resp.Metadata != nil {
		ms, ran = resp.Metadata.DurationMS, resp.Metadata.ExitCode != nil
	}
	switch {
	case resp.Failed() && ran && resp.ErrorType == item.TypeFailed:
		a.note("✗ %s failed (%s) in %d ms", safe(resp.ItemID), reason(resp), ms)
	case resp.Failed():
		a.printError(resp.Error, resp.Hints)
	case resp.Directions != nil:
		a.line("%s", strings.TrimSuffix(*resp.Directions, "\n"))
	case resp.Async: // the id alone on standard output, for a script to take
		a.line("%s", resp.ThreadID)
		a.note("▸ %s runs detached, pid %d: rye threads logs -f %s", safe(resp.ItemID), resp.PID, resp.ThreadID)
	case resp.Status == item.StatusValidated:
		a.line("%s", resp.Message)
		for i, id := range resp.Chain {
			a.line("  %s%s", strings.Repeat("  ", i), safe(id))
		}
	default:
		a.note("✓ %s in %d ms", safe(resp.ItemID), ms)
	}
	if resp.Metadata != nil && len(resp.Metadata.FixedParams) > 0 {
		a.warn("fixed by the tool, your value was not used: " + strings.Join(resp.Metadata.FixedParams, ", "))
	}
}

func reason(resp *item.Response) string {
	if resp.Metadata.Signal != "" {
		return resp.Metadata.Signal
	}
	if *resp.Metadata.ExitCode != 0 {
		return fmt.Sprintf("exit %d", *resp.Metadata.ExitCode)
	}
	return safe(item.FirstLine(resp.Error))
}
