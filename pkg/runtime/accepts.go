package runtime

import (
	"github.com/ryeos/rye/pkg/chain"
	"github.com/ryeos/rye/pkg/item"
)

// Accepts is the tool's metadata with a schema of everything that a call may give: the tool's own parameters, and those
// that runtimes with `accepts_parameters: true` in their config declare in their config_schema, such as a graph's `resume`.
// Where both declare a name, it is the tool's. Required parameters are not required if params hold one that is declared with
// `waives_required: true`: who resumes a run does not start it again.
func Accepts(c *chain.Chain, params map[string]any) *item.Metadata {
	tool := c.Tool().Meta
	extra, waived := item.NewObject(), false
	for _, e := range c.Elements[1:] {
		if accepts, _ := e.Meta.Config.Get("accepts_parameters"); accepts != true {
			continue
		}
		for name, v := range e.Meta.ConfigSchema.Object("properties").All() {
			if tool.Declares(name) {
				continue
			}
			extra.Set(name, v)
			property, _ := v.(*item.Object)
			waives, _ := property.Get("waives_required")
			given, ok := params[name]
			waived = waived || waives == true && ok && given != false
		}
	}
	if extra.Len() == 0 {
		return tool
	}
	meta, schema, properties := *tool, item.NewObject(), item.NewObject()
	schema.Merge(tool.ConfigSchema)
	if tool.OpenParameters() {
		schema.Set("additionalProperties", true)
	}
	if waived {
		schema.Delete("required")
	}
	properties.Merge(tool.ConfigSchema.Object("properties"))
	properties.Merge(extra)
	schema.Set("properties", properties)
	meta.ConfigSchema = schema
	return &meta
}
