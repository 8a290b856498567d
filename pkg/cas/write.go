package cas

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
)

// write makes a file appear with all its content on disk. Of several that write the same content, the last one's file
// stays, which is no other.
func write(path string, data []byte) error {
	dir := filepath.Dir(path)
	if err := makeFolder(dir); err != nil {
		return err
	}
	temp, err := os.CreateTemp(dir, ".tmp.*")
	if err != nil {
		return err
	}
	defer os.Remove(temp.Name()) // it is gone if all went well
	_, err = temp.Write(data)
	if err := errors.Join(err, temp.Sync(), temp.Close()); err != nil {
		return err
	}
	if err := os.Rename(temp.Name(), path); err != nil {
		return err
	}
	return syncFolder(dir)
}

// makeFolder makes what is missing of a folder so that it survives a loss of power, which os.MkdirAll does not promise.
func makeFolder(dir string) error {
	info, err := os.Stat(dir)
	switch {
	case err == nil && !info.IsDir():
		return &fs.PathError{Op: "mkdir", Path: dir, Err: syscall.ENOTDIR}
	case err == nil || !errors.Is(err, fs.ErrNotExist):
		return err
	}
	parent := filepath.Dir(dir)
	if err := makeFolder(parent); err != nil {
		return err
	}
	if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return syncFolder(parent)
}

// syncFolder makes new names in a folder durable. Windows cannot open folders for that.
func syncFolder(dir string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	handle, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(handle.Sync(), handle.Close())
}
