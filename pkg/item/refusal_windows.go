package item

import "syscall"

var refusals = []refusal{
	{syscall.Errno(112), TypeUnavailable, true, "the disk is full, make room"},                  // ERROR_DISK_FULL
	{syscall.Errno(39), TypeUnavailable, true, "the disk is full, make room"},                   // ERROR_HANDLE_DISK_FULL
	{syscall.Errno(4), TypeUnavailable, true, "too many files are open, close another program"}, // ERROR_TOO_MANY_OPEN_FILES
	{syscall.Errno(8), TypeUnavailable, true, "the memory is full, close another program"},      // ERROR_NOT_ENOUGH_MEMORY
	{syscall.Errno(19), TypePermission, false, "the disk is write-protected"},                   // ERROR_WRITE_PROTECT
}
