package builtin

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"syscall"
)

const (
	errOutside       = failure("Path is outside the project workspace")
	errSearchOutside = failure("Search path is outside the project workspace")
	errIsDirectory   = failure("Path is a directory, not a file")
)

const (
	maxPath  = 4096 // bytes
	maxLinks = 40
)

// workspace is a project folder opened for one call. All access goes through its os.Root, so that even a folder that is
// exchanged for a link while we work cannot lead outside.
type workspace struct {
	root *os.Root
	dirs []string // the folder's absolute paths: as given, and with links resolved
}

func openWorkspace(project string) (*workspace, error) {
	if !filepath.IsAbs(project) {
		return nil, failuref("The project folder must be an absolute path: %s", printable(project))
	}
	root, err := os.OpenRoot(project)
	if err != nil {
		return nil, failuref("Cannot open the project folder %s: %s", printable(project), reason(err))
	}
	w := &workspace{root: root, dirs: []string{filepath.ToSlash(filepath.Clean(project))}}
	if real, err := filepath.EvalSymlinks(project); err == nil {
		w.dirs = append(w.dirs, filepath.ToSlash(real))
	}
	return w, nil
}

func (w *workspace) close() { w.root.Close() }

// resolve turns a caller's path into the path below the project, with slashes and without links, of the place it means;
// that place need not exist. Links are followed here rather than by os.Root because os.Root refuses every absolute one,
// and because the rules about protected folders and line indexes need the real name.
func (w *workspace) resolve(name string) (string, error) {
	if len(name) > maxPath || strings.ContainsRune(name, 0) {
		return "", failuref("Path must be at most %d bytes and hold no NUL byte", maxPath)
	}
	pending, ok := w.below(name)
	if !ok {
		return "", errOutside
	}
	at := "."
	for links := 0; len(pending) > 0; {
		part := pending[0]
		pending = pending[1:]
		if part == ".." {
			if at == "." {
				return "", errOutside
			}
			at = path.Dir(at)
			continue
		}
		next := path.Join(at, part)
		info, err := w.root.Lstat(next)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			at = next
			continue
		case err != nil:
			return "", failuref("Cannot access %s: %s", printable(name), reason(err))
		case info.Mode()&fs.ModeSymlink == 0:
			if len(pending) > 0 && !info.IsDir() {
				return "", failuref("Not a directory: %s (in %s)", printable(next), printable(name))
			}
			at = next
			continue
		}
		if links++; links > maxLinks {
			return "", failuref("Too many levels of symbolic links: %s", printable(name))
		}
		target, err := w.root.Readlink(next)
		if err != nil {
			return "", failuref("Cannot access %s: %s", printable(name), reason(err))
		}
		parts, ok := w.below(target)
		if !ok {
			return "", errOutside
		}
		if rooted(target) {
			at = "."
		}
		pending = append(parts, pending...)
	}
	return at, nil
}

// below splits a path into its parts, relative to the project when it is absolute; ok is false if it cannot be. The parts
// may still hold "..".
func (w *workspace) below(name string) (parts []string, ok bool) {
	name = filepath.ToSlash(name)
	if rooted(name) {
		for _, dir := range w.dirs {
			rest, found := strings.CutPrefix(name+"/", strings.TrimSuffix(dir, "/")+"/")
			if found {
				return split(rest), true
			}
		}
		return nil, false
	}
	return split(name), true
}

func rooted(name string) bool {
	return filepath.IsAbs(name) || filepath.VolumeName(name) != "" || strings.HasPrefix(filepath.ToSlash(name), "/")
}

func split(name string) []string {
	var parts []string
	for part := range strings.SplitSeq(name, "/") {
		if part != "" && part != "." {
			parts = append(parts, part)
		}
	}
	return parts
}

// open opens a file or folder for reading without waiting: a pipe nobody writes to would block a plain open forever.
func (w *workspace) open(rel string) (*os.File, error) {
	return w.root.OpenFile(rel, os.O_RDONLY|syscall.O_NONBLOCK, 0)
}

// readFile reads a whole regular file of at most limit bytes. Errors of the file system come back as they are.
func (w *workspace) readFile(rel string, limit int64) ([]byte, fs.FileInfo, error) {
	info, err := w.root.Lstat(rel)
	if err != nil {
		return nil, nil, err
	}
	if err := checkRegular(rel, info); err != nil {
		return nil, nil, err
	}
	f, err := w.open(rel)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	// The name may mean something else by now, so the check that counts is that of the open file.
	if info, err = f.Stat(); err != nil {
		return nil, nil, err
	}
	if err := checkRegular(rel, info); err != nil {
		return nil, nil, err
	}
	if info.Size() > limit {
		return nil, nil, errTooLarge(rel, info.Size(), limit)
	}
	data, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err != nil {
		return nil, nil, err
	}
	if n := int64(len(data)); n > limit { // it grew
		return nil, nil, errTooLarge(rel, n, limit)
	}
	return data, info, nil
}

func errTooLarge(rel string, size, limit int64) error {
	return failuref("File is too large: %s (%d bytes, at most %d). Use a shell tool to cut out the part you need", printable(rel), size, limit)
}

func checkRegular(rel string, info fs.FileInfo) error {
	switch {
	case info.IsDir():
		return errIsDirectory
	case !info.Mode().IsRegular():
		return failuref("Not a regular file: %s", printable(rel))
	}
	return nil
}

// explain words an error of the file system for the caller who gave the path name.
func explain(name string, err error) error {
	var told failure
	switch {
	case errors.As(err, &told):
		return told
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return err
	case errors.Is(err, fs.ErrNotExist):
		return failuref("File not found: %s", printable(name))
	}
	return failuref("Cannot access %s: %s", printable(name), reason(err))
}

// reason is the part of a file system error that does not repeat paths of this machine.
func reason(err error) string {
	var inPath *fs.PathError
	if errors.As(err, &inPath) {
		return inPath.Err.Error()
	}
	var inLink *os.LinkError
	if errors.As(err, &inLink) {
		return inLink.Err.Error()
	}
	return err.Error()
}
