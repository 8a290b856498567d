//go:build !windows

package space

import "syscall"

// errNotDir: a path goes through something that is not a folder.
var errNotDir error = syscall.ENOTDIR

// nonBlocking opens a named pipe without waiting for someone to write to it.
const nonBlocking = syscall.O_NONBLOCK
