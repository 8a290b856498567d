// Package space finds items: it looks a reference up in the project's, the user's and the system's `.ai/` folders, says
// what shadows what, lists items and gives the tiers of a configuration file. Finding an item is not trusting it:
// nothing here verifies a signature.
package space

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"sync"

	"github.com/ryeos/rye/pkg/item"
)

// Dir is the name of the folder that holds a space's items.
const Dir = ".ai"

// SignatureExtension is the end of a detached signature's file name (design §2 row 9).
const SignatureExtension = ".rye-sig"

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
