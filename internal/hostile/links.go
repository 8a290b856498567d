package hostile

import (
	"errors"
	"os"
	"path/filepath"
)

// Links plants a zoo of symbolic links in dir, each another way to the file target, which lies outside. Names of links
// to files end in ext; those in folders are the paths through a link to target's folder. The last ones lead nowhere.
func Links(dir, target, ext string) (names []string, err error) {
	rel, err := filepath.Rel(dir, target)
	if err != nil {
		return nil, err
	}
	base := filepath.Base(dir)
	links := []struct{ name, to string }{
		{"absolute", target}, {"relative", rel}, {"detour", "../" + base + "/../" + base + "/" + rel},
		{"root", "/proc/self/root" + target}, {"cwd", "/proc/self/cwd/" + rel}, {"twice", "relative" + ext},
		{"loop", "pool" + ext}, {"pool", "loop" + ext}, {"dangling", filepath.Join(filepath.Dir(rel), "nothing"+ext)},
	}
	var errs []error
	for _, l := range links {
		errs = append(errs, os.Symlink(l.to, filepath.Join(dir, l.name+ext)))
		names = append(names, l.name+ext)
	}
	errs = append(errs, os.Symlink(filepath.Dir(target), filepath.Join(dir, "folder")))
	return append(names, filepath.Join("folder", filepath.Base(target))), errors.Join(errs...)
}
