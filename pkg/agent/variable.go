package agent

import "github.com/ryeos/rye/pkg/record"

const keySize = 32

// sealedVariable is a variable of a thread as it is stored.
type sealedVariable struct {
	Sealed []byte `json:"sealed"`
	Secret bool   `json:"secret,omitempty"`
}

// VariableRequest is a child that waits for values (spec/agent-runtime A8.4).
type VariableRequest struct {
	ID string `json:"request_id"`
}

func (r *Runtime) setVariables(tx record.Tx, thread string, list []Value) error { return nil }

// promptVariable is the value of a variable that a prompt shows to its model; empty if there is none, or if it is secret.
func (f *flow) promptVariable(agent *Agent, prompt *Prompt, name string) (string, error) {
	return "", nil
}
