//go:build !linux

package confine

import (
	"fmt"
	"os"
	"runtime"
)

// Probe tells that there is nothing to confine with on this system.
func Probe() Support { return Support{Without: "not available on " + runtime.GOOS} }

// Main refuses: a program that was to be confined must not run otherwise.
func Main([]string) int {
	fmt.Fprintln(os.Stderr, "rye: a sandbox is", Probe().Without)
	return 126
}
