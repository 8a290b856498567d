//go:build amd64 || arm64

package confine

import (
	"testing"

	"golang.org/x/sys/unix"
)

// judge runs the filter as the kernel does.
func judge(t *testing.T, p program, number, arch uint32, args ...uint64) uint32 {
	t.Helper()
	data := map[uint32]uint32{numberAt: number, archAt: arch}
	for i, arg := range args {
		data[argumentAt+8*uint32(i)] = uint32(arg)
	}
	var a uint32
	for pc := 0; pc < len(p); pc++ {
		in := p[pc]
		var holds bool
		switch in.Code {
		case unix.BPF_LD | unix.BPF_W | unix.BPF_ABS:
			a = data[in.K]
			continue
		case unix.BPF_RET | unix.BPF_K:
			return in.K
		case unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K:
			holds = a == in.K
		case unix.BPF_JMP | unix.BPF_JGE | unix.BPF_K:
			holds = a >= in.K
		case unix.BPF_JMP | unix.BPF_JSET | unix.BPF_K:
			holds = a&in.K != 0
		default:
			t.Fatalf("instruction %d: %+v", pc, in)
		}
		if holds {
			pc += int(in.Jt)
		} else {
			pc += int(in.Jf)
		}
	}
	t.Fatal("the filter does not decide")
	return 0
}

func TestFilter(t *testing.T) {
	const allow = unix.SECCOMP_RET_ALLOW
	refuse := func(errno unix.Errno) uint32 { return unix.SECCOMP_RET_ERRNO | uint32(errno) }
	for _, c := range []struct {
		name   string
		net    bool
		number uint32
		args   []uint64
		want   uint32
	}{
		{"read", false, unix.SYS_READ, nil, allow},
		{"execve", false, unix.SYS_EXECVE, nil, allow},
		{"socket", false, unix.SYS_SOCKET, []uint64{unix.AF_INET}, refuse(unix.EACCES)},
		{"socket with network", true, unix.SYS_SOCKET, []uint64{unix.AF_INET}, allow},
		{"socketpair", false, unix.SYS_SOCKETPAIR, []uint64{unix.AF_UNIX}, allow},
		{"ptrace", true, unix.SYS_PTRACE, nil, refuse(unix.EPERM)},
		{"the last of the list", true, unix.SYS_DELETE_MODULE, nil, refuse(unix.EPERM)},
		{"clone3", true, unix.SYS_CLONE3, nil, refuse(unix.ENOSYS)},
		{"TIOCSTI", true, unix.SYS_IOCTL, []uint64{0, unix.TIOCSTI}, refuse(unix.EPERM)},
		{"TIOCSTI with high bits", true, unix.SYS_IOCTL, []uint64{0, 1<<40 | unix.TIOCSTI}, refuse(unix.EPERM)},
		{"TIOCLINUX", true, unix.SYS_IOCTL, []uint64{0, unix.TIOCLINUX}, refuse(unix.EPERM)},
		{"TCGETS", true, unix.SYS_IOCTL, []uint64{0, unix.TCGETS}, allow},
		{"fork", true, unix.SYS_CLONE, []uint64{uint64(unix.SIGCHLD)}, allow},
		{"thread", true, unix.SYS_CLONE, []uint64{unix.CLONE_VM | unix.CLONE_THREAD | unix.CLONE_SIGHAND}, allow},
		{"clone into a namespace", true, unix.SYS_CLONE, []uint64{unix.CLONE_NEWUSER | uint64(unix.SIGCHLD)}, refuse(unix.EPERM)},
		{"unshare", true, unix.SYS_UNSHARE, []uint64{unix.CLONE_NEWNET}, refuse(unix.EPERM)},
		{"unshare files", true, unix.SYS_UNSHARE, []uint64{unix.CLONE_FILES}, allow},
	} {
		if got := judge(t, filter(c.net), c.number, auditArch, c.args...); got != c.want {
			t.Errorf("%s: got %#x, want %#x", c.name, got, c.want)
		}
	}
	if got := judge(t, filter(true), unix.SYS_READ, auditArch^1); got != unix.SECCOMP_RET_KILL_PROCESS {
		t.Errorf("another architecture: %#x", got)
	}
	if otherNumbers != 0 {
		if got := judge(t, filter(true), otherNumbers|unix.SYS_READ, auditArch); got != refuse(unix.ENOSYS) {
			t.Errorf("x32: %#x", got)
		}
	}
}
