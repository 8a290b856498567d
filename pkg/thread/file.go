package thread

import (
	"errors"
	"io/fs"
	"os"

	"github.com/ryeos/rye/pkg/item"
)

// openFile opens a file in a thread's folder. A project may come with anything in its folders, so what is no regular file
// is refused, and so is a way to it that leaves the folder of the registry.
func (s *Store) openFile(id, name string, flags int) (*os.File, error) {
	root, err := os.OpenRoot(s.dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	path := id + "/" + name
	before, err := root.Lstat(path)
	if err != nil {
		return nil, err
	}
	if !before.Mode().IsRegular() {
		return nil, s.refuse(id, name, "is no regular file")
	}
	file, err := root.OpenFile(path, flags|neverWait, 0)
	if err != nil {
		return nil, err
	}
	now, err := file.Stat()
	if err == nil && !os.SameFile(before, now) {
		err = s.refuse(id, name, "was replaced while it was opened")
	}
	if err != nil {
		file.Close()
		return nil, err
	}
	return file, nil
}

// appendFile makes a file in a thread's folder, or opens it at its end: a thread that was suspended goes on in its files.
func (s *Store) appendFile(id, name string) (*os.File, int64, error) {
	root, err := os.OpenRoot(s.dir)
	if err != nil {
		return nil, 0, err
	}
	defer root.Close()
	file, err := root.OpenFile(id+"/"+name, os.O_RDWR|os.O_APPEND|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		file, err = s.openFile(id, name, os.O_RDWR|os.O_APPEND)
	}
	if err != nil {
		return nil, 0, err
	}
	info, err := file.Stat()
	if err == nil && names(info) > 1 {
		err = s.refuse(id, name, "has another name elsewhere")
	}
	if err != nil {
		file.Close()
		return nil, 0, err
	}
	return file, info.Size(), nil
}

func (s *Store) refuse(id, name, why string) error {
	return item.Errorf(item.TypePermission, "%s in the folder of thread %s %s", name, id, why).Hint("remove it: rm %s/%s", s.Dir(id), name)
}
