package builtin

import (
	"bytes"
	"context"
	"errors"
	"io"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"
)

type brokenWriter struct{}

func (brokenWriter) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }

type endless struct{}

func (endless) Read(p []byte) (int, error) { return len(p), nil }

func TestRunErrors(t *testing.T) {
	p := newProject(t, nil)
	err := FileSystem().Run(t.Context(), "file-system/erase", Call{p.dir}, strings.NewReader("{}"), io.Discard)
	if err == nil || !strings.Contains(err.Error(), "file-system/read") {
		t.Errorf("unknown tool: %v", err)
	}
	err = FileSystem().Run(t.Context(), "file-system/ls", Call{p.dir}, strings.NewReader("{}"), brokenWriter{})
	if !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("broken stdout: %v", err)
	}
	var out bytes.Buffer
	if err := FileSystem().Run(t.Context(), "file-system/ls", Call{p.dir}, endless{}, &out); err != nil || !strings.Contains(out.String(), "larger than") {
		t.Errorf("endless parameters: %v %s", err, out.String())
	}
	for _, dir := range []string{"relative", p.path("missing")} {
		out.Reset()
		if err := FileSystem().Run(t.Context(), "file-system/ls", Call{dir}, strings.NewReader(""), &out); err != nil || !strings.Contains(out.String(), "project folder") {
			t.Errorf("project %s: %v %s", dir, err, out.String())
		}
	}
}

func TestFileSystem(t *testing.T) {
	names := slices.Sorted(maps.Keys(FileSystem()))
	want := []string{"file-system/edit_lines", "file-system/glob", "file-system/grep", "file-system/ls", "file-system/read", "file-system/write"}
	if !slices.Equal(names, want) {
		t.Errorf("FileSystem() = %v", names)
	}
}

