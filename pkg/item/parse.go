package item

import (
	"path"
	"strings"
)

// ParseMetadata reads what a file says about itself (spec/rye-core §2.2). Only tools take part in chains, so the fields of
// chain elements are read for tools alone: in a config file the same words are data. The file's name chooses the reader.
// The error is a *SyntaxError with file as its path: the language refuses the file, or a recognised name has a value of
// the wrong type.
func ParseMetadata(kind Kind, file string, data []byte) (*Metadata, error) {
	m, err := parseMetadata(kind, file, data)
	if syntax, ok := err.(*SyntaxError); ok {
		syntax.Path = file
	}
	return m, err
}

func parseMetadata(kind Kind, file string, data []byte) (*Metadata, error) {
	doc, err := readItem(kind, file, data)
	if err != nil {
		return nil, err
	}
	r := &fieldReader{src: data, doc: doc}
	m := &Metadata{
		Document:       doc,
		Version:        r.find("version").text(),
		Category:       r.find("category").text(),
		Description:    r.description(),
		ExecutionOwner: "engine",
	}
	switch kind {
	case Tool:
		r.tool(m)
	case Agent:
		m.Description = r.find("description").text() // its tool_description is for models alone
	case Directive:
		m.ConfigSchema = r.directiveSchema()
	}
	if r.err != nil {
		return nil, r.err
	}
	return m, nil
}

// readItem is ReadDocument, except that the kind says which fence of a Markdown file holds the metadata.
func readItem(kind Kind, file string, data []byte) (*Document, error) {
	language, missing := "", ""
	switch kind {
	case Directive:
		language, missing = "xml", "No XML code block found"
	case Knowledge:
		language, missing = "yaml", "No metadata found. Knowledge entries require a ```yaml fenced code block with "+
			"name, title, version, and entry_type fields."
	}
	if path.Ext(file) != ".md" || language == "" {
		return ReadDocument(file, data)
	}
	doc, found, err := readFence(data, language)
	if err != nil || found {
		return doc, err
	}
	if kind == Knowledge {
		if _, err := ReadMarkdown(data); err != nil { // for its word on front matter
			return nil, err
		}
	}
	return nil, &SyntaxError{Pos: Position{Line: 1, Column: 1}, Message: missing}
}

// description prefers the text that is written for models, and falls back to a Python docstring's first line.
func (r *fieldReader) description() string {
	for _, name := range []string{"tool_description", "description"} {
		if f := r.find(name); f.declared() {
			return f.text()
		}
	}
	first, _, _ := strings.Cut(r.doc.Docstring, "\n")
	return strings.TrimSpace(first)
}

// tool reads the fields of a chain element.
func (r *fieldReader) tool(m *Metadata) {
	m.ToolType = r.find("tool_type").text()
	m.ExecutorID, m.ExecutorDeclared = r.executor()
	m.ExecutionOwner = r.find("execution_owner").textOf("engine", "callee")
	m.NativeAsync = r.find("native_async").flag(false)
	m.NativeResume = r.find("native_resume").flag(false)
	m.AllowedThreads = r.find("allowed_threads").texts()
	m.AllowedTargets = r.find("allowed_targets").texts()
	m.ConfigSchema = r.find("config_schema").object()
	m.EnvConfig = r.find("env_config").envConfig()
	m.Config = r.find("config").object()
	m.ConfigResolve, m.ConfigByPath = r.find("config_resolve").configSpecs()
	m.Anchor = r.find("anchor").anchor()
	m.VerifyDeps = r.find("verify_deps").verifyDeps()
	m.Sandbox = r.find("sandbox").sandbox()
	m.Inputs = r.find("inputs").names()
	m.Outputs = r.find("outputs").names()
	m.ChildConstraints = r.find("child_constraints").versionRanges()
}

// executor tells a declared null, the end of a chain, from an absent executor_id.
func (r *fieldReader) executor() (id string, declared bool) {
	f := r.find("executor_id")
	if !f.declared() {
		return "", f.pos != Position{}
	}
	id, isText := f.value.(string)
	switch {
	case !isText:
		f.fail("must be a string, or null for the end of a chain")
	case id == "":
		f.fail("is empty: name the runtime that runs this tool, or write null for the end of a chain")
	default:
		if err := ValidateID(id); err != nil {
			f.fail("is not an item id: %v", err)
		}
	}
	return id, true
}
