//go:build linux || darwin

package process

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

// executable returns file if it is a regular file that somebody may execute.
func executable(file string) (string, error) {
	info, err := os.Stat(file)
	switch {
	case err != nil:
		return "", err
	case !info.Mode().IsRegular():
		return "", fmt.Errorf("%s is no regular file: %w", file, fs.ErrPermission)
	case info.Mode()&0o111 == 0:
		return "", fmt.Errorf("%s is not executable (chmod +x %[1]s): %w", file, fs.ErrPermission)
	}
	return file, nil
}

func isMissing(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)
}
