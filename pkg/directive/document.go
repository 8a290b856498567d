package directive

import (
	"slices"

	"github.com/ryeos/rye/pkg/item"
)

// Document is one directive (spec/rye-agent §1.2). Its JSON is the data of a dry run.
type Document struct {
	Name        string `json:"name"`
	Version     string `json:"version"`
	Extends     string `json:"extends,omitempty"` // reference of the parent, as it is written
	Description string `json:"description"`
	Category    string `json:"category"`
	Author      string `json:"author,omitempty"`

	Model       *Model       `json:"model,omitempty"`
	Limits      *Limits      `json:"limits,omitempty"`
	Permissions []Permission `json:"permissions,omitempty"` // nil when there is no <permissions>
	Risks       []Risk       `json:"acknowledged_risks,omitempty"`
	Hooks       []Hook       `json:"hooks,omitempty"`
	Context     Context      `json:"context"`
	Metadata    *item.Object `json:"metadata,omitempty"` // text of the other elements of <metadata>

	Inputs    []item.Parameter `json:"inputs,omitempty"` // defaults are text
	Outputs   []item.Parameter `json:"outputs,omitempty"`
	Actions   []Action         `json:"actions,omitempty"`
	Templates []Template       `json:"templates,omitempty"`

	Preamble string `json:"preamble,omitempty"` // before the XML
	Content  string `json:"content"`            // the XML
	Body     string `json:"body"`               // after the XML: the instructions

	meta        *item.Metadata
	root        *item.Element
	permissions string // <permissions> as it is written
	issues      []item.Issue
}

// Template is an opaque element: <template>, <example> or <raw>, whose content may be any text.
type Template struct {
	Tag     string `json:"tag"`
	Content string `json:"content"`
}

// Parse reads a directive. The error is a *item.SyntaxError with file as its path. What can be read but cannot be
// signed is left to Validate.
func Parse(file string, src []byte) (*Document, error) {
	meta, err := item.ParseMetadata(item.Directive, file, src)
	if err != nil {
		return nil, err
	}
	root := meta.Document.Root
	if root == nil {
		return nil, &item.SyntaxError{Path: file, Pos: item.Position{Line: 1, Column: 1}, Message: "a directive is a Markdown file"}
	}
	r := &reader{src: src}
	d := &Document{
		Name: meta.Document.Values.String("name"), Version: meta.Version, Description: meta.Description,
		Category: meta.Category, Author: meta.Document.Values.String("author"), Extends: r.extends(root),
		Inputs: meta.Parameters(), Preamble: meta.Document.Preamble, Content: root.Source, Body: meta.Document.Body,
		meta: meta, root: root,
	}
	r.readRoot(d)
	if r.err != nil {
		r.err.Path = file
		return nil, r.err
	}
	d.issues = r.issues
	return d, nil
}

// Of the elements that have a place of their own, these belong in <metadata> and those directly in <directive>.
var (
	metadataTags = []string{"category", "author", "model", "model_class", "limits", "permissions", "hooks", "context"}
	rootTags     = []string{"metadata", "inputs", "outputs"}
)

func (r *reader) readRoot(d *Document) {
	root := d.root
	r.attributes(root, "name", "version", "extends")
	r.once(root, append(rootTags, "description")...)
	for _, e := range root.Children {
		switch {
		case slices.Contains(metadataTags, e.Name):
			r.report(e, "<%s> belongs in <metadata>: here it has no effect", e.Name)
		case e.Name == "metadata":
			r.metadata(d, e)
		case e.Name == "inputs":
			r.inputs(d, e)
		case e.Name == "outputs":
			d.Outputs = r.outputs(e)
		}
		if e.Name != "metadata" {
			r.body(d, e)
		}
	}
}

func (r *reader) metadata(d *Document, metadata *item.Element) {
	r.once(metadata, append(metadataTags, "description")...)
	d.Metadata = item.NewObject()
	for _, e := range metadata.Children {
		switch e.Name {
		case "description", "category", "author":
		case "model", "model_class":
			if d.Model != nil {
				r.fail(e, "a second model: <model> and <model_class> are the same")
			}
			d.Model = r.model(e)
		case "limits":
			d.Limits = r.limits(e)
		case "permissions":
			d.permissions = e.Source
			d.Permissions, d.Risks = r.permissions(e)
		case "hooks":
			d.Hooks = r.hooks(e)
		case "context":
			d.Context = r.context(e)
		default:
			if slices.Contains(rootTags, e.Name) {
				r.report(e, "<%s> belongs directly in <directive>: here it has no effect", e.Name)
			} else if e.Text != "" {
				d.Metadata.Set(e.Name, e.Text)
			}
		}
	}
	if d.Metadata.Len() == 0 {
		d.Metadata = nil
	}
}

// body gathers what an element outside of <metadata> holds at any depth: actions and opaque texts.
func (r *reader) body(d *Document, e *item.Element) {
	switch e.Name {
	case "execute", "fetch", "sign":
		d.Actions = append(d.Actions, r.action(e, e.Name))
	case "template", "example", "raw":
		d.Templates = append(d.Templates, Template{Tag: e.Name, Content: e.Content()})
	}
	for _, child := range e.Children {
		r.body(d, child)
	}
}

func (r *reader) extends(root *item.Element) string {
	extends, declared := root.Attributes.Get("extends")
	text, _ := extends.(string)
	if declared {
		if _, err := parentRef(text); err != nil {
			r.fail(root, "extends: %v", err)
		}
	}
	return text
}
