package thread

import "golang.org/x/sys/unix"

// hasSharedMemory asks whether the file system is a local disk: only there a mapped file is the same memory for every
// process. What cannot be asked is taken for one.
func hasSharedMemory(dir string) bool {
	var fs unix.Statfs_t
	err := unix.Statfs(dir, &fs)
	return err != nil || fs.Flags&unix.MNT_LOCAL != 0
}
