// Package space finds items: it looks a reference up in the project's, the user's and the system's `.ai/` folders, says
// what shadows what, lists items and gives the tiers of a configuration file. Finding an item is not trusting it:
// nothing here verifies a signature.
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
	"sync"

	"github.com/ryeos/rye/pkg/item"
	"github.com/ryeos/rye/pkg/owner"
)

// Dir is the name of the folder that holds a space's items.
const Dir = ".ai"

// SignatureExtension is the end of a detached signature's file name (design §2 row 9).
const SignatureExtension = ".rye-sig"

// maxItemSize bounds one item or dependency, in bytes, so that a hostile folder cannot fill the memory.
const maxItemSize = 64 << 20

// Label names a space in responses.
type Label string

// The three spaces, in lookup order.
const (
	Project Label = "project"
	User    Label = "user"
	System  Label = "system"
)

// Rank is the precedence of seed 001: project 3, user 2, system 1.
func (l Label) Rank() int {
	switch l {
	case Project:
		return 3
	case User:
		return 2
	case System:
		return 1
	}
	return 0
}

// Space is one `.ai/` folder.
type Space struct {
	Label Label
	// Base is the absolute path of the folder that holds `.ai`; empty for the system space, whose files live in the binary.
	Base string

	// IgnoreModes accepts files that other users of the machine can change, which are refused otherwise. It is for file systems
	// on which every file looks like that.
	IgnoreModes bool

	open  func() (fs.FS, *os.Root, error)
	cache *materialiser // system space only
}

// Root is the absolute path of the `.ai` folder; empty for the system space.
func (s *Space) Root() string {
	if s.Base == "" {
		return ""
	}
	return filepath.Join(s.Base, Dir)
}

// FS is the `.ai` folder. Reads through it cannot leave the folder, whatever symbolic links it holds.
func (s *Space) FS() (fs.FS, error) {
	fsys, _, err := s.open()
	return fsys, err
}

// Display is how a file of the space is shown to people: an absolute path, or `system:tools/rye/bash.yaml`.
func (s *Space) Display(rel string) string {
	if s.Base == "" {
		return string(System) + ":" + rel
	}
	return filepath.Join(s.Root(), filepath.FromSlash(rel))
}

// ReadFile reads a regular file below `.ai`, up to 64 MiB.
func (s *Space) ReadFile(rel string) ([]byte, error) {
	fsys, root, err := s.open()
	if err != nil {
		return nil, err
	}
	var f fs.File
	if root != nil {
		f, err = root.OpenFile(rel, os.O_RDONLY|nonBlocking, 0)
	} else {
		f, err = fsys.Open(rel)
	}
	if err != nil {
		return nil, s.readError(rel, err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, s.readError(rel, err)
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a regular file", s.Display(rel))
	}
	if err := s.refuseExposed(rel, info); err != nil {
		return nil, err
	}
	if root != nil {
		if err := s.refuseExposedFolders(root, rel); err != nil {
			return nil, err
		}
	}
	if info.Size() > maxItemSize {
		return nil, fmt.Errorf("%s is larger than %d MiB", s.Display(rel), maxItemSize>>20)
	}
	data := make([]byte, 0, info.Size()+1)
	return readAll(io.LimitReader(f, maxItemSize+1), data)
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

// OnDisk makes the space of a folder that holds `.ai`, which need not exist. The folder is opened at the first look-up.
func OnDisk(label Label, base string) *Space {
	s := &Space{Label: label, Base: base}
	var mu sync.Mutex
	var root *os.Root
	s.open = func() (fs.FS, *os.Root, error) {
		mu.Lock()
		defer mu.Unlock()
		if root != nil {
			return root.FS(), root, nil
		}
		opened, err := os.OpenRoot(s.Root())
		if info, statErr := os.Stat(s.Root()); err != nil && statErr == nil && !info.IsDir() {
			return nil, nil, notAFolder(s.Root())
		}
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, errNotDir) {
			return emptyFS{}, nil, nil // looked for again the next time: a project may come to be while an engine lives
		}
		if err != nil {
			return nil, nil, fmt.Errorf("opening the %s space: %w", label, err)
		}
		root = opened
		return root.FS(), root, nil
	}
	return s
}

// notAFolder is the error for a file where a space's folder belongs.
func notAFolder(path string) error {
	return item.Usagef("%s is a file: rye needs a folder there", path).Hint("move it away, then: rye init")
}

// Embedded makes the system space of a file system rooted at its `.ai` folder. Files that a child process must open are
// written below cacheDir first (Materialise).
func Embedded(fsys fs.FS, cacheDir string) *Space {
	return &Space{
		Label: System,
		open:  func() (fs.FS, *os.Root, error) { return fsys, nil, nil },
		cache: &materialiser{fsys: fsys, parent: cacheDir},
	}
}

type emptyFS struct{}

func (emptyFS) Open(name string) (fs.File, error) {
	return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
}

// Spaces are the three spaces of one execution, in lookup order.
type Spaces []*Space

// From drops the spaces that come before label: an element found in user space looks its executor up in user and
// system space only (spec/rye-core §3.1).
func (ss Spaces) From(label Label) Spaces {
	for i, s := range ss {
		if s.Label == label {
			return ss[i:]
		}
	}
	return nil
}

// Get is the space with the label, or nil.
func (ss Spaces) Get(label Label) *Space {
	for _, s := range ss {
		if s.Label == label {
			return s
		}
	}
	return nil
}

// Locate tells which space a path on disk belongs to, and its path below that space's `.ai`.
func (ss Spaces) Locate(file string) (s *Space, rel string, ok bool) {
	for _, s := range ss {
		if s.Base == "" {
			continue
		}
		rel, err := filepath.Rel(s.Root(), file)
		if err == nil && filepath.IsLocal(rel) && rel != "." {
			return s, path.Clean(filepath.ToSlash(rel)), true
		}
	}
	return nil, "", false
}
