package agent

// startImmediate starts the children that a prompt wants before its first step. It reports whether it did anything: then
// the step begins anew.
func (f *flow) startImmediate(agent *Agent, prompt *Prompt) (bool, error) { return false, nil }
