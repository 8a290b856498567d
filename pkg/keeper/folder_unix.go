//go:build linux || darwin

package keeper

import (
	"fmt"
	"io/fs"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// folder is a folder that the user alone can enter.
type folder struct {
	*os.File
	dir string
}

// openFolder checks the folder that it has opened, not the one that has the name a moment later.
func openFolder(dir string) (*folder, error) {
	file, err := os.OpenFile(dir, os.O_RDONLY|unix.O_DIRECTORY|unix.O_NOFOLLOW, 0)
	if err != nil {
		return nil, err
	}
	info, err := file.Stat()
	if err == nil {
		err = checkFolder(info, os.Geteuid())
	}
	if err != nil {
		file.Close()
		return nil, err
	}
	return &folder{file, dir}, nil
}

// checkFolder takes the user as an argument for its tests.
func checkFolder(info fs.FileInfo, me int) error {
	switch uid, known := ownerOf(info); {
	case !known || uid != me:
		return fmt.Errorf("the folder %s belongs to another user", info.Name())
	case info.Mode().Perm() != 0o700:
		return fmt.Errorf("the folder %s has the mode %#o, not 0700", info.Name(), info.Mode().Perm())
	}
	return nil
}

func ownerOf(info fs.FileInfo) (uid int, known bool) {
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, false
	}
	return int(stat.Uid), true
}

func (f *folder) openLock() (*os.File, error) {
	return os.OpenFile(f.path("lock"), os.O_RDWR|os.O_CREATE|unix.O_NOFOLLOW, 0o600)
}

func duplicate(file *os.File) (*os.File, error) {
	fd, err := unix.FcntlInt(file.Fd(), unix.F_DUPFD_CLOEXEC, 3)
	if err != nil {
		return nil, err
	}
	return os.NewFile(uintptr(fd), file.Name()), nil
}
