package space

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"time"
)

// WriteFile replaces the file rel below dir, whole or not at all: the bytes are written beside it, flushed and renamed.
// An existing file keeps its permissions. Symbolic links are followed, but never out of dir.
func WriteFile(dir, rel string, data []byte) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	name, err := resolveLinks(root, filepath.FromSlash(rel))
	if err != nil {
		return err
	}
	mode := fs.FileMode(0o644)
	if info, err := root.Stat(name); err == nil {
		mode = info.Mode().Perm()
	}
	tmp := filepath.Join(filepath.Dir(name), "."+filepath.Base(name)+"."+strconv.FormatInt(time.Now().UnixNano(), 36))
	f, err := root.OpenFile(tmp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err = errors.Join(err, f.Chmod(mode), f.Sync(), f.Close()); err == nil {
		err = root.Rename(tmp, name)
	}
	if err != nil {
		root.Remove(tmp)
	}
	return err
}

// MakeFolder makes the folder rel below dir, with what is missing above it, and never outside of dir.
func MakeFolder(dir, rel string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	return root.MkdirAll(filepath.FromSlash(rel), 0o755)
}

// resolveLinks follows the links of a file's last element, so that renaming replaces the file and not the link to it.
func resolveLinks(root *os.Root, name string) (string, error) {
	const most = 16
	for range most {
		info, err := root.Lstat(name)
		if errors.Is(err, fs.ErrNotExist) || err == nil && info.Mode()&fs.ModeSymlink == 0 {
			return name, nil
		}
		if err != nil {
			return "", err
		}
		link, err := root.Readlink(name)
		if err != nil {
			return "", err
		}
		if filepath.IsAbs(link) {
			return "", &fs.PathError{Op: "write", Path: name, Err: errors.New("is an absolute symbolic link")}
		}
		name = filepath.Join(filepath.Dir(name), link)
	}
	return "", &fs.PathError{Op: "write", Path: name, Err: errors.New("too many symbolic links")}
}

// RemoveBelow deletes the file rel below a folder. Links to folders cannot lead out of it.
func RemoveBelow(dir, rel string) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	return root.Remove(filepath.FromSlash(rel))
}
