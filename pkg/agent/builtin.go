package agent

// The engine's own tools.
const (
	createTool  = "subagent_create"
	messageTool = "subagent_message"
)

func (f *flow) hasBuiltin(s Scope, name string) bool { return false }

func (f *flow) builtin(name string) runner { return nil }

func (f *flow) builtinSchemas(s Scope) []ToolSchema { return nil }
