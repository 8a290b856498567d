package item

import "path"

// Document is what a reader finds in one file without running it: the names at its top level that have a literal value.
type Document struct {
	Values    *Object             // name → value, in file order; for Python and JavaScript the names as written
	Positions map[string]Position // where each name's value starts
	Skipped   map[string]Position // names assigned something that is not a literal (a call, a variable, a spread)
	Docstring string              // Python: the module's docstring, stripped
	Preamble  string              // Markdown: the text before the metadata fence, without the signature line
	Body      string              // Markdown: the text after the metadata fence
	Root      *Element            // directive: its XML
}

func newDocument() *Document {
	return &Document{Values: NewObject(), Positions: map[string]Position{}, Skipped: map[string]Position{}}
}

func (d *Document) set(name string, value any, pos Position) {
	d.Values.Set(name, value)
	d.Positions[name] = pos
	delete(d.Skipped, name)
}

func (d *Document) skip(name string, pos Position) {
	d.Values.Delete(name)
	delete(d.Positions, name)
	d.Skipped[name] = pos
}

// readers maps a file extension to the reader of its metadata. A reader returns a *SyntaxError without a path for
// bytes that the language itself would refuse.
var readers = map[string]func([]byte) (*Document, error){
	".py":   readPython,
	".js":   readJavaScript,
	".mjs":  readJavaScript,
	".cjs":  readJavaScript,
	".ts":   readJavaScript,
	".yaml": readYAML,
	".yml":  readYAML,
	".toml": readTOML,
	".json": readJSON,
	".sh":   readComments,
	".rb":   readComments,
	".pl":   readComments,
	".awk":  readComments,
	".lua":  readComments,
	".md":   ReadMarkdown,
}

// ReadDocument reads the top-level literals of a file by its extension. File types without a reader give an empty
// Document: they can be dependencies, not items.
func ReadDocument(file string, data []byte) (*Document, error) {
	read, ok := readers[path.Ext(file)]
	if !ok {
		return newDocument(), nil
	}
	doc, err := read(data)
	if syntax, ok := err.(*SyntaxError); ok {
		syntax.Path = file
	}
	return doc, err
}
