package keeper

import (
	"net"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

func (f *folder) path(name string) string { return filepath.Join(f.dir, name) }

// peerOf is who listens at, or has connected from, the other end.
func peerOf(conn *net.UnixConn) (uid, pid int, err error) {
	raw, err := conn.SyscallConn()
	if err != nil {
		return 0, 0, err
	}
	control := raw.Control(func(fd uintptr) {
		var peer *unix.Xucred
		if peer, err = unix.GetsockoptXucred(int(fd), unix.SOL_LOCAL, unix.LOCAL_PEERCRED); err != nil {
			return
		}
		uid = int(peer.Uid)
		pid, err = unix.GetsockoptInt(int(fd), unix.SOL_LOCAL, unix.LOCAL_PEERPID)
	})
	if control != nil {
		err = control
	}
	return uid, pid, err
}

func rights() string { return "" }

func redirect(from, to *os.File) error { return unix.Dup2(int(from.Fd()), int(to.Fd())) }
