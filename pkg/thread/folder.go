package thread

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/ryeos/rye/pkg/item"
)

// findFolder makes the registry's folder, unless there must be one.
func (s *Store) findFolder(opts Options) error {
	if opts.Root != "" {
		if err := s.stayBelow(opts.Root); err != nil {
			return err
		}
	}
	if opts.Existing {
		if _, err := os.Stat(s.path); err != nil {
			return item.Errorf(item.TypeNotFound, "there is no thread registry in %s: %w", s.dir, err).
				Hint("no thread was started here yet: rye execute REF --async")
		}
		return nil
	}
	_, err := os.Stat(s.dir)
	isNew := errors.Is(err, fs.ErrNotExist)
	err = os.MkdirAll(s.dir, 0o700) // logs and results may hold secrets
	if err == nil && isNew && opts.Root != "" {
		err = ignoreState(opts.Root, s.dir)
	}
	if err != nil {
		return item.Errorf(item.TypePermission, "cannot make the folder of the thread registry: %w", err)
	}
	return nil
}

// stayBelow refuses a registry that a link takes out of the project: it may have come with the project, and nothing is
// written, read or removed where it leads.
func (s *Store) stayBelow(root string) error {
	root, err := filepath.Abs(root)
	if err != nil {
		return item.Errorf(item.TypePermission, "cannot tell where the project is: %w", err)
	}
	real, err := filepath.EvalSymlinks(root)
	if err != nil {
		return item.Errorf(item.TypePermission, "cannot tell where the project is: %w", err)
	}
	below, err := filepath.Rel(root, s.dir)
	if err != nil || !filepath.IsLocal(below) {
		return item.Errorf(item.TypePermission, "the folder of the thread registry, %s, is outside of the project %s", s.dir, root)
	}
	path := root
	for _, name := range strings.Split(below, string(filepath.Separator)) {
		path = filepath.Join(path, name)
		if isLink(path) && !leadsBelow(path, real) {
			return outside(path)
		}
	}
	for _, suffix := range []string{"", "-wal", "-shm", "-journal"} {
		if isLink(s.path + suffix) {
			return outside(s.path + suffix)
		}
	}
	return nil
}

// isLink is true for every kind of link: on Windows some are irregular files.
func isLink(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && info.Mode()&(fs.ModeSymlink|fs.ModeIrregular) != 0
}

// leadsBelow is false for a link to nothing as well: what is made there would be outside.
func leadsBelow(link, root string) bool {
	target, err := filepath.EvalSymlinks(link)
	if err != nil {
		return false
	}
	below, err := filepath.Rel(root, target)
	return err == nil && filepath.IsLocal(below)
}

func outside(link string) error {
	return item.Errorf(item.TypePermission, "the thread registry stays in the project, and %s is a link that may lead out of it", link).
		Hint("remove the link: rm %s", link)
}

// ignoreState keeps the folder that the registry is in, below .ai, out of version control. One that has a .gitignore keeps it.
func ignoreState(root, dir string) error {
	state := filepath.Join(root, ".ai", "state")
	if below, err := filepath.Rel(state, dir); err != nil || !filepath.IsLocal(below) {
		return nil
	}
	file, err := os.OpenFile(filepath.Join(state, ".gitignore"), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		return err
	}
	_, err = file.WriteString("*\n")
	return errors.Join(err, file.Close())
}
