//go:build !linux

package engine

import (
	"context"
	"os"
	"runtime"

	"github.com/ryeos/rye/pkg/confine"
)

// checkSandbox says that this system has nothing that rye could confine tools with.
func (e *Engine) checkSandbox(context.Context) []Check {
	return []Check{noted("sandbox", "%s (%s/%s)", confine.Probe().Without, runtime.GOOS, runtime.GOARCH)}
}

// writable goes by the mode alone.
func writable(dir string) bool {
	info, err := os.Stat(dir)
	return err == nil && info.Mode().Perm()&0o200 != 0
}

func freeSpace(string) (bytes uint64, known bool) { return 0, false }
