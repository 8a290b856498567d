package keeper

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/ryeos/rye/pkg/filelock"
)

// Folders are where sockets may be, the best first: below the user's runtime folder, which the system clears at the end of a
// session, and below a folder for what can be made again. runtimeDir is the value of XDG_RUNTIME_DIR.
func Folders(runtimeDir, cache string) []string {
	var dirs []string
	if filepath.IsAbs(runtimeDir) {
		dirs = append(dirs, filepath.Join(runtimeDir, "rye"))
	}
	return append(dirs, filepath.Join(cache, "kept"))
}

// Folder makes the first of the folders that can be had, and must be the user's alone.
func Folder(runtimeDir, cache string) (string, error) {
	if filepath.IsAbs(runtimeDir) && private(runtimeDir) == nil {
		dir := filepath.Join(runtimeDir, "rye")
		if makeFolder(dir) == nil {
			return dir, nil
		}
	}
	if err := os.MkdirAll(cache, 0o755); err != nil {
		return "", err
	}
	dir := filepath.Join(cache, "kept")
	return dir, makeFolder(dir)
}

func makeFolder(dir string) error {
	if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return private(dir)
}

// private reports why a folder is not one that the user alone can enter.
func private(dir string) error {
	f, err := openFolder(dir)
	if err == nil {
		f.Close()
	}
	return err
}

const socketEnd = ".sock"

// socket looks whether there is a socket of that key: fs.ErrNotExist if not, another error if it is something that no keeper
// has made.
func (f *folder) socket(key string) (fs.FileInfo, error) {
	info, err := os.Lstat(f.path(key + socketEnd))
	if err != nil {
		return nil, err
	}
	if info.Mode().Type() != fs.ModeSocket {
		return nil, fmt.Errorf("%s in %s is no socket", key+socketEnd, f.dir)
	}
	if uid, known := ownerOf(info); !known || uid != os.Geteuid() {
		return nil, fmt.Errorf("the socket %s in %s belongs to another user", key+socketEnd, f.dir)
	}
	return info, nil
}

// lock is held by who starts a keeper or removes a socket. The file stays.
func (f *folder) lock(ctx context.Context) (release func(), err error) {
	file, err := f.openLock()
	if err != nil {
		return nil, err
	}
	if err := filelock.Wait(ctx, file); err != nil {
		file.Close()
		if ctx.Err() != nil {
			return nil, err
		}
		return nil, fmt.Errorf("cannot lock %s: %w", f.dir, err)
	}
	return func() { file.Close() }, nil
}
