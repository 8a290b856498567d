package confine

import (
	"fmt"
	"slices"
	"unsafe"

	"golang.org/x/sys/unix"
)

// denied are system calls that no tool needs and that look into other processes, change what is mounted, load code into
// the kernel or open its least tested doors.
var denied = []uint32{
	unix.SYS_PTRACE, unix.SYS_PROCESS_VM_READV, unix.SYS_PROCESS_VM_WRITEV, unix.SYS_KCMP, unix.SYS_PIDFD_GETFD,
	unix.SYS_BPF, unix.SYS_PERF_EVENT_OPEN, unix.SYS_USERFAULTFD, unix.SYS_KEYCTL, unix.SYS_ADD_KEY, unix.SYS_REQUEST_KEY,
	unix.SYS_MOUNT, unix.SYS_UMOUNT2, unix.SYS_PIVOT_ROOT, unix.SYS_MOVE_MOUNT, unix.SYS_OPEN_TREE, unix.SYS_FSOPEN,
	unix.SYS_FSCONFIG, unix.SYS_FSMOUNT, unix.SYS_FSPICK, unix.SYS_MOUNT_SETATTR, unix.SYS_OPEN_BY_HANDLE_AT,
	unix.SYS_SETNS, unix.SYS_SWAPON, unix.SYS_SWAPOFF, unix.SYS_REBOOT,
	unix.SYS_KEXEC_LOAD, unix.SYS_KEXEC_FILE_LOAD, unix.SYS_INIT_MODULE, unix.SYS_FINIT_MODULE, unix.SYS_DELETE_MODULE,
}

// absent are system calls whose arguments a filter cannot see. Callers take "no such call" as an old kernel and use
// another: threads clone, event loops epoll.
var absent = []uint32{unix.SYS_CLONE3, unix.SYS_IO_URING_SETUP, unix.SYS_IO_URING_ENTER, unix.SYS_IO_URING_REGISTER}

// newNamespaces are the flags of clone and unshare that leave the namespaces of this process.
const newNamespaces = unix.CLONE_NEWUSER | unix.CLONE_NEWNS | unix.CLONE_NEWNET | unix.CLONE_NEWPID | unix.CLONE_NEWIPC |
	unix.CLONE_NEWUTS | unix.CLONE_NEWCGROUP | unix.CLONE_NEWTIME

// Offsets in what a filter sees, struct seccomp_data. Of an argument it is the low half: the kernel takes these
// arguments as 32 bits.
const (
	numberAt   = 0
	archAt     = 4
	argumentAt = 16
)

// program is a seccomp filter in the making.
type program []unix.SockFilter

func (p *program) load(offset uint32) {
	*p = append(*p, unix.SockFilter{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: offset})
}

// unless jumps over the next n instructions if the comparison with k fails.
func (p *program) unless(comparison uint16, k uint32, n int) {
	*p = append(*p, unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_K | comparison, K: k, Jf: uint8(n)})
}

func (p *program) leave(action uint32) {
	*p = append(*p, unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: action})
}

func (p *program) deny(number uint32, errno unix.Errno) {
	p.unless(unix.BPF_JEQ, number, 1)
	p.leave(unix.SECCOMP_RET_ERRNO | uint32(errno))
}

// denyArgument denies a call if one of its arguments compares with any of the values, and allows it otherwise.
func (p *program) denyArgument(number uint32, argument int, comparison uint16, errno unix.Errno, values ...uint32) {
	p.unless(unix.BPF_JEQ, number, 2+2*len(values))
	p.load(argumentAt + 8*uint32(argument))
	for _, v := range values {
		p.unless(comparison, v, 1)
		p.leave(unix.SECCOMP_RET_ERRNO | uint32(errno))
	}
	p.leave(unix.SECCOMP_RET_ALLOW)
}

// filter is the program for this machine.
func filter(net bool) program {
	var p program
	p.load(archAt)
	p = append(p, unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, K: auditArch, Jt: 1})
	p.leave(unix.SECCOMP_RET_KILL_PROCESS) // numbers of another architecture mean other calls
	p.load(numberAt)
	if otherNumbers != 0 {
		p.unless(unix.BPF_JGE, otherNumbers, 1)
		p.leave(unix.SECCOMP_RET_ERRNO | uint32(unix.ENOSYS))
	}
	for _, number := range slices.Concat(denied, deniedHere) {
		p.deny(number, unix.EPERM)
	}
	for _, number := range absent {
		p.deny(number, unix.ENOSYS)
	}
	if !net {
		// Sockets in the file system lead out, too: to the ssh agent, the session bus, a container daemon. Pairs lead nowhere.
		p.deny(unix.SYS_SOCKET, unix.EACCES)
	}
	p.denyArgument(unix.SYS_IOCTL, 1, unix.BPF_JEQ, unix.EPERM, unix.TIOCSTI, unix.TIOCLINUX)
	p.denyArgument(unix.SYS_CLONE, 0, unix.BPF_JSET, unix.EPERM, newNamespaces)
	p.denyArgument(unix.SYS_UNSHARE, 0, unix.BPF_JSET, unix.EPERM, newNamespaces)
	p.leave(unix.SECCOMP_RET_ALLOW)
	return p
}

// seccompAvailable tells whether the kernel takes filters and there is one for this machine.
func seccompAvailable() bool {
	action := uint32(unix.SECCOMP_RET_KILL_PROCESS)
	_, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_GET_ACTION_AVAIL, 0, uintptr(unsafe.Pointer(&action)))
	return errno == 0 && auditArch != 0
}

// seccomp applies the filter to this thread and all that it starts; no_new_privs must be set.
func seccomp(net bool) error {
	p := filter(net)
	prog := unix.SockFprog{Len: uint16(len(p)), Filter: &p[0]}
	_, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, 0, uintptr(unsafe.Pointer(&prog)))
	if errno != 0 {
		return fmt.Errorf("seccomp: %w", errno)
	}
	return nil
}
