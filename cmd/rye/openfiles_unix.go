//go:build unix

package main

import (
	"golang.org/x/sys/unix"

	"github.com/ryeos/rye/pkg/item"
)

// leastFiles is how many files a program must be allowed to have open for rye to do all that it can. Go itself gives up
// with a stack trace when it needs a descriptor and gets none, so this is asked before anything is opened.
const leastFiles = 32

func checkOpenFiles() error {
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &limit); err != nil || limit.Cur >= leastFiles {
		return nil
	}
	return item.Errorf(item.TypeUnavailable, "rye needs %d open files, and the limit is %d", leastFiles, limit.Cur).Hint("ulimit -n 1024")
}
