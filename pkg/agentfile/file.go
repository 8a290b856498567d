package agentfile

import (
	"cmp"
	"slices"
	"sync"

	"github.com/ryeos/rye/pkg/agent"
	"github.com/ryeos/rye/pkg/item"
)

// File is what one file defines. Names of the file's own prompts and models are as they are written; Under makes them
// names that other files know.
type File struct {
	Agent   *agent.Agent // nil in a file of prompts and models alone
	Prompts []*agent.Prompt
	Models  []*agent.Model

	// Elsewhere are the names of what other files define.
	Elsewhere []Mention

	meta           *item.Metadata
	issues, doubts []item.Issue
}

// Mention is a name of another file's prompt or model, as in `other/id#name`.
type Mention struct {
	Name  string
	Model bool // else a prompt

	at field
}

// Doubt adds to what Validate finds: whoever knows the other files can tell that the name may be a slip.
func (m Mention) Doubt(format string, args ...any) { m.at.doubt(format, args...) }

// Parse reads a file. The error is a *item.SyntaxError with file as its path; whatever is wrong beyond that is left to
// Validate, which lists it all. A File with issues is good for showing only.
func Parse(file string, src []byte) (*File, error) {
	meta, err := item.ParseMetadata(item.Agent, file, src)
	if err != nil {
		return nil, err
	}
	f := &File{meta: meta}
	r := &reader{file: f, deaf: map[string]bool{}, tree: sync.OnceValue(func() item.YAMLTree { return item.NewYAMLTree(src) })}
	r.read(field{reader: r, value: meta.Document.Values}.mapping())
	return f, nil
}

// read goes from what is referred to, to what refers. What looks at names of the file waits until all are known.
func (r *reader) read(top *mapping) {
	for _, informative := range []string{"version", "category", "description", "name", "icon", "author", "license", "tags"} {
		top.at(informative)
	}
	prompts, models := top.at("prompts"), top.at("models")
	r.prompts, r.models = r.names(prompts), r.names(models)
	for _, f := range models.fields() {
		r.file.Models = append(r.file.Models, r.model(f))
	}
	for _, f := range prompts.fields() {
		r.file.Prompts = append(r.file.Prompts, r.prompt(f))
	}
	r.file.Agent = r.agent(top)
	top.end()
	if r.file.Agent == nil && r.prompts == nil && r.models == nil {
		top.fail("the file defines nothing: write side_a and prompts for an agent, or prompts alone for others to use")
	}
	for _, check := range r.later {
		check()
	}
	r.cycles(r.includes, "includes")
	r.cycles(r.fallbacks, "falls back to")
}

// Validate lists everything that keeps the file from being signed as ref, and what is probably a slip. file is its path
// or name.
func (f *File) Validate(ref item.Ref, file string) (issues, doubts []item.Issue) {
	issues = slices.Concat(item.Validate(ref.With(item.Agent), file, f.meta), f.issues)
	return inOrder(issues), inOrder(f.doubts)
}

// Err is the first issue of the contents, for whoever is about to use the file.
func (f *File) Err(path string) error {
	if len(f.issues) == 0 {
		return nil
	}
	first := inOrder(f.issues)[0]
	return item.Errorf(item.TypeChain, "%s:%d:%d: %s", path, first.Pos.Line, first.Pos.Column, first.Message)
}

func inOrder(issues []item.Issue) []item.Issue {
	issues = slices.Clone(issues)
	slices.SortStableFunc(issues, func(a, b item.Issue) int {
		return cmp.Or(cmp.Compare(a.Pos.Line, b.Pos.Line), cmp.Compare(a.Pos.Column, b.Pos.Column))
	})
	return slices.Compact(issues)
}

// Prompt finds one of the file's prompts, nil if it has none of that name.
func (f *File) Prompt(name string) *agent.Prompt {
	for _, p := range f.Prompts {
		if p.Name == name {
			return p
		}
	}
	return nil
}

// Model finds one of the file's models, nil if it has none of that name.
func (f *File) Model(name string) *agent.Model {
	for _, m := range f.Models {
		if m.Name == name {
			return m
		}
	}
	return nil
}
