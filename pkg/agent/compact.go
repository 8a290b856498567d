package agent

import "github.com/ryeos/rye/pkg/record"

// Archive is the summary of what came before a mark.
type Archive struct {
	Name    string `json:"name"`
	Summary string `json:"summary"`
}

// compactIfNeeded replaces the history by a summary when it has become too long for the model.
func (f *flow) compactIfNeeded(agent *Agent, prompt *Prompt) error { return nil }

// readArchive is what stands for the history before the mark.
func (f *flow) readArchive(tx record.Reader, t *Thread) (string, error) { return "", nil }
