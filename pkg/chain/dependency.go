package chain

import (
	"errors"
	"io/fs"
	"path/filepath"

	"github.com/ryeos/rye/pkg/integrity"
	"github.com/ryeos/rye/pkg/item"
	"github.com/ryeos/rye/pkg/space"
)

// Dependency is one file that must be signed before the tool may run.
type Dependency struct {
	Folder Folder
	Rel    string // below `.ai`, or below the project folder
}

// SignedPath is the path that a dependency's signature binds: relative to the folder that holds `.ai`.
func (d Dependency) SignedPath() string {
	if d.Folder.Project {
		return d.Rel
	}
	return space.Dir + "/" + d.Rel
}

// Display is the file as people see it.
func (d Dependency) Display() string {
	if d.Folder.Project {
		return filepath.Join(d.Folder.Space.Base, filepath.FromSlash(d.Rel))
	}
	return d.Folder.Space.Display(d.Rel)
}

// Source reads the file for verification or signing.
func (d Dependency) Source() (integrity.Source, error) {
	if d.Folder.Project {
		return d.projectSource()
	}
	place := space.Place{Space: d.Folder.Space, Rel: d.Rel}
	data, detached, err := place.Read()
	if err != nil {
		return integrity.Source{}, err
	}
	kind, _, ok := item.SplitPath(d.Rel)
	if !ok {
		kind = item.Dependency
	}
	src := SourceOf(place, kind, data, detached)
	src.Ref = d.Display()
	return src, nil
}

func (d Dependency) projectSource() (integrity.Source, error) {
	file := d.Display()
	data, err := space.ReadBelow(d.Folder.Space.Base, d.Rel)
	if err != nil {
		return integrity.Source{}, err
	}
	detached, err := space.ReadBelow(d.Folder.Space.Base, d.Rel+space.SignatureExtension)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return integrity.Source{}, err
	}
	return integrity.Source{
		Kind: item.Dependency, Path: d.Rel, File: file, Ref: file, Space: string(space.Project), Data: data, Detached: detached,
	}, nil
}
