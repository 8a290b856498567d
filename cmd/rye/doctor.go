package main

import (
	"fmt"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/ryeos/rye/pkg/engine"
)

func newDoctorCommand(a *app) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Check keys, trust, interpreters, sandbox and leftovers, with the command that fixes each",
		Long: `Look at everything that running a tool depends on: spaces, the signing key, key documents that do not count, signatures,
interpreters and what is behind their shims, PATH, what the kernel can confine tools with, the cache, permissions, and
the threads, and what an interrupted run left behind. Nothing is written, except that a thread whose runner vanished is
settled as lost, and nothing is asked of the network.

The exit code is 1 when a check failed; warnings leave it at 0.`,
		Example: "  rye doctor\n  rye doctor --json",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if asJSON {
				a.flags.output = formatJSON
			}
			eng, err := a.engine()
			if err != nil {
				return err
			}
			return a.showDiagnosis(eng.Doctor(cmd.Context()))
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "the same as --output json")
	return cmd
}

func (a *app) showDiagnosis(d *engine.Diagnosis) error {
	if a.format() != formatText {
		if err := a.print(d); err != nil {
			return err
		}
	} else {
		a.showChecks(d)
	}
	if d.Failed > 0 {
		return &silentError{exitFailed}
	}
	return nil
}

func (a *app) showChecks(d *engine.Diagnosis) {
	width := 0
	for _, c := range d.Checks {
		width = max(width, utf8.RuneCountInString(c.Name))
	}
	marks := map[string]string{
		engine.CheckOK: a.paintOut(green, "✓"), engine.CheckInfo: a.paintOut(dim, "·"), engine.CheckWarn: a.paintOut(yellow, "!"),
		engine.CheckFail: a.paintOut(red, "✗"),
	}
	for _, c := range d.Checks {
		a.line("%s %-*s  %s", marks[c.Status], width, c.Name, safe(c.Detail))
		if c.Fix != "" && c.Status != engine.CheckOK {
			a.line("  %-*s  fix: %s", width, "", safe(c.Fix))
		}
	}
	a.note("%s", fmt.Sprintf("%d checks, %d failed, %d warnings", len(d.Checks), d.Failed, d.Warned))
}