func TestParameters(t *testing.T) {
	p := newProject(t, map[string]string{"a.txt": "one\n"})
	tests := []struct{ tool, params, want string }{
		{"read", ``, "Missing required parameter: path"},
		{"read", `{"path":null}`, "Missing required parameter: path"},
		{"read", `{"path":"a.txt","Limit":1}`, "Unknown parameter 'Limit'. Valid parameters: limit, offset, path"},
		{"read", `{"path":1}`, "Parameter 'path' must be a string, not the number 1"},
		{"read", `{"path":"a.txt","offset":"1"}`, "Parameter 'offset' must be an integer, not a string"},
		{"read", `{"path":"a.txt","offset":1.5}`, "Parameter 'offset' must be an integer, not the number 1.5"},
		{"read", `{"path":"a.txt","limit":1e99}`, "Parameter 'limit' must be an integer, not the number 1e99"},
		{"read", `{"path":"a.txt","offset":0}`, "Parameter 'offset' must be at least 1, the first line; it is 0"},
		{"read", `{"path":"a.txt","limit":-3}`, "Parameter 'limit' must be at least 1; it is -3"},
		{"read", `["a.txt"]`, "Parameters must be a JSON object"},
		{"read", `{"path":"a.txt"} {}`, "Parameters must be a JSON object"},
		{"read", `{"path":"a.txt"`, "Parameters must be a JSON object"},
		{"read", strings.Repeat(`[`, 20000), "Parameters must be a JSON object"},
		{"write", `{}`, "Provide either 'files' (batch) or 'path'+'content' (single)."},
		{"write", `{"path":"x"}`, "Provide either 'files' (batch) or 'path'+'content' (single)."},
		{"write", `{"content":"x"}`, "Provide either 'files' (batch) or 'path'+'content' (single)."},
		{"write", `{"files":[]}`, "Provide either 'files' (batch) or 'path'+'content' (single)."},
		{"write", `{"path":"x","content":"y","files":[]}`, "Provide either 'files' (batch) or 'path'+'content' (single)."},
		{"write", `{"files":{}}`, "Parameter 'files' must be a list, not an object"},
		{"write", `{"files":[{"path":"x"}]}`, "files[0]: Missing required parameter: content"},
		{"write", `{"files":["x"]}`, "files[0]: Parameters must be a JSON object"},
		{"edit_lines", `{"path":"a.txt"}`, "Missing required parameter: changes"},
		{"edit_lines", `{"path":"a.txt","changes":[]}`, "Parameter 'changes' must hold at least one change"},
		{"edit_lines", `{"path":"a.txt","changes":[{"line_id":"a"}]}`, "changes[0]: Missing required parameter: new_content"},
		{"edit_lines", `{"path":"a.txt","changes":[{"new_content":"a"}]}`, "changes[0]: Provide either 'line_id' or 'start_line_id'+'end_line_id'."},
		{"edit_lines", `{"path":"a.txt","changes":[{"start_line_id":"a","new_content":"a"}]}`, "changes[0]: Provide either"},
		{"edit_lines", `{"path":"a.txt","changes":[{"line_id":"a","end_line_id":"b","new_content":"a"}]}`, "changes[0]: Provide either"},
		{"edit_lines", `{"path":"a.txt","changes":[{"line_id":"a","start_line_id":"a","end_line_id":"b","new_content":"a"}]}`, "changes[0]: Provide either"},
		{"edit_lines", `{"path":"a.txt","changes":[{"line":"a","new_content":"a"}]}`, "changes[0]: Unknown parameter 'line'"},
		{"glob", `{}`, "Missing required parameter: pattern"},
		{"glob", `{"pattern":""}`, "Parameter 'pattern' must not be empty"},
		{"glob", `{"pattern":"../*"}`, "Parameter 'pattern' must be relative"},
		{"glob", `{"pattern":"/etc/*"}`, "Parameter 'pattern' must be relative"},
		{"glob", `{"pattern":"[a"}`, `Invalid glob pattern: a [ is not closed`},
		{"grep", `{"pattern":"("}`, "Invalid regular expression: missing closing ): ("},
		{"grep", `{"pattern":"(?=x)"}`, "Invalid regular expression: invalid or unsupported Perl syntax: (?="},
		{"grep", `{"pattern":"x","include":"{"}`, "include: Invalid glob pattern"},
		{"grep", `{"pattern":true}`, "Parameter 'pattern' must be a string, not a boolean"},
		{"ls", `{"path":["."]}`, "Parameter 'path' must be a string, not a list"},
		{"ls", `{"\u001b[31m":1}`, `Unknown parameter '\x1b[31m'`},
	}
	for _, test := range tests {
		got := p.fails("file-system/"+test.tool, test.params)
		if !strings.HasPrefix(got, test.want) {
			t.Errorf("%s %.80s:\n got %s\nwant %s…", test.tool, test.params, got, test.want)
		}
	}
	equal(t, "a.txt after all that", p.get("a.txt"), "one\n")
	equal(t, "2.0 is an integer", p.ok("file-system/read", `{"path":"a.txt","limit":2.0}`)["line_count"], any(1.0))
}

func TestCancelled(t *testing.T) {
	p := newProject(t, map[string]string{"a.txt": "one\n"})
	id := p.ids("a.txt")[0]
	ctx, cancel := context.WithTimeout(t.Context(), -time.Second)
	defer cancel()
	for tool, args := range map[string]string{
		"read":       `{"path":"a.txt"}`,
		"write":      `{"files":[{"path":"a.txt","content":"two"}]}`,
		"edit_lines": `{"path":"a.txt","changes":[{"line_id":"` + id + `","new_content":"two"}]}`,
		"glob":       `{"pattern":"**"}`,
		"grep":       `{"pattern":"o"}`,
		"ls":         `{}`,
	} {
		run := FileSystem()["file-system/"+tool]
		if _, err := run(ctx, Call{p.dir}, []byte(args)); err == nil {
			t.Errorf("%s works on after its deadline", tool)
		}
	}
	equal(t, "a.txt", p.get("a.txt"), "one\n")
}
