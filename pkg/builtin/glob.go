package builtin

import (
	"context"
	"encoding/json"
	"io/fs"
	"regexp"
	"slices"
	"strings"
)

// maxResults bounds the files of a glob and the matches of a grep.
const maxResults = 100

type globResult struct {
	Output    string   `json:"output"` // files, one a line
	Files     []string `json:"files"`  // relative to the project, sorted
	Count     int      `json:"count"`  // files found, also those that are not listed
	Truncated bool     `json:"truncated"`
}

func glob(ctx context.Context, call Call, params json.RawMessage) (any, error) {
	var pattern, name string
	if _, err := (fields{"pattern": &pattern, "path": &name}).decode(params, "pattern"); err != nil {
		return nil, err
	}
	match, err := searchPattern(pattern)
	if err != nil {
		return nil, err
	}
	w, err := openWorkspace(call.Project)
	if err != nil {
		return nil, err
	}
	defer w.close()
	folder, info, err := w.searchPath(name)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return nil, failuref("Search path is not a directory: %s", printable(name))
	}
	files := []string{}
	limited, cancel := context.WithTimeout(ctx, searchTime)
	defer cancel()
	complete, err := w.walk(limited, folder, func(rel string, e fs.DirEntry) bool {
		if match.MatchString(relativeTo(folder, rel)) && w.isFile(rel, e) {
			files = append(files, rel)
		}
		return true
	})
	if err != nil {
		return nil, explainSearch(ctx, name, err)
	}
	slices.Sort(files)
	listed := files[:min(len(files), maxResults)]
	result := globResult{Files: listed, Count: len(files), Truncated: !complete || len(files) > maxResults}
	result.Output = namesOf(listed)
	if len(files) == 0 {
		result.Output = "No files match " + printable(pattern)
	}
	return result, nil
}

// searchPattern compiles the glob of a search, which is about paths below the search path and no others.
func searchPattern(pattern string) (*regexp.Regexp, error) {
	pattern = strings.TrimPrefix(pattern, "./")
	switch {
	case pattern == "":
		return nil, failure("Parameter 'pattern' must not be empty; **/* matches every file")
	case rooted(pattern) || slices.Contains(strings.Split(pattern, "/"), ".."):
		return nil, failure("Parameter 'pattern' must be relative to the search path and hold no '..'; use 'path' to search elsewhere in the project")
	}
	return compileGlob(pattern)
}

// isFile is true for regular files and for links to regular files inside the project.
func (w *workspace) isFile(rel string, e fs.DirEntry) bool {
	if e.Type()&fs.ModeSymlink == 0 {
		return e.Type().IsRegular()
	}
	target, err := w.resolve(rel)
	if err != nil {
		return false
	}
	info, err := w.root.Lstat(target)
	return err == nil && info.Mode().IsRegular()
}
