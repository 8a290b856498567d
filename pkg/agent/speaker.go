package agent

// speaker is the agent and the prompt whose turn it is. An agent whose file has changed since the thread began is refused:
// nobody has agreed to what it says now.
func (f *flow) speaker() (*Agent, *Prompt, error) {
	agent, err := f.definitions.Agent(f.thread.Agent)
	if err != nil {
		return nil, nil, err
	}
	if agent.Digest != f.thread.Digest {
		return nil, nil, changed(f.thread)
	}
	prompt, err := f.definitions.Prompt(agent.side(f.thread.Session.Side).Prompt)
	return agent, prompt, err
}

func (a *Agent) side(s SideName) *Side {
	if s == SideB {
		return &a.SideB
	}
	return &a.SideA
}

// human reports whether a side is a person.
func (f *flow) human(s SideName) bool {
	if s == SideA {
		return false
	}
	agent, err := f.definitions.Agent(f.thread.Agent)
	return err == nil && agent.Kind != Dual
}
