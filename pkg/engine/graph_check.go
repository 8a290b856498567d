package engine

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ryeos/rye/pkg/graph"
	"github.com/ryeos/rye/pkg/item"
	"github.com/ryeos/rye/pkg/space"
)

// GraphReport is what the static validation of a graph finds. Each text starts with file:line:column where that is known.
type GraphReport struct {
	Success   bool     `json:"success"`
	ItemID    string   `json:"item_id,omitempty"`
	Path      string   `json:"path"`
	Errors    []string `json:"errors"`
	Warnings  []string `json:"warnings"`
	NodeCount int      `json:"node_count"`
}

// CheckGraph validates a graph without running it: an item, or a file anywhere. Neither needs to be signed, as nothing of it
// is executed.
func (e *Engine) CheckGraph(refOrPath string) (*GraphReport, error) {
	f, err := e.readGraph(refOrPath)
	if err != nil {
		return nil, err
	}
	r := &GraphReport{Path: f.path}
	var issues []item.Issue
	if f.ref.ID != "" {
		r.ItemID, issues = f.ref.String(), item.Validate(f.ref, f.path, f.meta)
	}
	found := f.graph.Validate()
	r.Errors = located(f.path, slices.Concat(issues, found.Errors))
	r.Warnings = located(f.path, slices.Concat(found.Warnings, found.Notes))
	r.Success, r.NodeCount = len(r.Errors) == 0, found.NodeCount
	return r, nil
}

// graphFile is a graph as it lies in a file, which nobody has verified.
type graphFile struct {
	ref    item.Ref // zero for a file that is no item
	path   string
	source []byte
	meta   *item.Metadata
	graph  *graph.Graph
}

// readGraph reads what a reference or a path names.
func (e *Engine) readGraph(refOrPath string) (*graphFile, error) {
	find := e.graphItem
	if filepath.Ext(refOrPath) != "" && !strings.HasPrefix(refOrPath, string(item.Tool)+":") {
		find = e.graphPath
	}
	f, err := find(refOrPath)
	if err != nil {
		return nil, err
	}
	if f.meta, err = item.ParseMetadata(item.Tool, f.path, f.source); err != nil {
		return nil, err
	}
	if f.meta.ExecutorID != graphRuntime {
		return nil, item.Usagef("%s is no state graph: its executor is %s", f.path, item.Quote(f.meta.ExecutorID))
	}
	f.graph, err = graph.Parse(f.path, f.source)
	return f, err
}

// maxGraphFile bounds a file that is named by its path, in bytes.
const maxGraphFile = 50 << 20

func (e *Engine) graphPath(name string) (*graphFile, error) {
	file, err := filepath.Abs(name)
	if err != nil {
		return nil, err
	}
	info, err := os.Stat(file)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return nil, item.Errorf(item.TypeNotFound, "no such file: %s", name)
	case err != nil:
		return nil, item.Errorf(item.TypePermission, "cannot read %s: %w", name, err)
	case !info.Mode().IsRegular():
		return nil, item.Usagef("%s is not a file", name)
	case info.Size() > maxGraphFile:
		return nil, item.Usagef("%s is larger than %d MiB", name, maxGraphFile>>20)
	}
	if _, rel, ok := e.spaces.Locate(file); ok {
		if kind, id, isKind := item.SplitPath(rel); isKind && kind == item.Tool {
			return e.graphItem(item.Ref{Kind: kind, ID: strings.TrimSuffix(id, path.Ext(id))}.String())
		}
	}
	source, err := os.ReadFile(file)
	return &graphFile{path: file, source: source}, err
}

func (e *Engine) graphItem(text string) (*graphFile, error) {
	ref, err := item.ParseRef(text)
	if err != nil {
		return nil, err
	}
	ref = ref.With(cmp.Or(ref.Kind, item.Tool))
	found, err := e.spaces.Find(ref, false)
	var missing *space.NotFoundError
	if errors.As(err, &missing) {
		return nil, e.notFound(ref, missing)
	}
	if err != nil {
		return nil, err
	}
	data, _, err := found.Read()
	return &graphFile{ref: ref, path: found.Display(), source: data}, err
}

// located puts the place before each message.
func located(path string, issues []item.Issue) []string {
	texts := make([]string, len(issues))
	for i, issue := range issues {
		texts[i] = issue.Message
		if issue.Pos.Line > 0 {
			texts[i] = fmt.Sprintf("%s:%d:%d: %s", path, issue.Pos.Line, issue.Pos.Column, issue.Message)
		}
	}
	return texts
}

// CheckGraph reports a call of anything but a graph.
func (c *Call) CheckGraph() error {
	if c.ref.Kind == item.Tool && isGraph(c.chain) {
		return nil
	}
	return item.Usagef("%s is no state graph", c.ref).Hint("rye execute %s", c.ref)
}

// IsGraph reports whether a tool says that it is a graph, as completion wants to know.
func (e *Engine) IsGraph(ref string) bool {
	_, err := e.readGraph(ref)
	return err == nil
}

// GraphNodes lists the nodes of a graph in the order of its file, none of what is no graph.
func (e *Engine) GraphNodes(refOrPath string) []string {
	f, err := e.readGraph(refOrPath)
	if err != nil {
		return nil
	}
	var names []string
	for _, n := range f.graph.Nodes {
		names = append(names, n.Name)
	}
	return names
}
