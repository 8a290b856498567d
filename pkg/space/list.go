package space

import (
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/ryeos/rye/pkg/item"
)

// skippedDirs hold other people's code or build products: nothing below them is an item.
var skippedDirs = []string{"__pycache__", ".venv", "node_modules", ".git", "dist", "build"}

// Entry is one file of a listing.
type Entry struct {
	Place
	Ref item.Ref
	// ShadowedBy is the place that wins the reference, nil for the winner itself.
	ShadowedBy *Place
}

// List gives every file that a reference of the kind could name, in all spaces, sorted by id with the winner before
// the copies that it shadows. In the tools folder this includes library files; telling them from items needs their
// metadata.
func (ss Spaces) List(kind item.Kind) ([]Entry, error) {
	var entries []Entry
	for _, s := range ss {
		files, err := s.Files(kind.Dir())
		if err != nil {
			return nil, err
		}
		for _, rel := range files {
			ext := path.Ext(rel)
			_, name, _ := item.SplitPath(rel)
			if !kind.HasExtension(ext) || item.ValidateID(strings.TrimSuffix(name, ext)) != nil {
				continue
			}
			entries = append(entries, Entry{
				Place: Place{Space: s, Rel: rel}, Ref: item.Ref{Kind: kind, ID: strings.TrimSuffix(name, ext)},
			})
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
	fsys, err := s.FS()
	if err != nil {
		return nil, err
	}
	var files []string
	err = fs.WalkDir(fsys, dir, func(rel string, d fs.DirEntry, err error) error {
		switch {
		case err != nil && rel == dir:
			return fs.SkipAll
		case err != nil:
			return s.readError(rel, err)
		case d.IsDir() && slices.Contains(skippedDirs, d.Name()):
			return fs.SkipDir
		case d.IsDir() || strings.HasSuffix(rel, SignatureExtension):
			return nil
		}
		if d.Type().IsRegular() || d.Type()&fs.ModeSymlink != 0 {
			files = append(files, rel)
		}
		return nil
	})
	return files, err
}
