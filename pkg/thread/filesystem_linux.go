package thread

import "golang.org/x/sys/unix"

// Magic numbers that golang.org/x/sys/unix does not name.
const (
	virtualBoxFS = 0x786f4256
	vmwareFS     = 0xbacbacbc
	lustreFS     = 0x0bd00bd0
	gpfsFS       = 0x47504653
)

// hasSharedMemory tells file systems whose mapped files are the same memory for every process from those where they are
// copies: networks, and folders that a virtual machine shares with its host (virtiofs reports itself as FUSE). There a
// write-ahead log is lost or damaged without an error. What cannot be asked is taken for a disk.
func hasSharedMemory(dir string) bool {
	var fs unix.Statfs_t
	if err := unix.Statfs(dir, &fs); err != nil {
		return true
	}
	switch uint32(fs.Type) {
	case unix.NFS_SUPER_MAGIC, unix.CIFS_SUPER_MAGIC, unix.SMB_SUPER_MAGIC, unix.SMB2_SUPER_MAGIC, unix.AFS_SUPER_MAGIC,
		unix.AFS_FS_MAGIC, unix.CODA_SUPER_MAGIC, unix.CEPH_SUPER_MAGIC, unix.OCFS2_SUPER_MAGIC, unix.NCP_SUPER_MAGIC,
		unix.V9FS_MAGIC, unix.FUSE_SUPER_MAGIC, virtualBoxFS, vmwareFS, lustreFS, gpfsFS:
		return false
	}
	return true
}
