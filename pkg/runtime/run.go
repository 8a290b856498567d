package runtime

import (
	"context"
	"errors"
	"io"
	"io/fs"

	"github.com/ryeos/rye/pkg/item"
	"github.com/ryeos/rye/pkg/process"
)

// Run executes the plan: the primitive of every chain. live copies, which may be nil, receive the streams byte for byte
// as they come.
func (p *Plan) Run(ctx context.Context, stdout, stderr io.Writer) (process.Result, error) {
	spec := process.Spec{
		Path: p.Program, Argv: p.Argv, Env: p.Env.List(), Dir: p.Cwd, Stdin: p.Stdin,
		Stdout: stdout, Stderr: stderr, Limit: p.MaxOutput, Timeout: p.Timeout, Grace: p.Grace, Spare: p.binary,
	}
	if p.Sandbox != nil {
		defer p.Sandbox.leave()
		if err := p.Sandbox.enter(p, &spec); err != nil {
			return process.Result{}, err
		}
	}
	warm := p.starter(ctx)
	if warm != nil {
		spec.Starter = warm
	}
	result, err := process.Run(ctx, spec)
	if cause := context.Cause(ctx); err != nil && cause != nil {
		return result, cutShort(cause) // before it had started
	}
	if err != nil {
		return result, startError(p, err)
	}
	if warm != nil && warm.lost != nil && !result.TimedOut && result.Cancelled == nil {
		return result, lostInterpreter(p, warm.lost)
	}
	if p.Sandbox != nil {
		err = p.Sandbox.settle(result)
	}
	return result, err
}

func startError(p *Plan, err error) error {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return item.Errorf(item.TypeUnavailable, "cannot start %s in %s: %w", p.Program, p.Cwd, err)
	case errors.Is(err, fs.ErrPermission):
		return item.Errorf(item.TypeUnavailable, "cannot start %s: %w", p.Program, err).Hint("chmod +x %s", p.Program)
	}
	return item.Errorf(item.TypeInternal, "cannot start %s: %w", p.Program, err)
}
