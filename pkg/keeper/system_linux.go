package keeper

import (
	"fmt"
	"net"
	"os"

	"golang.org/x/sys/unix"
)

// path is a name in the folder that is open, however long the folder's own name is: that of a socket may have 107 bytes.
func (f *folder) path(name string) string { return fmt.Sprintf("/proc/self/fd/%d/%s", f.Fd(), name) }

// peerOf is who listens at, or has connected from, the other end.
func peerOf(conn *net.UnixConn) (uid, pid int, err error) {
	raw, err := conn.SyscallConn()
	if err != nil {
		return 0, 0, err
	}
	var peer *unix.Ucred
	control := raw.Control(func(fd uintptr) { peer, err = unix.GetsockoptUcred(int(fd), unix.SOL_SOCKET, unix.SO_PEERCRED) })
	if control != nil {
		return 0, 0, control
	}
	if err != nil {
		return 0, 0, err
	}
	return int(peer.Uid), int(peer.Pid), nil
}

// rights tells processes that have given up rights from those that have not.
func rights() string {
	var seccomp, privileges int
	seccomp, _ = unix.PrctlRetInt(unix.PR_GET_SECCOMP, 0, 0, 0, 0)
	privileges, _ = unix.PrctlRetInt(unix.PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0)
	return fmt.Sprint(seccomp, privileges)
}

func redirect(from, to *os.File) error { return unix.Dup3(int(from.Fd()), int(to.Fd()), 0) }
