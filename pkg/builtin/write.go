package builtin

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
)

const errNothingToWrite = failure("Provide either 'files' (batch) or 'path'+'content' (single).")

type writeResult struct {
	Output       string `json:"output"` // a unified diff, or "Created new file P (N bytes)"
	FilePath     string `json:"file_path"`
	BytesWritten int    `json:"bytes_written"`
	Created      bool   `json:"created"`
}

type batchResult struct {
	FilesWritten int           `json:"files_written"`
	FilesTotal   int           `json:"files_total"`
	Results      []writeResult `json:"results"`
	Errors       []writeError  `json:"errors,omitempty"`
}

type writeError struct {
	Path  string `json:"path"`
	Error string `json:"error"`
}

func write(ctx context.Context, call Call, params json.RawMessage) (any, error) {
	var name, content string
	var files []json.RawMessage
	given, err := fields{"path": &name, "content": &content, "files": &files}.decode(params)
	if err != nil {
		return nil, err
	}
	single := given["path"] && given["content"] && !given["files"]
	batch := given["files"] && !given["path"] && !given["content"]
	if !single && !batch {
		return nil, errNothingToWrite
	}
	w, err := openWorkspace(call.Project)
	if err != nil {
		return nil, err
	}
	defer w.close()
	if batch {
		return w.writeBatch(ctx, files)
	}
	return w.writeFile(name, content)
}

// writeBatch reads all requests before it writes any file, then goes on past files that fail.
func (w *workspace) writeBatch(ctx context.Context, requests []json.RawMessage) (any, error) {
	type file struct{ name, content string }
	files := make([]file, len(requests))
	for i, request := range requests {
		f := &files[i]
		if _, err := (fields{"path": &f.name, "content": &f.content}).decode(request, "path", "content"); err != nil {
			return nil, failuref("files[%d]: %v", i, err)
		}
	}
	if len(files) == 0 {
		return nil, errNothingToWrite
	}
	result := batchResult{FilesTotal: len(files), Results: []writeResult{}}
	for _, f := range files {
		err := ctx.Err()
		if err == nil {
			var one writeResult
			if one, err = w.writeFile(f.name, f.content); err == nil {
				result.Results = append(result.Results, one)
				continue
			}
		}
		result.Errors = append(result.Errors, writeError{f.name, err.Error()})
	}
	result.FilesWritten = len(result.Results)
	if n := len(result.Errors); n > 0 {
		return result, failuref("%d of %d files could not be written; see 'errors'", n, len(files))
	}
	return result, nil
}

func (w *workspace) writeFile(name, content string) (writeResult, error) {
	if len(content) > maxFile {
		return writeResult{}, failuref("Content is too large: %d bytes, at most %d", len(content), maxFile)
	}
	rel, err := w.resolve(name)
	if err != nil {
		return writeResult{}, err
	}
	result := writeResult{FilePath: rel, BytesWritten: len(content)}
	var before []byte
	comparable := false
	info, err := w.root.Lstat(rel)
	if err == nil && info.Mode().IsRegular() && info.Size() <= maxFile {
		before, _, err = w.readFile(rel, maxFile)
		comparable = err == nil && !isBinary(before) && !isBinary([]byte(content))
	}
	result.Created = errors.Is(err, fs.ErrNotExist)
	if err != nil && !result.Created {
		return writeResult{}, explain(name, err)
	}
	if err := w.replaceFile(rel, []byte(content), true); err != nil { // refuses folders, pipes and the like
		return writeResult{}, explain(name, err)
	}
	w.dropIndex(rel)
	switch {
	case result.Created:
		result.Output = fmt.Sprintf("Created new file %s (%d bytes)", printable(rel), len(content))
	case !comparable:
		result.Output = fmt.Sprintf("Replaced %s (%d bytes)", printable(rel), len(content))
	case string(before) == content:
		result.Output = fmt.Sprintf("No changes: %s has this content already", printable(rel))
	default:
		result.Output = clipLines(unifiedDiff(rel, string(before), content))
	}
	return result, nil
}
