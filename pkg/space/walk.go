package space

import (
	"io/fs"
	"path"
	"runtime"
	"slices"
	"strings"
	"sync"
)

// skippedDirs hold other people's code or build products: nothing below them is an item.
var skippedDirs = []string{"__pycache__", ".venv", "node_modules", ".git", "dist", "build"}

// listedFile is one file of a walk, as its folder describes it.
type listedFile struct {
	rel   string
	entry fs.DirEntry
}

// walk lists the files below a folder, in no order. Folders are read side by side: describing every file takes most of
// the time of a listing.
func (s *Space) walk(dir string) ([]listedFile, error) {
	fsys, err := s.FS()
	if err != nil {
		return nil, err
	}
	entries, err := fs.ReadDir(fsys, dir)
	if err != nil {
		return nil, nil // there is no such folder
	}
	w := &walker{space: s, fsys: fsys, free: make(chan struct{}, runtime.GOMAXPROCS(0)-1)}
	w.folder(dir, entries)
	w.helpers.Wait()
	return w.files, w.err
}

type walker struct {
	space   *Space
	fsys    fs.FS
	helpers sync.WaitGroup
	free    chan struct{} // one place for each helper

	mu    sync.Mutex
	files []listedFile
	err   error // the first
}

// folder takes in what a folder holds, and lets a helper read the folders in it if there is one.
func (w *walker) folder(dir string, entries []fs.DirEntry) {
	var files []listedFile
	for _, d := range entries {
		rel := path.Join(dir, d.Name())
		switch {
		case d.IsDir() && slices.Contains(skippedDirs, d.Name()):
		case d.IsDir():
			select {
			case w.free <- struct{}{}:
				w.helpers.Go(func() {
					w.read(rel)
					<-w.free
				})
			default:
				w.read(rel)
			}
		case strings.HasSuffix(rel, SignatureExtension):
		case d.Type().IsRegular() || d.Type()&fs.ModeSymlink != 0:
			files = append(files, listedFile{rel, d})
		}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.files = append(w.files, files...)
}

func (w *walker) read(dir string) {
	entries, err := fs.ReadDir(w.fsys, dir)
	if err != nil {
		w.mu.Lock()
		defer w.mu.Unlock()
		if w.err == nil {
			w.err = w.space.readError(dir, err)
		}
		return
	}
	w.folder(dir, entries)
}
