package agent

import (
	"encoding/json"
	"time"
)

// Child is an entry of a parent's registry of children (spec/agent-runtime A8.2).
type Child struct {
	Reference string          `json:"reference"` // the child's thread
	Tool      string          `json:"tool"`      // the entry of the prompt that made it
	Agent     string          `json:"agent"`
	Name      string          `json:"name,omitempty"`
	Status    string          `json:"status"`
	Blocking  bool            `json:"blocking,omitempty"`
	Resumable *Resumable      `json:"resumable,omitempty"`
	Arguments json.RawMessage `json:"arguments,omitempty"`
	Created   time.Time       `json:"created_at"`
}

// subagentTool is a call of an agent that runs in a thread of its own.
func (f *flow) subagentTool(s Scope, entry *Tool) (runner, ToolResult) {
	return nil, notRegistered(entry.Name)
}

// enabled reports whether an optional subagent is there.
func (f *flow) enabled(s Scope, entry *Tool) bool { return true }
