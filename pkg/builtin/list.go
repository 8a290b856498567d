package builtin

import (
	"cmp"
	"context"
	"encoding/json"
	"io/fs"
	"path"
	"slices"
	"strings"
)

// maxListed bounds the entries of one folder in a result.
const maxListed = 10_000

type listResult struct {
	Output    string      `json:"output"` // a name a line, folders with a / at the end
	Entries   []listEntry `json:"entries"`
	Truncated bool        `json:"truncated,omitempty"` // the folder has more than maxListed entries
}

type listEntry struct {
	Name string `json:"name"` // relative to the project
	Type string `json:"type"` // directory, file, symlink or other
}

func list(ctx context.Context, call Call, params json.RawMessage) (any, error) {
	var name string
	if _, err := (fields{"path": &name}).decode(params); err != nil {
		return nil, err
	}
	w, err := openWorkspace(call.Project)
	if err != nil {
		return nil, err
	}
	defer w.close()
	rel, err := w.resolve(name)
	if err != nil {
		return nil, err
	}
	info, err := w.root.Lstat(rel)
	if err != nil {
		return nil, explain(name, err)
	}
	if !info.IsDir() {
		return nil, failuref("Path is not a directory: %s", printable(name))
	}
	found, complete, err := w.entries(rel, maxListed)
	if err != nil {
		return nil, explain(name, err)
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	result := listResult{Entries: make([]listEntry, len(found)), Truncated: !complete}
	for i, e := range found {
		result.Entries[i] = listEntry{Name: path.Join(rel, e.Name()), Type: entryType(e)}
	}
	slices.SortFunc(result.Entries, compareEntries)
	shown := make([]string, len(result.Entries))
	for i, e := range result.Entries {
		shown[i] = e.Name
		if e.Type == "directory" {
			shown[i] += "/"
		}
	}
	result.Output = clipLines(namesOf(shown))
	return result, nil
}

// compareEntries puts folders first and ignores case, except to keep a fixed order among names that differ only in it.
func compareEntries(a, b listEntry) int {
	if aDir, bDir := a.Type == "directory", b.Type == "directory"; aDir != bDir {
		if aDir {
			return -1
		}
		return 1
	}
	return cmp.Or(cmp.Compare(strings.ToLower(a.Name), strings.ToLower(b.Name)), cmp.Compare(a.Name, b.Name))
}

func entryType(e fs.DirEntry) string {
	switch mode := e.Type(); {
	case mode.IsDir():
		return "directory"
	case mode&fs.ModeSymlink != 0:
		return "symlink"
	case mode.IsRegular():
		return "file"
	}
	return "other"
}
