package main

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/ryeos/rye/pkg/engine"
	"github.com/ryeos/rye/pkg/item"
)

// testOptions are the flags of `rye test` as they are typed.
type testOptions struct {
	request          engine.TestRequest
	include, exclude []string
}

func newTestCommand(a *app) *cobra.Command {
	var o testOptions
	cmd := &cobra.Command{
		Use:   "test [TOOL]",
		Short: "Run the tests of a project's tools",
		Long: `Run the tests in .ai/tests/**/*.test.yaml: those of every tool, or of one. Each test calls its tool as rye execute
does, with all verification, and compares the result.

Specs choose what tools are told to do, so they must be signed as tools must be: rye sign .ai/tests. --validate-only also
reads those that are not.

Progress goes to standard error. The exit code is 0 when every test passed, 1 when one failed, 3 when there is none, 4
when a spec is not verified, 5 when it cannot be read; the other specs are run all the same.`,
		Example: `  rye test
  rye test tool:my/words
  rye test --include-tags smoke --fail-fast
  rye test --spec .ai/tests/words.test.yaml
  rye test --validate-only`,
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: a.completeTested,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				o.request.Tool = args[0]
			}
			return runTest(a, cmd, &o)
		},
	}
	fs := cmd.Flags()
	fs.StringVar(&o.request.Spec, "spec", "", "only the tests in this `file`")
	fs.StringArrayVar(&o.include, "include-tags", nil, "only tests with one of these `tags`, as in a,b")
	fs.StringArrayVar(&o.exclude, "exclude-tags", nil, "no tests with one of these `tags`")
	fs.BoolVar(&o.request.ValidateOnly, "validate-only", false, "read the specs, run nothing")
	fs.IntVar(&o.request.Jobs, "jobs", 1, "run this many `tests` at a time")
	fs.BoolVar(&o.request.FailFast, "fail-fast", false, "start no test after one has failed")
	return cmd
}

func runTest(a *app, cmd *cobra.Command, o *testOptions) error {
	req := &o.request
	req.IncludeTags = engine.Tags(strings.Join(o.include, ","))
	req.ExcludeTags = engine.Tags(strings.Join(o.exclude, ","))
	switch {
	case req.Jobs < 1:
		return item.Usagef("--jobs must be at least 1, got %d", req.Jobs)
	case cmd.Flags().Changed("include-tags") && len(req.IncludeTags) == 0:
		return item.Usagef("--include-tags needs a tag")
	case cmd.Flags().Changed("spec") && req.Spec == "":
		return item.Usagef("--spec needs a file")
	}
	req.Spec = fromHere(req.Spec)
	if !a.flags.quiet {
		req.Progress = a.showTestProgress
	}
	eng, err := a.engine()
	if err != nil {
		return err
	}
	ctx, stop := running()
	defer stop()
	report, err := eng.Test(ctx, *req)
	if err != nil {
		return err
	}
	return a.finishTests(report)
}

// fromHere is a file's path from the current folder if it exists there; else it may exist below the project.
func fromHere(file string) string {
	if _, err := os.Stat(file); err != nil {
		return file
	}
	if here, err := filepath.Abs(file); err == nil {
		return here
	}
	return file
}

// running is a context for tools that neither a signal nor a closed pipe leaves behind.
func running() (context.Context, context.CancelFunc) {
	engine.BecomeReaper()
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE) // not ignored, which the tools would inherit
	return interruptible()
}

func (a *app) finishTests(report *engine.TestReport) error {
	if a.format() != formatText {
		if err := a.print(report.Document()); err != nil {
			return err
		}
	} else {
		a.showTests(report)
	}
	if failed := report.ErrorType(); failed != "" {
		return &silentError{exitCodes[failed]}
	}
	return nil
}

// showTestProgress writes what spec/rye-core §9.4 shows: a line for each spec, then one for each of its tests.
func (a *app) showTestProgress(spec *engine.SpecResult, test *engine.TestResult) {
	if test == nil {
		fmt.Fprintf(a.stderr, "[test] %s (%s)\n", safe(cmp.Or(spec.Tool, "?")), safe(spec.SpecPath))
		if spec.Error != "" {
			fmt.Fprintf(a.stderr, "  %s %s\n", a.paint(red, "✗"), safe(item.FirstLine(spec.Error)))
		}
		return
	}
	name := safe(test.Name)
	switch {
	case test.Skipped:
		fmt.Fprintf(a.stderr, "  %s %s (%s)\n", a.paint(dim, "-"), name, safe(test.Reason))
	case test.Passed:
		fmt.Fprintf(a.stderr, "  %s %s (%dms)\n", a.paint(green, "✓"), name, test.DurationMS)
	default:
		fmt.Fprintf(a.stderr, "  %s %s (%dms) — %s\n", a.paint(red, "✗"), name, test.DurationMS, safe(firstLines(test.Failures())))
	}
}

// firstLines joins messages into one line.
func firstLines(messages []string) string {
	lines := make([]string, len(messages))
	for i, m := range messages {
		lines[i] = item.FirstLine(m)
	}
	return strings.Join(lines, "; ")
}

// showTests repeats what went wrong, with everything that is known about it, and counts.
func (a *app) showTests(report *engine.TestReport) {
	for _, spec := range report.Specs {
		if spec.Error != "" {
			a.line("%s %s", a.paintOut(red, "✗"), safe(spec.SpecPath))
			a.line("%s", below(spec.Error))
			a.showTestHints(spec.Hints)
		}
		if spec.Unverified != "" {
			a.line("%s %s (rye test will not run it)", a.paintOut(yellow, "!"), safe(spec.SpecPath))
			a.line("%s", below(spec.Unverified))
			a.showTestHints(spec.Hints)
		}
		for _, test := range spec.Results {
			if test.Passed || test.Skipped {
				continue
			}
			a.line("%s %s › %s", a.paintOut(red, "✗"), safe(spec.Tool), safe(test.Name))
			for _, failure := range test.Failures() {
				a.line("%s", below(failure))
			}
			if test.Exec.ErrorType != item.TypeTimeout { // whose hint is about rye execute
				a.showTestHints(test.Exec.Hints)
			}
		}
	}
	sum := report.Summary()
	a.line("%s in %d ms", sum, sum.DurationMS)
}

func (a *app) showTestHints(hints []string) {
	for _, hint := range hints {
		a.line("%s", below("hint: "+hint))
	}
}

// below is text under a line that it belongs to.
func below(text string) string { return "    " + strings.ReplaceAll(safeLines(text), "\n", "\n    ") }

// completeTested offers the tools that have tests.
func (a *app) completeTested(_ *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
	eng, err := a.engine()
	if err != nil || len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return fitting(eng.TestedTools(), typed), cobra.ShellCompDirectiveNoFileComp
}
