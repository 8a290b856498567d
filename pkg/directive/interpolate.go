package directive

import (
	"regexp"
	"strings"
	"sync"

	"github.com/ryeos/rye/pkg/item"
	"github.com/ryeos/rye/pkg/template"
)

// maxFilled bounds, in bytes, what is put into one directive: an input is cheap to send once and can be asked for in
// many places.
const maxFilled = 16 << 20

// placeholder is one at the start of a text. Its groups are the name of an input and what follows it, the name in
// ${inputs.…}, the name of a variable and its default.
var placeholder = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:\{input:(\w+)(\?|[:|][^}]*)?\}|\$\{inputs\.(\w+)\}|\{env:(\w+)(?::([^}]*))?\})`)
})

// Interpolate is a copy of the directive whose placeholders are filled (spec/rye-agent §1.9): {input:k}, {input:k?},
// {input:k:default}, {input:k|default}, ${inputs.k} and {env:V}, {env:V:default} in body and content, and those of inputs
// in actions. All are found in one pass, so that values are never read as templates. env, which may be nil, looks
// up variables.
func (d *Document) Interpolate(in Inputs, env func(name string) (string, bool)) (*Document, error) {
	f := &filler{inputs: in, env: env}
	filled := *d
	filled.Body = f.text(d.Body)
	filled.Content = f.text(d.Content)
	f.env = nil
	filled.Actions = nil
	for _, a := range d.Actions {
		a.Attributes, a.Params = f.object(a.Attributes), f.object(a.Params)
		filled.Actions = append(filled.Actions, a)
	}
	if f.size > maxFilled {
		return nil, item.Usagef("The inputs make the directive longer than %d MiB", maxFilled>>20).
			Hint("write large values to a file and pass its path")
	}
	return &filled, nil
}

type filler struct {
	inputs Inputs
	env    func(name string) (string, bool)
	size   int // of all values so far
}

func (f *filler) text(text string) string {
	var out strings.Builder
	// Without the bound, each of many unclosed placeholders would search the whole rest for its brace.
	lastBrace := strings.LastIndexByte(text, '}')
	copied := 0
	for at := 0; at < lastBrace && f.size <= maxFilled; {
		next := strings.IndexAny(text[at:lastBrace], "{$")
		if next < 0 {
			break
		}
		at += next
		groups := placeholder().FindStringSubmatchIndex(text[at:])
		if groups == nil {
			at++
			continue
		}
		end := at + groups[1]
		if value, ok := f.value(text[at:end], groups); ok {
			f.size += len(value)
			out.WriteString(text[copied:at])
			out.WriteString(value)
			copied = end
		}
		at = end
	}
	out.WriteString(text[copied:])
	return out.String()
}

// value is what a placeholder stands for; ok is false for one that stays as it is written.
func (f *filler) value(text string, groups []int) (value string, ok bool) {
	group := func(n int) (string, bool) {
		if groups[2*n] < 0 {
			return "", false
		}
		return text[groups[2*n]:groups[2*n+1]], true
	}
	if name, found := group(4); found {
		if f.env == nil {
			return "", false
		}
		if value, ok := f.env(name); ok {
			return value, true
		}
		return group(5)
	}
	name, found := group(1)
	if !found {
		name, _ = group(3)
	}
	if value, ok := f.inputs[name]; ok {
		return template.String(value), true
	}
	fallback, ok := group(2)
	if !ok {
		return "", false
	}
	return fallback[1:], true // without the ?, : or |
}

func (f *filler) object(o *item.Object) *item.Object {
	filled, _ := o.Transform(func(value any) any {
		text, _ := value.(string)
		return f.text(text)
	}).(*item.Object)
	return filled
}
