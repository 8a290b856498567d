package agentfile

import (
	"slices"

	"github.com/ryeos/rye/pkg/agent"
	"github.com/ryeos/rye/pkg/item"
)

// bindings are the tools of one side that mean something to its thread. None can mean two things.
type bindings struct {
	reader *reader
	prompt string
	by     map[string]string
}

func (b *bindings) add(f field, tool string) {
	if tool == "" {
		return
	}
	if before, twice := b.by[tool]; twice {
		f.fail("names the tool of %s: each needs its own", before)
	}
	b.by[tool] = f.name()
	b.reader.later = append(b.reader.later, func() {
		if p := b.reader.file.Prompt(b.prompt); p != nil && !slices.ContainsFunc(p.Tools, func(t agent.Tool) bool { return t.Name == tool }) {
			f.fail("names %s, which is not among the tools of the prompt %s: add it there", item.Quote(tool), b.prompt)
		}
	})
}

// read takes the name alone, or with the arguments that matter.
func (b *bindings) read(f field) agent.Binding {
	if _, isText := f.value.(string); isText || !f.declared() {
		binding := agent.Binding{Tool: f.text()}
		if isText {
			f.required("name a tool of the prompt")
		}
		b.add(f, binding.Tool)
		return binding
	}
	m := f.mapping()
	name := m.at("name")
	binding := agent.Binding{
		Tool: name.required("name a tool of the prompt"), Message: m.at("message_property").text(), Attachments: m.at("attachments_property").text(),
	}
	m.end()
	b.add(name, binding.Tool)
	return binding
}
