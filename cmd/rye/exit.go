package main

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/ryeos/rye/pkg/item"
)

// exitCode is what rye leaves with.
type exitCode = int

// The exit codes (design §5). A tool's own code is in the response; --propagate-exit leaves with it.
const (
	exitOK          exitCode = 0
	exitFailed      exitCode = 1   // the item ran and failed
	exitUsage       exitCode = 2   // bad flag, bad parameter, invalid combination
	exitNotFound    exitCode = 3   // item not found
	exitIntegrity   exitCode = 4   // unsigned, modified, moved, untrusted, bad signature
	exitChain       exitCode = 5   // chain or document invalid
	exitPermission  exitCode = 6   // not permitted
	exitLimit       exitCode = 7   // limit or budget reached
	exitUnavailable exitCode = 8   // a program, server or provider is missing
	exitInternal    exitCode = 70  // a bug
	exitTimeout     exitCode = 124 // timed out
	exitInterrupted exitCode = 130 // interrupted
)

var exitCodes = map[item.ErrorType]exitCode{
	item.TypeFailed: exitFailed, item.TypeUsage: exitUsage, item.TypeNotFound: exitNotFound,
	item.TypeIntegrity: exitIntegrity, item.TypeChain: exitChain, item.TypePermission: exitPermission,
	item.TypeLimit: exitLimit, item.TypeUnavailable: exitUnavailable, item.TypeTimeout: exitTimeout,
	item.TypeInterrupted: exitInterrupted, item.TypeInternal: exitInternal,
}

// exitOf is the code for a response; with propagate the tool's own, if it left with one.
func exitOf(resp *item.Response, propagate bool) exitCode {
	if propagate && resp.Metadata != nil && resp.Metadata.ExitCode != nil && *resp.Metadata.ExitCode >= 0 {
		return *resp.Metadata.ExitCode
	}
	if resp.Failed() {
		return exitCodes[resp.ErrorType]
	}
	return exitOK
}

// silentError says that the command has already reported its failure.
type silentError struct{ code exitCode }

func (e *silentError) Error() string { return fmt.Sprintf("exit %d", e.code) }

// fail reports an error in the chosen format and gives the exit code.
func (a *app) fail(err error) exitCode {
	var silent *silentError
	if errors.As(err, &silent) {
		return silent.code
	}
	if a.format() == formatText || a.print(item.ErrorResponse("", err)) != nil {
		a.printError(err.Error(), item.HintsOf(err))
	}
	return exitCodes[item.TypeOf(err)]
}

// isParserError recognises what cobra and pflag return for a bad command line; their errors have no common type.
func isParserError(err error) bool {
	var known *item.Error
	var syntax *item.SyntaxError
	if err == nil || errors.As(err, &known) || errors.As(err, &syntax) {
		return false
	}
	for _, start := range []string{"unknown command", "unknown flag", "unknown shorthand", "flag needs", "invalid argument", "accepts ", "requires ", "bad flag syntax", "no such flag", "if any flags in the group", "at least one of the flags"} {
		if strings.HasPrefix(err.Error(), start) {
			return true
		}
	}
	return false
}

// printError writes an error for people: what is wrong, then what to type next.
func (a *app) printError(message string, hints []string) {
	fmt.Fprintf(a.stderr, "%s %s\n", a.paint(red, "rye:"), safeLines(message))
	printHints(a.stderr, hints)
}

func printHints(w io.Writer, hints []string) {
	for _, hint := range hints {
		fmt.Fprintf(w, "  hint: %s\n", safeLines(hint))
	}
}

// safeLines is safe for text of several lines.
func safeLines(text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = safe(strings.ReplaceAll(line, "\t", "    "))
	}
	return strings.Join(lines, "\n")
}
