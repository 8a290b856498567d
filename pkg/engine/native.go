package engine

import (
	"context"
	"io"
	"maps"

	"github.com/ryeos/rye/pkg/builtin"
	"github.com/ryeos/rye/pkg/process"
)

// RunNative runs one of rye's own functions for the native runtime: parameters as JSON from stdin, the result as one
// JSON object to stdout. A function that fails says so in that object.
func (e *Engine) RunNative(ctx context.Context, name string, stdin io.Reader, stdout io.Writer) error {
	functions := builtin.FileSystem()
	maps.Copy(functions, e.processes())
	maps.Copy(functions, e.tests())
	return functions.Run(ctx, name, builtin.Call{Project: e.options.Project}, stdin, stdout)
}

// BecomeReaper makes this process adopt what the tools that it runs leave behind, so that it can be stopped. It is for
// programs that do nothing else than run items.
func BecomeReaper() error { return process.BecomeReaper() }
