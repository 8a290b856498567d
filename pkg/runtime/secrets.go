package runtime

import (
	"maps"
	"slices"

	"github.com/ryeos/rye/pkg/item"
	"github.com/ryeos/rye/pkg/redact"
	"github.com/ryeos/rye/pkg/template"
)

// Secrets makes a run's redactor. It knows the caller's parameters that the tool's schema declares `secret: true`, at
// any depth; NewPlan adds the variables.
func Secrets(meta *item.Metadata, params map[string]any) *redact.Redactor {
	r := &redact.Redactor{}
	r.AddLater(func(r *redact.Redactor) { addParameters(r, "parameter", meta.ConfigSchema, params) })
	return r
}

func addParameters(r *redact.Redactor, name string, schema *item.Object, value any) {
	if secret, _ := schema.Get("secret"); secret == true {
		fallback, _ := schema.Get("default")
		for _, v := range []any{value, fallback} {
			switch v := item.Plain(v).(type) {
			case nil:
			case map[string]any, []any:
				r.AddValue(name, v)
			default:
				r.Add(name, template.String(v))
			}
		}
		return
	}
	object, _ := value.(map[string]any)
	for child, v := range schema.Object("properties").All() {
		property, _ := v.(*item.Object)
		addParameters(r, child, property, object[child])
	}
	list, _ := value.([]any)
	for _, element := range list {
		addParameters(r, name, schema.Object("items"), element)
	}
}

// Masked stands for a value that is not to be stored.
const Masked = "[redacted]"

// MaskSecrets copies parameters with Masked in place of those that the tool's schema declares `secret: true`, of any type
// and at any depth.
func MaskSecrets(meta *item.Metadata, params map[string]any) map[string]any {
	masked, _ := mask(meta.ConfigSchema, params).(map[string]any)
	return masked
}

func mask(schema *item.Object, value any) any {
	if secret, _ := schema.Get("secret"); secret == true && value != nil {
		return Masked
	}
	switch v := value.(type) {
	case map[string]any:
		object := maps.Clone(v)
		for name, property := range schema.Object("properties").All() {
			if given, ok := v[name]; ok {
				schema, _ := property.(*item.Object)
				object[name] = mask(schema, given)
			}
		}
		return object
	case []any:
		list := slices.Clone(v)
		for i, element := range v {
			list[i] = mask(schema.Object("items"), element)
		}
		return list
	}
	return value
}

// secretVariables adds the variables that are secrets by their name or by declaration: the child's, and those of the
// caller that templates may name.
func (b *builder) secretVariables(r *redact.Redactor) {
	if b.env == nil {
		return
	}
	var declared []string
	for _, e := range b.in.Chain.Elements {
		if e.Meta.EnvConfig != nil {
			declared = append(declared, e.Meta.EnvConfig.Secrets...)
		}
	}
	for _, vars := range []map[string]string{b.env.vars, b.env.caller} {
		for _, name := range slices.Sorted(maps.Keys(vars)) {
			if slices.Contains(declared, name) {
				r.Add(name, vars[name])
			} else {
				r.AddVariable(name, vars[name])
			}
		}
	}
}
