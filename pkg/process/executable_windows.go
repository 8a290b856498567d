package process

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// executable returns file, or file with the first extension of %PATHEXT% under which it exists.
func executable(file string) (string, error) {
	if filepath.Ext(file) != "" {
		if err := regular(file); err == nil {
			return file, nil
		}
	}
	list := os.Getenv("PATHEXT")
	if list == "" {
		list = ".com;.exe;.bat;.cmd"
	}
	for ext := range strings.SplitSeq(strings.ToLower(list), ";") {
		if err := regular(file + ext); ext != "" && err == nil {
			return file + ext, nil
		}
	}
	return "", &fs.PathError{Op: "find", Path: file, Err: fs.ErrNotExist}
}

func regular(file string) error {
	info, err := os.Stat(file)
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s is no regular file: %w", file, fs.ErrPermission)
	}
	return err
}

func isMissing(err error) bool { return errors.Is(err, fs.ErrNotExist) }
