package agent

// VariableRequest is a child that waits for values (spec/agent-runtime A8.4).
type VariableRequest struct {
	ID string `json:"request_id"`
}
