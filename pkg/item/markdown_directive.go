package item

import "slices"

// readDirectiveXML reads the XML of a directive. What identifies it becomes values: the attributes of its root, its
// description and the children of <metadata> as text. The rest of the language belongs to package directive, which
// starts from Root.
func readDirectiveXML(src []byte) (*Document, error) {
	root, err := readElements(src, "directive")
	if err != nil {
		return nil, err
	}
	doc := newDocument()
	doc.Root = root
	for name, value := range root.Attributes.All() {
		if slices.Contains([]string{"name", "version", "extends"}, name) {
			doc.set(name, value, root.Pos)
		}
	}
	for metadata := range root.All("metadata") {
		for _, child := range metadata.Children {
			if _, again := doc.Values.Get(child.Name); !again {
				doc.set(child.Name, child.Text, child.Pos)
			}
		}
	}
	for description := range root.All("description") {
		doc.set("description", description.Text, description.Pos) // it beats that of <metadata>
		break
	}
	return doc, nil
}

// directiveSchema is the schema of a directive's parameters, made of its <inputs>: what lists, completes and converts
// parameters then treats it like a tool. nil means that anything may be passed.
func (r *fieldReader) directiveSchema() *Object {
	properties, required := NewObject(), []any{}
	for inputs := range r.doc.Root.All("inputs") {
		for input := range inputs.All("input") {
			name := input.Attributes.String("name")
			if _, again := properties.Get(name); again || name == "" {
				r.fail(input.Pos, "every <input> needs a name of its own, not %s", Quote(name))
			}
			properties.Set(name, inputSchema(input))
			if input.Flag("required") {
				required = append(required, name)
			}
		}
	}
	if properties.Len() == 0 {
		return nil
	}
	schema := NewObject()
	schema.Set("type", "object")
	schema.Set("properties", properties)
	schema.Set("required", required)
	return schema
}

// inputSchema keeps a default as the text it is: it is converted with what callers pass.
func inputSchema(input *Element) *Object {
	schema := NewObject()
	schema.Set("type", "string")
	for _, name := range []string{"type", "default"} {
		if value, ok := input.Attributes.Get(name); ok {
			schema.Set(name, value)
		}
	}
	if input.Text != "" {
		schema.Set("description", input.Text)
	}
	return schema
}
