package process

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// checkCommand refuses what no operating system starts, or not what was meant.
func checkCommand(path string, argv, env []string) error {
	switch {
	case !filepath.IsAbs(path):
		return fmt.Errorf("cannot start %q: the path of a program must be absolute (find it with Lookup)", path)
	case len(argv) == 0:
		return fmt.Errorf("cannot start %s: its argument list is empty, argv[0] is missing", path)
	case slices.ContainsFunc(env, func(kv string) bool { return strings.ContainsRune(kv, 0) }):
		return fmt.Errorf("cannot start %s: its environment holds a NUL character", path)
	}
	return nil
}

// startError says why the program did not start. The operating system reports a missing program, a missing interpreter
// and a missing directory with one and the same error.
func startError(path, dir string, err error) error {
	if dir != "" {
		if info, statErr := os.Stat(dir); statErr != nil {
			return fmt.Errorf("cannot start %s in %s: no such directory to run in: %w", path, dir, err)
		} else if !info.IsDir() {
			return fmt.Errorf("cannot start %s in %s: that is not a directory: %w", path, dir, err)
		}
	}
	if errors.Is(err, os.ErrNotExist) {
		if _, statErr := os.Stat(path); statErr == nil {
			return fmt.Errorf("cannot start %s: the interpreter that its first line or its format names is missing: %w",
				path, err)
		}
	}
	return fmt.Errorf("cannot start %s: %w", path, err)
}
