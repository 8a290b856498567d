//go:build !failpoint

package failpoint

// At does nothing in this build.
func At(name string) {}
