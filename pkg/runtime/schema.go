package runtime

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/ryeos/rye/pkg/item"
	"github.com/ryeos/rye/pkg/template"
)

// CheckParams validates a caller's parameters against the tool's config_schema (JSON Schema 2020-12), fills in
// defaults and gives the complete map; the caller's is left alone. The frequent mistakes get their own words, all at
// once; anything else is reported as the schema says it.
func CheckParams(ref item.Ref, meta *item.Metadata, params map[string]any) (map[string]any, error) {
	out := maps.Clone(params)
	if out == nil {
		out = map[string]any{}
	}
	if meta.ConfigSchema.Len() == 0 {
		return out, nil
	}
	declared := meta.Parameters()
	for _, p := range declared {
		if _, given := out[p.Name]; !given && p.Default != nil {
			out[p.Name] = item.Plain(p.Default)
		}
	}
	var issues []string
	issues = append(issues, unknownParams(meta, declared, out)...)
	issues = append(issues, missingParams(declared, out)...)
	for _, p := range declared {
		if v, given := out[p.Name]; given {
			issues = append(issues, typeIssues(p, v)...)
		}
	}
	if len(issues) == 0 {
		err := validate(meta.ConfigSchema, withoutSteering(meta, out))
		if err == nil {
			return out, nil
		}
		if item.TypeOf(err) == item.TypeChain {
			return nil, err
		}
		issues = append(issues, err.Error())
	}
	return nil, item.Usagef("%s", strings.Join(issues, "; ")).Hint("rye show %s", ref)
}

func withoutSteering(meta *item.Metadata, params map[string]any) map[string]any {
	out := maps.Clone(params)
	maps.DeleteFunc(out, func(name string, _ any) bool {
		return slices.Contains(steeringKeys, name) && !meta.Declares(name)
	})
	return out
}

func unknownParams(meta *item.Metadata, declared []item.Parameter, params map[string]any) []string {
	if meta.OpenParameters() {
		return nil
	}
	names := make([]string, len(declared))
	for i, p := range declared {
		names[i] = p.Name
	}
	var issues []string
	for _, name := range slices.Sorted(maps.Keys(params)) {
		if slices.Contains(names, name) || slices.Contains(steeringKeys, name) {
			continue
		}
		issue := "unknown parameter " + item.Quote(name)
		if near := item.Suggest(name, names); near != "" {
			issue += fmt.Sprintf(": did you mean %q?", near)
		} else if len(names) > 0 {
			issue += " (valid: " + strings.Join(names, ", ") + ")"
		}
		issues = append(issues, issue)
	}
	return issues
}

func missingParams(declared []item.Parameter, params map[string]any) []string {
	var missing []string
	for _, p := range declared {
		if _, given := params[p.Name]; p.Required && !given {
			missing = append(missing, p.Name)
		}
	}
	if len(missing) == 0 {
		return nil
	}
	return []string{"missing required parameter: " + strings.Join(missing, ", ")}
}

func typeIssues(p item.Parameter, v any) []string {
	if p.Type != "" && !hasType(v, p.Type) {
		return []string{fmt.Sprintf("parameter %q must be %s, got %s", p.Name, withArticle(p.Type), describe(v))}
	}
	if len(p.Enum) > 0 && !slices.ContainsFunc(p.Enum, func(e any) bool { return template.String(e) == template.String(v) }) {
		options := make([]string, len(p.Enum))
		for i, e := range p.Enum {
			options[i] = template.String(e)
		}
		return []string{fmt.Sprintf("parameter %q must be one of %s, got %s", p.Name, strings.Join(options, ", "), describe(v))}
	}
	return nil
}

func hasType(v any, want string) bool {
	switch v := v.(type) {
	case nil:
		return want == "null"
	case bool:
		return want == "boolean"
	case string:
		return want == "string"
	case []any:
		return want == "array"
	case map[string]any, *item.Object:
		return want == "object"
	default:
		f, ok := item.Float(v)
		return ok && (want == "number" || want == "integer" && f == math.Trunc(f))
	}
}

func withArticle(t string) string {
	if strings.ContainsRune("aeiou", rune(t[0])) {
		return "an " + t
	}
	return "a " + t
}

