package directive

import (
	"regexp"
	"slices"
	"sync"

	"github.com/ryeos/rye/pkg/item"
)

// namePattern is what a placeholder can name.
var namePattern = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^\w+$`) })

// inputs checks the declarations that item.ParseMetadata has read.
func (r *reader) inputs(d *Document, e *item.Element) {
	r.children(e, "input")
	i := 0
	for input := range e.All("input") {
		p := d.Inputs[i]
		i++
		r.attributes(input, "name", "type", "required", "default")
		r.declaration(input, p)
		if _, ok := convert(p.Default, p.Type); !ok {
			r.report(input, "default of the input '%s' must be %s, not %s", p.Name, withArticle(p.Type), describe(p.Default))
		}
	}
}

func (r *reader) outputs(e *item.Element) []item.Parameter {
	r.children(e, "output")
	var outputs []item.Parameter
	for output := range e.All("output") {
		r.attributes(output, "name", "type", "required")
		p := item.Parameter{
			Name: output.Attributes.String("name"), Type: "string", Required: output.Flag("required"), Description: output.Text,
		}
		if kind, ok := output.Attributes.Get("type"); ok {
			p.Type, _ = kind.(string)
		}
		again := slices.ContainsFunc(outputs, func(o item.Parameter) bool { return o.Name == p.Name })
		if again || p.Name == "" {
			r.fail(output, "every <output> needs a name of its own, not %s", item.Quote(p.Name))
		}
		r.declaration(output, p)
		outputs = append(outputs, p)
	}
	return outputs
}

// declaration reports what an input or an output cannot be called or hold.
func (r *reader) declaration(e *item.Element, p item.Parameter) {
	if !namePattern().MatchString(p.Name) {
		r.report(e, "the name of an <%s> is made of letters, digits and _, not %s", e.Name, item.Quote(p.Name))
	}
	if !slices.Contains(types, p.Type) {
		r.report(e, "<%s name=%q> has the type %s%s", e.Name, p.Name, item.Quote(p.Type), suggestion(p.Type, types))
	}
	r.flag(e, "required", false)
}
