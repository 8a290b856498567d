package item

import "slices"

// Parameter is one property of a tool's config_schema, as people see it.
type Parameter struct {
	Name        string `json:"name"`
	Type        string `json:"type,omitempty"`  // JSON Schema type; "" when the schema does not name exactly one
	Items       string `json:"items,omitempty"` // type of an array's elements, when the schema names one
	Required    bool   `json:"required"`
	Default     any    `json:"default,omitempty"`
	Enum        []any  `json:"enum,omitempty"`
	Description string `json:"description,omitempty"`
}

// Parameters lists the properties of a config_schema in the order in which they are written.
func (m *Metadata) Parameters() []Parameter {
	required, _ := m.ConfigSchema.Get("required")
	names, _ := required.([]any)
	var params []Parameter
	for name, v := range m.ConfigSchema.Object("properties").All() {
		schema, _ := v.(*Object)
		p := Parameter{
			Name: name, Type: schema.String("type"), Description: schema.String("description"),
			Items: schema.Object("items").String("type"), Required: slices.Contains(names, any(name)),
		}
		p.Default, _ = schema.Get("default")
		if enum, ok := schema.Get("enum"); ok {
			p.Enum, _ = enum.([]any)
		}
		params = append(params, p)
	}
	return params
}

// OpenParameters reports whether a tool takes parameters that its schema does not name: it has no schema, or the schema
// says so with `additionalProperties`.
func (m *Metadata) OpenParameters() bool {
	if m.ConfigSchema.Object("properties") == nil {
		return true
	}
	extra, declared := m.ConfigSchema.Get("additionalProperties")
	return declared && extra != false
}

// Declares reports whether the tool's schema names the parameter.
func (m *Metadata) Declares(name string) bool {
	_, ok := m.ConfigSchema.Object("properties").Get(name)
	return ok
}
