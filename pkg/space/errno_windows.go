package space

import "syscall"

// errNotDir: a path goes through something that is not a folder.
var errNotDir error = syscall.ERROR_PATH_NOT_FOUND

// nonBlocking is nothing here: named pipes are not files.
const nonBlocking = 0
