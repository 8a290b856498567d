package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/ryeos/rye/pkg/process"
)

// LilluxCommand is a program for lillux, the process manager of RYE OS that rye also is (docs/lillux.md). It has the
// environment of this process.
type LilluxCommand struct {
	Program string // a name to look up in PATH, or a path; a relative one counts from Dir
	Args    []string
	Dir     string
	Env     []string // "K=V" to set; what has no = is ignored
	Stdin   []byte   // none is the null device
}

// LilluxResult is how a program ended.
type LilluxResult struct {
	DurationMS int64  `json:"duration_ms"`
	ReturnCode int    `json:"return_code"`
	Stderr     string `json:"stderr"`
	Stdout     string `json:"stdout"`
	Success    bool   `json:"success"`
}

// LilluxRun runs a program to its end, or to that of the timeout or the context, and ends what it leaves running.
func LilluxRun(ctx context.Context, c LilluxCommand, timeout time.Duration) LilluxResult {
	began := time.Now()
	spec, err := c.spec(timeout)
	var res process.Result
	if err == nil {
		res, err = process.Run(ctx, spec)
	}
	out := LilluxResult{ReturnCode: res.ExitCode, Stdout: res.Stdout.String(), Stderr: res.Stderr.String()}
	switch {
	case err != nil:
		out.ReturnCode, out.Stderr = -1, "Failed to spawn: "+osText(err)
	case res.TimedOut:
		out.ReturnCode, out.Stderr = -1, timedOut(timeout)+"\n"+out.Stderr
	case res.Cancelled != nil:
		out.ReturnCode, out.Stderr = -1, "Command interrupted\n"+out.Stderr
	}
	out.DurationMS, out.Success = time.Since(began).Milliseconds(), out.ReturnCode == 0
	return out
}

// Exit codes of LilluxStream that are not the program's.
const (
	lilluxSignalled = 1
	lilluxTimedOut  = 124
	lilluxNotRun    = 125
)

// LilluxStream runs a program whose output is passed on as it comes, and returns the code to leave with.
func LilluxStream(ctx context.Context, c LilluxCommand, timeout time.Duration, stdout, stderr io.Writer) int {
	c.Env = append(c.Env[:len(c.Env):len(c.Env)], "PYTHONUNBUFFERED=1") // else Python's output comes at its end
	spec, err := c.spec(timeout)
	var res process.Result
	if err == nil {
		spec.Stdout, spec.Stderr, spec.Limit = stdout, stderr, 1 // what was passed on is not kept
		res, err = process.Run(ctx, spec)
	}
	switch {
	case err != nil:
		fmt.Fprintln(stderr, "Failed to spawn: "+osText(err))
		return lilluxNotRun
	case res.TimedOut:
		fmt.Fprintln(stderr, timedOut(timeout))
		return lilluxTimedOut
	case res.Cancelled != nil:
		fmt.Fprintln(stderr, "Command interrupted: "+res.Cancelled.Error())
		return lilluxNotRun
	case res.ExitCode < 0:
		return lilluxSignalled
	}
	return res.ExitCode
}

func (c LilluxCommand) spec(timeout time.Duration) (process.Spec, error) {
	env := c.environ()
	program, err := c.find(env)
	return process.Spec{
		Path: program, Argv: append([]string{c.Program}, c.Args...), Env: env, Dir: c.Dir, Stdin: c.Stdin,
		Timeout: max(timeout, 1), // no time at all is not the same as no limit
	}, err
}

// environ is this process's environment with Env in it; of a name that comes twice the last value counts.
func (c LilluxCommand) environ() []string {
	env := os.Environ()
	for _, kv := range c.Env {
		name, _, ok := strings.Cut(kv, "=")
		if !ok || name == "" {
			continue
		}
		env = append(unset(env, name), kv)
	}
	return env
}

func unset(env []string, name string) []string {
	kept := env[:0]
	for _, kv := range env {
		if !strings.HasPrefix(kv, name+"=") {
			kept = append(kept, kv)
		}
	}
	return kept
}

// find gives the absolute path of the program.
func (c LilluxCommand) find(env []string) (string, error) {
	name := c.Program
	if strings.ContainsAny(name, `/`+string(os.PathSeparator)) && !filepath.IsAbs(name) {
		var err error
		if name, err = filepath.Abs(filepath.Join(c.Dir, name)); err != nil {
			return "", err
		}
	}
	path := ""
	for _, kv := range env {
		if value, ok := strings.CutPrefix(kv, "PATH="); ok {
			path = value
		}
	}
	return process.Lookup(name, cmp.Or(path, os.Getenv("PATH")), nil)
}

func timedOut(timeout time.Duration) string {
	return "Command timed out after " + strconv.FormatFloat(timeout.Seconds(), 'f', -1, 64) + " seconds"
}

// osText says what the operating system said, in the words that callers of lillux look for.
func osText(err error) string {
	var number syscall.Errno
	switch {
	case errors.As(err, &number):
		text := number.Error()
		return strings.ToUpper(text[:1]) + text[1:] + " (os error " + strconv.Itoa(int(number)) + ")"
	case errors.Is(err, fs.ErrNotExist):
		return "No such file or directory (os error 2)"
	case errors.Is(err, fs.ErrPermission):
		return "Permission denied (os error 13)"
	}
	return err.Error()
}