// describe shows a value in a message, short and without control characters.
func describe(v any) string {
	if s, ok := v.(string); ok {
		return item.Quote(s)
	}
	text := template.String(v)
	if v == nil {
		text = "null"
	}
	if len(text) > 80 {
		text = text[:80] + "…"
	}
	return text
}

// validate runs the JSON Schema library over what the checks above do not cover: nesting, patterns, bounds.
func validate(schema *item.Object, params map[string]any) error {
	if !needsLibrary(schema) {
		return nil
	}
	resolved, err := resolve(schema)
	if err != nil {
		return err
	}
	if err := resolved.Validate(withNumbers(params)); err != nil {
		return schemaFailure(err)
	}
	return nil
}

// CheckSchema reports whether parameters can be checked against a tool's config_schema at all. What it refers to must be in
// it: nothing is fetched.
func CheckSchema(meta *item.Metadata) error {
	if meta.ConfigSchema.Len() == 0 || !needsLibrary(meta.ConfigSchema) {
		return nil
	}
	_, err := resolve(meta.ConfigSchema)
	return err
}

func resolve(schema *item.Object) (*jsonschema.Resolved, error) {
	data, err := json.Marshal(schema)
	if err != nil {
		return nil, err
	}
	var s jsonschema.Schema
	if err := json.Unmarshal(data, &s); err != nil {
		return nil, item.Errorf(item.TypeChain, "config_schema is not a JSON Schema: %v", err)
	}
	resolved, err := s.Resolve(nil)
	if err != nil {
		return nil, item.Errorf(item.TypeChain, "config_schema is not a JSON Schema: %v", err)
	}
	return resolved, nil
}

// schemaFailure takes the library's path of wrapped errors apart: the first layer below the root names the parameter,
// the innermost says what is wrong with it.
func schemaFailure(err error) error {
	parameter := ""
	for inner := errors.Unwrap(err); inner != nil; inner = errors.Unwrap(inner) {
		err = inner
		if path, ok := strings.CutPrefix(err.Error(), "validating /properties/"); ok && parameter == "" {
			parameter, _, _ = strings.Cut(path, ":")
			parameter, _, _ = strings.Cut(parameter, "/")
		}
	}
	text := strings.TrimPrefix(err.Error(), "validating root: ")
	if parameter == "" {
		return errors.New(text)
	}
	return fmt.Errorf("parameter %q: %s", parameter, text)
}

// withNumbers copies a value with json.Number, which the library takes for a string, made into a number.
func withNumbers(v any) any {
	switch v := v.(type) {
	case json.Number:
		if n, err := v.Int64(); err == nil {
			return n
		}
		f, _ := item.Float(v)
		return f
	case []any:
		list := make([]any, len(v))
		for i, e := range v {
			list[i] = withNumbers(e)
		}
		return list
	case map[string]any:
		m := make(map[string]any, len(v))
		for name, e := range v {
			m[name] = withNumbers(e)
		}
		return m
	case *item.Object:
		return item.Plain(v)
	}
	return v
}

// needsLibrary is false for schemas of nothing but typed, described, defaulted or enumerated properties: those the
// checks above cover completely, and most tools have such a schema.
func needsLibrary(schema *item.Object) bool {
	for key, v := range schema.All() {
		switch key {
		case "type", "required", "description", "title":
		case "additionalProperties":
			if _, isBool := v.(bool); !isBool {
				return true
			}
		case "properties":
			properties, _ := v.(*item.Object)
			for _, p := range properties.All() {
				if property, ok := p.(*item.Object); !ok || !plainProperty(property) {
					return true
				}
			}
		default:
			return true
		}
	}
	return false
}

func plainProperty(p *item.Object) bool {
	for key, v := range p.All() {
		switch key {
		case "description", "title", "default", "enum", "examples":
		case "type":
			if t, ok := v.(string); !ok || t == "array" || t == "object" {
				return ok && p.Len() <= 3 && !hasAny(p, "items", "properties")
			}
		default:
			return false
		}
	}
	return true
}

func hasAny(o *item.Object, keys ...string) bool {
	return slices.ContainsFunc(keys, func(k string) bool { _, ok := o.Get(k); return ok })
}
