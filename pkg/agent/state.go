package agent

import "github.com/ryeos/rye/pkg/item"

// State is what tools, hooks and hosts may do with a thread (spec/agent-runtime A3).
type State struct {
	runtime *Runtime
	thread  string
	flow    *flow // that the tool runs in; nil outside of steps
}

func (r *Runtime) state(thread string, f *flow) *State { return &State{r, thread, f} }

// changed says that a thread's agent is not what it was.
func changed(t *Thread) error {
	return item.Errorf(item.TypeIntegrity, "the agent %s has changed since thread %s began", t.Agent, t.ID).
		Hint("start a new thread; or put back the file that it began with")
}
