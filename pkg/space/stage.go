package space

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/ryeos/rye/pkg/item"
)

// Stage writes a private, read-only copy of files (slash paths → bytes) to a folder below parent that is named by their
// digest, and gives that folder. A copy that is there already must still be exact, with nothing added to it.
func Stage(parent string, files map[string][]byte) (dir string, err error) {
	dir = filepath.Join(parent, stageName(files))
	if _, err := os.Lstat(dir); err == nil {
		return dir, checkStage(dir, files)
	}
	if err := os.MkdirAll(parent, 0o700); err != nil {
		return "", fmt.Errorf("pinning: %w", err)
	}
	fresh, err := os.MkdirTemp(parent, ".new-")
	if err != nil {
		return "", fmt.Errorf("pinning: %w", err)
	}
	defer removeStage(fresh) // gone already when all went well
	for name, data := range files {
		if err := place(filepath.Join(fresh, filepath.FromSlash(name)), data); err != nil {
			return "", fmt.Errorf("pinning: %w", err)
		}
	}
	if err := setFolderModes(fresh, 0o500); err != nil {
		return "", fmt.Errorf("pinning: %w", err)
	}
	if err := os.Rename(fresh, dir); err != nil {
		if _, statErr := os.Lstat(dir); statErr == nil { // another run was faster
			return dir, checkStage(dir, files)
		}
		return "", fmt.Errorf("pinning: %w", err)
	}
	return dir, nil
}

func stageName(files map[string][]byte) string {
	digest := sha256.New()
	for _, name := range slices.Sorted(maps.Keys(files)) {
		fmt.Fprintf(digest, "%d:%s%d:", len(name), name, len(files[name]))
		digest.Write(files[name])
	}
	return hex.EncodeToString(digest.Sum(nil))
}

func checkStage(dir string, files map[string][]byte) error {
	found := 0
	err := filepath.WalkDir(dir, func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, err := filepath.Rel(dir, file)
		if err != nil {
			return err
		}
		want, known := files[filepath.ToSlash(rel)]
		if !known || !holds(file, want) {
			return item.Errorf(item.TypeIntegrity, "the pinned copy was changed: %s", file).Hint("chmod -R u+w %s && rm -r %s", dir, dir)
		}
		found++
		return nil
	})
	if err == nil && found != len(files) {
		err = item.Errorf(item.TypeIntegrity, "the pinned copy is not complete: %s", dir).Hint("chmod -R u+w %s && rm -r %s", dir, dir)
	}
	return err
}

func setFolderModes(dir string, mode fs.FileMode) error {
	return filepath.WalkDir(dir, func(file string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() || file == dir && mode&0o200 == 0 {
			return err // the top folder stays writable until it has been renamed: some systems ask for that
		}
		return os.Chmod(file, mode)
	})
}

func removeStage(dir string) {
	if setFolderModes(dir, 0o700) == nil {
		os.RemoveAll(dir)
	}
}
