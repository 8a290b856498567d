//go:build !windows

package space

import "syscall"

// errNotDir: a path goes through something that is not a folder.
var errNotDir error = syscall.ENOTDIR
