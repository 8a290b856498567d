package space

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/ryeos/rye/pkg/item"
	"github.com/ryeos/rye/pkg/owner"
)

// maxItemSize bounds one item or dependency, in bytes, so that a hostile folder cannot fill the memory.
const maxItemSize = 64 << 20

// ReadFile reads a regular file below `.ai`, up to 64 MiB.
func (s *Space) ReadFile(rel string) ([]byte, error) {
	f, info, err := s.openFile(rel)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return readRegular(f, info, s.Display(rel))
}

// ReadHead reads up to size bytes from the start of a regular file below `.ai`, however large it is.
func (s *Space) ReadHead(rel string, size int64) ([]byte, error) {
	f, info, err := s.openFile(rel)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if !info.Mode().IsRegular() {
		return nil, item.Usagef("%s is not a regular file", s.Display(rel))
	}
	return readAll(io.LimitReader(f, size), make([]byte, 0, min(info.Size(), size)+1))
}

// openFile opens what is below `.ai`, unless other users of the machine can change it.
func (s *Space) openFile(rel string) (fs.File, fs.FileInfo, error) {
	fsys, root, err := s.open()
	if err != nil {
		return nil, nil, err
	}
	var f fs.File
	if root != nil {
		f, err = root.OpenFile(rel, os.O_RDONLY|nonBlocking, 0)
	} else {
		f, err = fsys.Open(rel)
	}
	if err != nil {
		return nil, nil, s.readError(rel, err)
	}
	info, err := f.Stat()
	if err != nil {
		err = s.readError(rel, err)
	} else if err = s.refuseExposed(rel, info); err == nil && root != nil {
		err = s.refuseExposedFolders(root, rel)
	}
	if err != nil {
		f.Close()
		return nil, nil, err
	}
	return f, info, nil
}

// has reports whether there is anything of that name, a link included.
func (s *Space) has(rel string) bool {
	fsys, root, err := s.open()
	if err != nil {
		return true // reading will say what is wrong
	}
	if root != nil {
		_, err = root.Lstat(rel)
	} else {
		_, err = fs.Stat(fsys, rel)
	}
	return !errors.Is(err, fs.ErrNotExist)
}

// ReadBelow reads a regular file below a folder, up to 64 MiB. Links cannot lead out of the folder.
func ReadBelow(dir, rel string) ([]byte, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	f, err := root.OpenFile(filepath.FromSlash(rel), os.O_RDONLY|nonBlocking, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	return readRegular(f, info, filepath.Join(dir, filepath.FromSlash(rel)))
}

// readRegular reads an opened file whole. What is not a file, and what is too large, is not read at all.
func readRegular(f fs.File, info fs.FileInfo, display string) ([]byte, error) {
	if !info.Mode().IsRegular() {
		return nil, item.Usagef("%s is not a regular file", display)
	}
	if info.Size() > maxItemSize {
		return nil, item.Usagef("%s is larger than %d MiB", display, maxItemSize>>20)
	}
	return readAll(io.LimitReader(f, maxItemSize+1), make([]byte, 0, info.Size()+1))
}

// refuseExposed refuses a file or folder that other users of the machine can change. A signature holds for the bytes that
// rye reads; an interpreter reads the file once more.
func (s *Space) refuseExposed(rel string, info fs.FileInfo) error {
	if s.Base == "" || s.IgnoreModes {
		return nil
	}
	if e := owner.Exposed(info); e.Reason != "" {
		return item.Errorf(item.TypePermission, "%s %s", s.Display(rel), e.Reason).
			Hint("%s %s", e.Command, item.ShellWord(s.Display(rel))).
			Hint("where a file system cannot do that, set trust.ignore_file_modes: true in your config.yaml")
	}
	return nil
}

// refuseExposedFolders looks at the folders from the file's own up to `.ai`: who can change one can exchange the file.
func (s *Space) refuseExposedFolders(root *os.Root, rel string) error {
	for dir := path.Dir(rel); ; dir = path.Dir(dir) {
		info, err := root.Stat(dir)
		if err != nil {
			return s.readError(dir, err)
		}
		if err := s.refuseExposed(dir, info); err != nil || dir == "." {
			return err
		}
	}
}

// readAll is io.ReadAll into a buffer that already has the file's size.
func readAll(r io.Reader, data []byte) ([]byte, error) {
	for {
		n, err := r.Read(data[len(data):cap(data)])
		data = data[:len(data)+n]
		if err == io.EOF {
			return data, nil
		}
		if err != nil {
			return nil, err
		}
		if len(data) == cap(data) {
			data = append(data, 0)[:len(data)]
		}
	}
}

func (s *Space) readError(rel string, err error) error {
	var pathErr *fs.PathError
	if errors.As(err, &pathErr) && strings.Contains(pathErr.Err.Error(), "escapes") {
		return item.Errorf(item.TypeIntegrity, "%s is a symbolic link that leads out of %s: rye does not follow it",
			s.Display(rel), s.Root())
	}
	if errors.As(err, &pathErr) {
		err = pathErr.Err
	}
	return fmt.Errorf("reading %s: %w", s.Display(rel), err)
}
