package engine

import (
	"github.com/ryeos/rye/pkg/agentfile"
	"github.com/ryeos/rye/pkg/item"
)

// showAgent adds what an agent's file defines, and what keeps it from being signed.
func (e *Engine) showAgent(s *Shown, ref item.Ref, data []byte) error {
	f, err := agentfile.Parse(s.Path, data)
	if err != nil {
		return err
	}
	s.Agent = f.Object()
	issues, _ := f.Validate(ref, s.Path)
	s.Issues = located(s.Path, issues)
	return nil
}
