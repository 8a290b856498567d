package item

// schema checks that config_schema describes an object: parameters are always a map.
func (v *validator) schema() {
	const name = "config_schema"
	schema := v.m.ConfigSchema
	if schema == nil {
		return
	}
	if kind, _ := schema.Get("type"); kind != "object" {
		v.report(name, "Field 'config_schema.type' must be 'object': parameters are a map")
	}
	declared, ok := schema.Get("properties")
	properties, isMap := declared.(*Object)
	if ok && !isMap {
		v.report(name, "Field 'config_schema.properties' must be an object, got %s", typeName(declared))
	}
	required, ok := schema.Get("required")
	if !ok {
		return
	}
	list, isList := required.([]any)
	if !isList {
		v.report(name, "Field 'config_schema.required' must be an array, got %s", typeName(required))
	}
	for i, e := range list {
		property, isText := e.(string)
		if !isText {
			v.report(name, "Field 'config_schema.required[%d]' must be a string, got %s", i, typeName(e))
			continue
		}
		if _, ok := properties.Get(property); !ok {
			v.report(name, "Field 'config_schema.required[%d]' names '%s', which is not in 'config_schema.properties'", i, property)
		}
	}
}
