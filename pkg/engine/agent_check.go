package engine

import (
	"github.com/ryeos/rye/pkg/agentfile"
	"github.com/ryeos/rye/pkg/item"
)

// validateAgent lists what keeps an agent from being signed. What other files lack is only doubted: they may be written
// later.
func (e *Engine) validateAgent(ref item.Ref, file string, data []byte) (issues, doubts []item.Issue) {
	f, err := agentfile.Parse(file, data)
	if err != nil {
		return []item.Issue{{Message: err.Error()}}, nil
	}
	e.checkMentions(ref, f)
	return f.Validate(ref, file)
}

// checkMentions looks into the files that one mentions. They are not used, so they need not be signed yet.
func (e *Engine) checkMentions(ref item.Ref, f *agentfile.File) {
	files := map[string]*agentfile.File{ref.ID: f}
	for _, m := range f.Elsewhere {
		id, name, _ := agentfile.SplitName(m.Name)
		other, known := files[id]
		if !known {
			other = e.peekAgent(id)
			files[id] = other
		}
		switch {
		case other == nil:
			m.Doubt("names %s, but there is no agent %s that can be read", item.Quote(m.Name), id)
		case m.Model && other.Model(name) == nil:
			m.Doubt("names %s, which is not among the models of agent:%s", item.Quote(m.Name), id)
		case !m.Model && other.Prompt(name) == nil:
			m.Doubt("names %s, which is not among the prompts of agent:%s", item.Quote(m.Name), id)
		}
	}
}

// peekAgent reads a file that nobody has verified, nil if that is not possible.
func (e *Engine) peekAgent(id string) *agentfile.File {
	found, err := e.spaces.Find(item.Ref{Kind: item.Agent, ID: id}, false)
	if err != nil {
		return nil
	}
	data, _, err := found.Read()
	if err != nil {
		return nil
	}
	f, err := agentfile.Parse(found.Display(), data)
	if err != nil {
		return nil
	}
	return f
}
