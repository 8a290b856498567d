package space

import (
	"errors"
	"io/fs"
	"path"

	"github.com/ryeos/rye/pkg/item"
)

// Place is one file that answers to a reference.
type Place struct {
	Space *Space
	Rel   string // slash path below `.ai`: tools/rye/bash.yaml
}

// Display is the place as people see it.
func (p Place) Display() string { return p.Space.Display(p.Rel) }

// Path is the place's slash path below its kind's folder, which its signature binds: rye/bash.yaml.
func (p Place) Path() string {
	_, rest, _ := item.SplitPath(p.Rel)
	return rest
}

// Found is the answer to a look-up.
type Found struct {
	Place
	Ref      item.Ref
	Shadowed []Place // the same reference in spaces of lower precedence, one each
}

// Find looks a reference with a kind up: project, then user, then system space; within one space the first extension
// in the kind's declared order wins. The shadowed copies are only looked for when the caller asks.
func (ss Spaces) Find(ref item.Ref, withShadowed bool) (*Found, error) {
	if err := item.ValidateID(ref.ID); err != nil {
		return nil, err
	}
	var found *Found
	for _, s := range ss {
		rel, err := s.lookup(ref)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		place := Place{Space: s, Rel: rel}
		if found != nil {
			found.Shadowed = append(found.Shadowed, place)
			continue
		}
		found = &Found{Place: place, Ref: ref}
		if !withShadowed {
			break
		}
	}
	if found == nil {
		return nil, &NotFoundError{Ref: ref}
	}
	return found, nil
}

// NotFoundError says that no space holds the item.
type NotFoundError struct{ Ref item.Ref }

func (e *NotFoundError) Error() string {
	if e.Ref.Kind == item.Knowledge {
		return "Knowledge entry not found: " + e.Ref.ID
	}
	return e.Ref.Kind.Title() + " not found: " + e.Ref.ID
}

// lookup finds the file of a reference in one space; fs.ErrNotExist when there is none.
func (s *Space) lookup(ref item.Ref) (rel string, err error) {
	fsys, root, err := s.open()
	if err != nil {
		return "", err
	}
	stem := path.Join(ref.Kind.Dir(), ref.ID)
	stat := func(name string) (fs.FileInfo, error) { return fs.Stat(fsys, name) }
	if root != nil {
		// One descent for all extensions; links are resolved from the top, so that they may point anywhere inside `.ai`.
		dir, err := root.OpenRoot(path.Dir(stem))
		if err != nil {
			if info, statErr := root.Stat(path.Dir(stem)); statErr == nil && !info.IsDir() {
				err = fs.ErrNotExist // OpenRoot has no errno for a file in place of a folder
			}
			return "", s.lookupError(stem, err)
		}
		defer dir.Close()
		stat = func(name string) (fs.FileInfo, error) {
			info, err := dir.Lstat(path.Base(name))
			if err == nil && info.Mode()&fs.ModeSymlink != 0 {
				return root.Stat(name)
			}
			return info, err
		}
	}
	for _, ext := range ref.Kind.Extensions() {
		info, err := stat(stem + ext)
		if err == nil && info.Mode().IsRegular() {
			return stem + ext, nil
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return "", s.lookupError(stem+ext, err)
		}
	}
	return "", fs.ErrNotExist
}

// lookupError keeps "there is none" apart from "could not look": a file in place of a folder is the former.
func (s *Space) lookupError(rel string, err error) error {
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, errNotDir) {
		return fs.ErrNotExist
	}
	return s.readError(rel, err)
}

// Read gives the bytes of a place, and of the detached signature beside it (nil when there is none).
func (p Place) Read() (data, detached []byte, err error) {
	if data, err = p.Space.ReadFile(p.Rel); err != nil {
		return nil, nil, err
	}
	// Nearly always there is none; asking for that is cheaper than an error that says so.
	if !p.Space.has(p.Rel + SignatureExtension) {
		return data, nil, nil
	}
	detached, err = p.Space.ReadFile(p.Rel + SignatureExtension)
	return data, detached, err
}

// ConfigTiers gives the places of a configuration file (a path below `.ai/config/`) in merge order: system, user,
// project. Spaces without the file are left out.
func (ss Spaces) ConfigTiers(file string) ([]Place, error) {
	var tiers []Place
	for i := len(ss) - 1; i >= 0; i-- {
		rel := path.Join(item.Config.Dir(), file)
		fsys, err := ss[i].FS()
		if err != nil {
			return nil, err
		}
		switch info, err := fs.Stat(fsys, rel); {
		case err == nil && info.Mode().IsRegular():
			tiers = append(tiers, Place{Space: ss[i], Rel: rel})
		case err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, errNotDir):
			return nil, ss[i].readError(rel, err)
		}
	}
	return tiers, nil
}
