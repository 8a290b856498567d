package builtin

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

const (
	errNoIndex = failure("No line ID cache found. Read the file first to generate line IDs.")
	errChanged = failure("File has changed since last read. Re-read the file to get updated line IDs.")
)

type editResult struct {
	Output         string `json:"output"` // a unified diff
	ChangesApplied int    `json:"changes_applied"`
	LinesChanged   int    `json:"lines_changed"` // for each change, the larger of the lines taken out and put in
}

// change replaces the lines from one id to another, both included; no content takes them out.
type change struct{ startID, endID, content string }

// span is a change with its ids looked up.
type span struct {
	number      int // in the request, from 0
	first, last int // lines, from 0
	texts       []string
}

func editLines(ctx context.Context, call Call, params json.RawMessage) (any, error) {
	var name string
	var requests []json.RawMessage
	if _, err := (fields{"path": &name, "changes": &requests}).decode(params, "path", "changes"); err != nil {
		return nil, err
	}
	changes, err := decodeChanges(requests)
	if err != nil {
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
	if err := w.checkWritable(rel); err != nil {
		return nil, err
	}
	file, err := w.readText(rel, maxFile)
	if err != nil {
		return nil, explain(name, err)
	}
	result, err := w.edit(ctx, file, changes)
	if err != nil {
		return nil, explain(name, err)
	}
	return result, nil
}

func decodeChanges(requests []json.RawMessage) ([]change, error) {
	if len(requests) == 0 {
		return nil, failure("Parameter 'changes' must hold at least one change")
	}
	changes := make([]change, len(requests))
	for i, request := range requests {
		c, one := &changes[i], ""
		given, err := fields{
			"line_id": &one, "start_line_id": &c.startID, "end_line_id": &c.endID, "new_content": &c.content,
		}.decode(request, "new_content")
		if err != nil {
			return nil, failuref("changes[%d]: %v", i, err)
		}
		isRange := given["start_line_id"] && given["end_line_id"]
		if given["line_id"] == isRange || given["start_line_id"] != given["end_line_id"] {
			return nil, failuref("changes[%d]: Provide either 'line_id' or 'start_line_id'+'end_line_id'.", i)
		}
		if given["line_id"] {
			c.startID, c.endID = one, one
		}
	}
	return changes, nil
}

// edit applies the changes or none of them.
func (w *workspace) edit(ctx context.Context, file *textFile, changes []change) (editResult, error) {
	index := w.loadIndex(file.rel)
	switch {
	case index == nil:
		return editResult{}, errNoIndex
	case !index.describes(file):
		return editResult{}, errChanged
	}
	spans, err := locate(changes, index)
	if err != nil {
		return editResult{}, err
	}
	after, kept := splice(file.lines, index.Lines, spans)
	data := joinLines(after)
	if len(data) > maxFile || len(after) > maxLines {
		return editResult{}, failuref("The edited file would be too large: %d bytes in %d lines, at most %d bytes and %d lines",
			len(data), len(after), maxFile, maxLines)
	}
	if err := ctx.Err(); err != nil {
		return editResult{}, err
	}
	if err := w.replaceFile(file.rel, data, true); err != nil {
		return editResult{}, err
	}
	w.refreshIndex(&textFile{rel: file.rel, data: data, lines: after}, kept)
	result := editResult{ChangesApplied: len(changes)}
	for _, s := range spans {
		result.LinesChanged += max(s.last-s.first+1, len(s.texts))
	}
	result.Output = clipLines(unifiedDiff(file.rel, string(file.data), string(data)))
	if result.Output == "" {
		result.Output = fmt.Sprintf("No changes: %s has this content already", printable(file.rel))
	}
	return result, nil
}

// refreshIndex lets lines that were not touched keep their ids. If that cannot be saved, the file is edited all the same
// and the old index, which no longer describes it, makes the next edit ask for a read.
func (w *workspace) refreshIndex(file *textFile, kept []indexedLine) {
	if info, err := w.root.Lstat(file.rel); err == nil {
		file.modified = info.ModTime()
	}
	_ = w.saveIndex(finishIndex(file, kept))
}

// locate turns ids into lines, sorted, and refuses ids that are not in the file and changes that meet.
func locate(changes []change, index *lineIndex) ([]span, error) {
	at := make(map[string]int, len(index.Lines))
	for i, l := range index.Lines {
		at[l.ID] = i
	}
	var unknown []string
	spans := make([]span, len(changes))
	for i, c := range changes {
		first, ok := at[c.startID]
		if !ok {
			unknown = append(unknown, c.startID)
		}
		last, ok := at[c.endID]
		if !ok && c.endID != c.startID {
			unknown = append(unknown, c.endID)
		}
		spans[i] = span{number: i, first: first, last: last, texts: contentLines(c.content)}
	}
	if len(unknown) > 0 {
		return nil, errInvalidIDs(unknown, index)
	}
	for _, s := range spans {
		if s.first > s.last {
			return nil, failuref("changes[%d]: start_line_id is line %d, after end_line_id, line %d", s.number, s.first+1, s.last+1)
		}
	}
	slices.SortStableFunc(spans, func(a, b span) int { return cmp.Compare(a.first, b.first) })
	for i := 1; i < len(spans); i++ {
		if a, b := spans[i-1], spans[i]; b.first <= a.last {
			return nil, failuref("Overlapping changes: changes[%d] (lines %d-%d) and changes[%d] (lines %d-%d)",
				a.number, a.first+1, a.last+1, b.number, b.first+1, b.last+1)
		}
	}
	return spans, nil
}

func errInvalidIDs(unknown []string, index *lineIndex) error {
	const shown = 10
	known := make([]string, 0, shown)
	for _, l := range index.Lines[:min(shown, len(index.Lines))] {
		known = append(known, l.ID)
	}
	return failuref("Invalid line IDs: %s. Available IDs include: %s...", quoteIDs(unknown[:min(shown, len(unknown))]), quoteIDs(known))
}

func quoteIDs(ids []string) string {
	quoted := make([]string, len(ids))
	for i, id := range ids {
		id, _ = clip(printable(id), 80)
		quoted[i] = "'" + id + "'"
	}
	return "[" + strings.Join(quoted, ", ") + "]"
}
