package space

import (
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/ryeos/rye/pkg/item"
)

// Entry is one file of a listing.
type Entry struct {
	Place
	Ref item.Ref
	// ShadowedBy is the place that wins the reference, nil for the winner itself.
	ShadowedBy *Place

	listed fs.DirEntry
}

// Info describes the file, or what it leads to when it is a symbolic link.
func (e Entry) Info() (fs.FileInfo, error) {
	if e.listed.Type()&fs.ModeSymlink == 0 {
		return e.listed.Info()
	}
	fsys, err := e.Space.FS()
	if err != nil {
		return nil, err
	}
	return fs.Stat(fsys, e.Rel)
}

// List gives every file that a reference of the kind could name, in all spaces, sorted by id with the winner before
// the copies that it shadows. In the tools folder this includes library files; telling them from items needs their
// metadata.
func (ss Spaces) List(kind item.Kind) ([]Entry, error) {
	var entries []Entry
	for _, s := range ss {
		files, err := s.walk(kind.Dir())
		if err != nil {
			return nil, err
		}
		for _, f := range files {
			ext := path.Ext(f.rel)
			_, name, _ := item.SplitPath(f.rel)
			id := strings.TrimSuffix(name, ext)
			if kind.HasExtension(ext) && item.ValidateID(id) == nil {
				entries = append(entries, Entry{Place: Place{Space: s, Rel: f.rel}, Ref: item.Ref{Kind: kind, ID: id}, listed: f.entry})
			}
		}
	}
	slices.SortStableFunc(entries, func(a, b Entry) int {
		if c := strings.Compare(a.Ref.ID, b.Ref.ID); c != 0 {
			return c
		}
		if a.Space != b.Space {
			return b.Space.Label.Rank() - a.Space.Label.Rank()
		}
		order := kind.Extensions()
		return slices.Index(order, path.Ext(a.Rel)) - slices.Index(order, path.Ext(b.Rel))
	})
	winner := 0
	for i := range entries {
		if i > 0 && entries[i].Ref == entries[winner].Ref {
			entries[i].ShadowedBy = &entries[winner].Place
		} else {
			winner = i
		}
	}
	return entries, nil
}

// Files lists the regular files and symbolic links below a folder of the space, as slash paths below `.ai`, sorted.
// Detached signatures are left out: they belong to the file beside them. A folder that does not exist is empty.
func (s *Space) Files(dir string) ([]string, error) {
	listed, err := s.walk(dir)
	files := make([]string, 0, len(listed))
	for _, f := range listed {
		files = append(files, f.rel)
	}
	slices.Sort(files)
	return files, err
}
