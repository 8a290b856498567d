package agentfile

import (
	"slices"

	"github.com/ryeos/rye/pkg/agent"
)

// Under is a copy of the file as the item id, in which every name is one that other files know: the agent has the id as
// its name, and prompts and models are id#name, wherever they are named.
func (f *File) Under(id string) *File {
	q := qualifier{file: f, prefix: id + "#"}
	named := &File{Elsewhere: f.Elsewhere, meta: f.meta, issues: f.issues, doubts: f.doubts}
	if f.Agent != nil {
		a := *f.Agent
		a.Name = id
		a.SideA, a.SideB = q.side(a.SideA), q.side(a.SideB)
		named.Agent = &a
	}
	for _, p := range f.Prompts {
		named.Prompts = append(named.Prompts, q.prompt(p))
	}
	for _, m := range f.Models {
		model := *m
		model.Name = q.model(m.Name)
		model.Fallbacks = apply(m.Fallbacks, q.model)
		named.Models = append(named.Models, &model)
	}
	return named
}

type qualifier struct {
	file   *File
	prefix string
}

// prompted is also for tools: a prompt of the file comes before anything else of its name.
func (q qualifier) prompted(name string) string {
	if q.file.Prompt(name) != nil {
		return q.prefix + name
	}
	return name
}

func (q qualifier) model(name string) string {
	if q.file.Model(name) != nil {
		return q.prefix + name
	}
	return name
}

func (q qualifier) side(s agent.Side) agent.Side {
	s.Prompt = q.prompted(s.Prompt)
	for _, tool := range []*string{&s.StopTool, &s.SessionStop.Tool, &s.SessionFail.Tool, &s.SessionStatus.Tool} {
		*tool = q.prompted(*tool)
	}
	return s
}

func (q qualifier) prompt(p *agent.Prompt) *agent.Prompt {
	named := *p
	named.Name, named.Model = q.prompted(p.Name), q.model(p.Model)
	named.Parts, named.Tools = slices.Clone(p.Parts), slices.Clone(p.Tools)
	for i := range named.Parts {
		named.Parts[i].Include = q.prompted(named.Parts[i].Include)
	}
	for i := range named.Tools {
		named.Tools[i].Name = q.prompted(named.Tools[i].Name)
	}
	return &named
}

func apply(names []string, change func(string) string) []string {
	var changed []string
	for _, name := range names {
		changed = append(changed, change(name))
	}
	return changed
}
