package builtin

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"
)

const readHeader = "# LINE:LID│ content — LIDs are stable references for edit_lines, not file content"

type readResult struct {
	Output     string `json:"output"`
	LineCount  int    `json:"line_count"` // lines in output
	TotalLines int    `json:"total_lines"`
	Truncated  bool   `json:"truncated"` // output stops before the file's end
	Offset     int    `json:"offset"`
	Warning    string `json:"warning,omitempty"` // the ids could not be saved
}

func read(ctx context.Context, call Call, params json.RawMessage) (any, error) {
	var name string
	offset, limit := 1, 2000
	if _, err := (fields{"path": &name, "offset": &offset, "limit": &limit}).decode(params, "path"); err != nil {
		return nil, err
	}
	switch {
	case offset < 1:
		return nil, failuref("Parameter 'offset' must be at least 1, the first line; it is %d", offset)
	case limit < 1:
		return nil, failuref("Parameter 'limit' must be at least 1; it is %d", limit)
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
	file, err := w.readText(rel, maxFile)
	if err != nil {
		return nil, explain(name, err)
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	index := w.loadIndex(rel)
	var warning string
	if !index.describes(file) {
		index = newIndex(file, index)
		if err := w.saveIndex(index); err != nil {
			warning = fmt.Sprintf("The line ids cannot be used by edit_lines, they were not saved: %v", explain(indexPath(rel), err))
		}
	}
	result := numbered(file, index, offset, limit)
	result.Warning = warning
	return result, nil
}

// numbered shows lines offset to offset+limit-1 as far as they fit into the output. Whole lines are left out at the end,
// so that a read from offset+line_count goes on where this one stopped; only a first line that is too long is cut.
func numbered(file *textFile, index *lineIndex, offset, limit int) readResult {
	var out strings.Builder
	out.WriteString(readHeader)
	room := maxOutput - utf8.RuneCountInString(readHeader)
	first := min(offset-1, len(file.lines))
	last := min(first+limit, len(file.lines))
	shown, cut := 0, false
	for i := first; i < last && !cut; i++ {
		text := fmt.Sprintf("\n%d:%s│ %s", i+1, index.Lines[i].ID, file.lines[i].text)
		text, cut = clip(text, room)
		if cut && shown > 0 {
			break
		}
		out.WriteString(text)
		room -= utf8.RuneCountInString(text)
		shown++
	}
	return readResult{
		Output:     out.String(),
		LineCount:  shown,
		TotalLines: len(file.lines),
		Truncated:  cut || first+shown < len(file.lines),
		Offset:     offset,
	}
}
