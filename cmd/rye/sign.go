package main

import (
	"fmt"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/ryeos/rye/pkg/engine"
	"github.com/ryeos/rye/pkg/item"
	"github.com/ryeos/rye/pkg/space"
)

func newSignCommand(a *app) *cobra.Command {
	var req engine.SignRequest
	var source string
	cmd := &cobra.Command{
		Use:   "sign [REF|GLOB|PATH …]",
		Short: "Validate items and sign them",
		Long: `Sign items with your key. Each item's metadata is validated first and every problem is reported; items that are not
sound are not signed. A pattern is a reference (tool:my/x), a glob over ids ('tool:my/*', '*') or the path of a file or
folder. A file in the tools folder that declares no executor is a dependency: it is signed for being loaded, and can
never be executed. The specs of tests, .ai/tests/**/*.test.yaml, are named by their path.

--all signs every item and test of the space, and every dependency that running its tools would verify. Files in
config/keys are never reached by globs or --all.`,
		Example: `  rye sign tool:my/greet
  rye sign 'tool:my/*'
  rye sign .ai/tools/my/lib/helper.py
  rye sign --all
  rye sign --all --check`,
		ValidArgsFunction: a.completeRefs(item.Kinds()...),
		RunE: func(_ *cobra.Command, args []string) error {
			req.Patterns, req.Source = args, space.Label(source)
			return runSign(a, req)
		},
	}
	cmd.Flags().BoolVar(&req.All, "all", false, "every item, test and dependency of the space")
	cmd.Flags().BoolVar(&req.Check, "check", false, "only say what is unsigned or unsound; write nothing")
	cmd.Flags().BoolVar(&req.Force, "force", false, "sign again what is already signed by your key")
	cmd.Flags().StringVar(&source, "source", "project", "`space` to sign in: project or user")
	completeValues(cmd, "source", "project", "user")
	return cmd
}

func runSign(a *app, req engine.SignRequest) error {
	switch {
	case !req.All && len(req.Patterns) == 0:
		return item.Usagef("sign needs a reference, a glob, a path or --all").Hint("rye sign --all")
	case req.All && len(req.Patterns) > 0:
		return item.Usagef("--all and patterns exclude each other")
	case req.Source != space.Project && req.Source != space.User && req.Source != space.System:
		return item.Usagef("unknown space %s: use project or user", item.Quote(string(req.Source)))
	}
	eng, err := a.engine()
	if err != nil {
		return err
	}
	progress := a.progress("signing")
	req.Progress = progress.report
	report, err := eng.Sign(req)
	progress.done()
	if err != nil {
		return err
	}
	return a.finishReport(report)
}

func newVerifyCommand(a *app) *cobra.Command {
	var req engine.VerifyRequest
	cmd := &cobra.Command{
		Use:   "verify [REF|GLOB|PATH …]",
		Short: "Verify signatures without running anything",
		Long: `Verify the signatures of items, of tests, and of the dependencies that running items would verify: those named, by default
the project's, with --all those of every space. The exit code is 4 when anything is unsigned, changed, moved or signed by
a key that is not trusted. Key documents in project space that do not count are listed.`,
		Example: `  rye verify
  rye verify --all
  rye verify tool:my/greet`,
		ValidArgsFunction: a.completeRefs(item.Kinds()...),
		RunE: func(_ *cobra.Command, args []string) error {
			req.Patterns = args
			return runVerify(a, req)
		},
	}
	cmd.Flags().BoolVar(&req.All, "all", false, "every space, the system's included")
	return cmd
}

func runVerify(a *app, req engine.VerifyRequest) error {
	eng, err := a.engine()
	if err != nil {
		return err
	}
	progress := a.progress("verifying")
	req.Progress = progress.report
	report, err := eng.Verify(req)
	progress.done()
	if err != nil {
		return err
	}
	return a.finishReport(report)
}

// finishReport shows what happened to each file and leaves with the code of the first failure.
func (a *app) finishReport(report *engine.Report) error {
	if a.format() != formatText {
		if err := a.print(report); err != nil {
			return err
		}
	} else {
		a.showReport(report)
	}
	for _, r := range report.Results {
		if r.ErrorType != "" {
			return &silentError{exitCodes[r.ErrorType]}
		}
	}
	return nil
}

func (a *app) showReport(report *engine.Report) {
	for _, r := range report.Results {
		switch r.State {
		case engine.StateFailed, engine.StateNeedsSign:
			a.line("%s %s", a.paintOut(red, "✗"), safe(r.ItemID))
			fmt.Fprintf(a.stderr, "%s\n", safeLines(r.Error))
		case engine.StateUnchanged:
			if a.flags.verbose || len(report.Results) == 1 {
				a.line("%s %s (already signed)", a.paintOut(dim, "="), safe(r.ItemID))
			}
		case engine.StateWaived:
			a.line("%s %s (waived by dev mode)", a.paintOut(yellow, "!"), safe(r.ItemID))
		default:
			if a.flags.verbose || len(report.Results) <= 20 || len(r.Issues) > 0 {
				a.line("%s %s", a.paintOut(green, "✓"), safe(r.ItemID))
			}
		}
		for _, issue := range r.Issues {
			fmt.Fprintf(a.stderr, "  %s\n", safeLines(issue))
		}
		for _, warning := range r.Warnings {
			a.warn(safeLines(warning))
		}
		printHints(a.stderr, r.Hints)
	}
	for _, k := range report.Ignored {
		a.warn(fmt.Sprintf("key document ignored: %s: %s (try: %s)", safe(k.Path), safe(k.Reason), safe(k.Hint)))
	}
	if report.Total == 0 {
		a.note("no items found (project folder: %s)", safe(a.eng.Project()))
		return
	}
	a.note("%s", report.Summary)
}

// meter redraws one line on a terminal while many files are worked on; elsewhere it is silent.
type meter struct {
	app   *app
	verb  string
	mu    sync.Mutex
	shown time.Time
	drawn bool
}

// progressFrom is the number of files from which progress is worth showing.
const progressFrom = 50

func (a *app) progress(verb string) *meter { return &meter{app: a, verb: verb, shown: time.Now()} }

func (m *meter) report(done, total int) {
	if total < progressFrom || m.app.flags.quiet || !isTerminal(m.app.stderr) {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if now := time.Now(); now.Sub(m.shown) > 100*time.Millisecond {
		m.shown, m.drawn = now, true
		fmt.Fprintf(m.app.stderr, "\r%s %d/%d", m.verb, done, total)
	}
}

func (m *meter) done() {
	if m.drawn {
		fmt.Fprint(m.app.stderr, "\r\x1b[K")
	}
}
