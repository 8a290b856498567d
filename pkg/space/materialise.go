package space

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
)

// materialiser writes system items to a folder named by their digest, for children that must open one. Files are
// compared with the binary's each time they are handed out, so a changed cache is repaired, never used.
type materialiser struct {
	fsys   fs.FS
	parent string

	once sync.Once
	root string // …/system-<digest>/.ai
	err  error
}

// Materialise makes the file or folder rel (below `.ai`) readable on disk and gives its absolute path. For spaces on
// disk that is where it already is.
func (s *Space) Materialise(rel string) (string, error) {
	if s.cache == nil {
		return filepath.Join(s.Root(), filepath.FromSlash(rel)), nil
	}
	return s.cache.provide(rel)
}

func (m *materialiser) provide(rel string) (string, error) {
	m.once.Do(func() { m.root, m.err = m.directory() })
	if m.err != nil {
		return "", fmt.Errorf("writing system items for a child process: %w", m.err)
	}
	target := filepath.Join(m.root, filepath.FromSlash(rel))
	err := fs.WalkDir(m.fsys, rel, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		return m.file(name)
	})
	if errors.Is(err, fs.ErrNotExist) {
		return target, nil // nothing of that name ships with rye; the path is still what a template asks for
	}
	return target, err
}

// directory names the folder after everything the binary holds, so that two versions of rye never share one.
func (m *materialiser) directory() (string, error) {
	digest := sha256.New()
	err := fs.WalkDir(m.fsys, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := fs.ReadFile(m.fsys, name)
		fmt.Fprintf(digest, "%d:%s%d:", len(name), name, len(data))
		digest.Write(data)
		return err
	})
	if err != nil {
		return "", err
	}
	root := filepath.Join(m.parent, "system-"+hex.EncodeToString(digest.Sum(nil))[:32], Dir)
	return root, os.MkdirAll(root, 0o700)
}

// file writes one file unless the right bytes are there already.
func (m *materialiser) file(name string) error {
	want, err := fs.ReadFile(m.fsys, name)
	if err != nil {
		return err
	}
	target := filepath.Join(m.root, filepath.FromSlash(name))
	if holds(target, want) {
		return nil
	}
	return place(target, want)
}

// holds reports whether a file has exactly these bytes.
func holds(file string, want []byte) bool {
	info, err := os.Lstat(file)
	if err != nil || !info.Mode().IsRegular() || info.Size() != int64(len(want)) {
		return false
	}
	have, err := os.ReadFile(file)
	return err == nil && bytes.Equal(have, want)
}

// place writes a read-only file. Readers see the old or the new one whole, because it is renamed into place.
func place(target string, want []byte) error {
	if err := os.MkdirAll(filepath.Dir(target), 0o700); err != nil {
		return err
	}
	tmp, err := os.CreateTemp(filepath.Dir(target), "."+filepath.Base(target)+"-*")
	if err != nil {
		return err
	}
	defer os.Remove(tmp.Name())
	_, err = tmp.Write(want)
	if err = errors.Join(err, tmp.Chmod(fileMode(want)), tmp.Close()); err != nil {
		return err
	}
	return os.Rename(tmp.Name(), target)
}

// fileMode gives scripts their exec bit back, which embedding loses.
func fileMode(data []byte) fs.FileMode {
	if bytes.HasPrefix(data, []byte("#!")) {
		return 0o500
	}
	return 0o400
}
