//go:build unix

package item

import "syscall"

var refusals = []refusal{
	{syscall.ENOSPC, TypeUnavailable, true, "the disk is full, make room: df -h"},
	{syscall.EDQUOT, TypeUnavailable, true, "your part of the disk is full, make room: quota -s"},
	{syscall.EMFILE, TypeUnavailable, true, "raise the limit of open files: ulimit -n 1024"},
	{syscall.ENFILE, TypeUnavailable, true, "the whole machine has too many open files, see who: lsof"},
	{syscall.ENOMEM, TypeUnavailable, true, "the memory is full, see who needs it: ps aux --sort -rss"},
	{syscall.EAGAIN, TypeUnavailable, false, "the machine has too many processes, or you have: ulimit -u"},
	{syscall.EIO, TypeUnavailable, false, "check the disk: dmesg"},
	{syscall.EROFS, TypePermission, false, "see how it is mounted: findmnt"},
}
