package process

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Lookup finds an executable by its name in path, a list of directories as in $PATH. Empty and relative entries are
// ignored, as what they mean depends on where the caller stands, and so are those for which skip, unless nil, is true.
// A name that is a path must be absolute and is only checked. The error wraps fs.ErrNotExist or, if the only files
// found cannot be executed, fs.ErrPermission.
func Lookup(name, path string, skip func(dir string) bool) (string, error) {
	if strings.ContainsRune(name, '/') || strings.ContainsRune(name, os.PathSeparator) {
		return lookupFile(name)
	}
	if name == "" || name == "." || name == ".." {
		return "", fmt.Errorf("%q is no name of a program: %w", name, fs.ErrNotExist)
	}
	reason := fs.ErrNotExist
	var denied string
	var ignored []string
	for _, dir := range filepath.SplitList(path) {
		if !filepath.IsAbs(dir) || skip != nil && skip(dir) {
			ignored = append(ignored, fmt.Sprintf("%q", dir))
			continue
		}
		file, err := executable(filepath.Join(dir, name))
		if err == nil {
			return file, nil
		}
		if denied == "" && !isMissing(err) {
			denied, reason = fmt.Sprintf("; %v", err), fs.ErrPermission
		}
	}
	var note string
	if len(ignored) > 0 {
		note = "; ignored directories: " + strings.Join(ignored, ", ")
	}
	return "", fmt.Errorf("program %q was not found in PATH%s%s: install it or add its directory to PATH: %w",
		name, denied, note, reason)
}

func lookupFile(name string) (string, error) {
	if !filepath.IsAbs(name) {
		return "", fmt.Errorf("program %q is a relative path: write the absolute path, or the name alone to search PATH: %w",
			name, fs.ErrNotExist)
	}
	return executable(name)
}
