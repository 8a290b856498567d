package graph

import "github.com/ryeos/rye/pkg/item"

// Status is how a run ended, or stopped.
type Status string

// The statuses of runs. The last two can be resumed as they are; one in error with Options.Retry.
const (
	StatusCompleted           Status = "completed"
	StatusCompletedWithErrors Status = "completed_with_errors"
	StatusError               Status = "error"
	StatusCancelled           Status = "cancelled"
	StatusUnknown             Status = "unknown" // an effect may have happened, and is not repeated without being asked to
)

// Code says to programs why a run did not complete.
type Code string

// The codes of spec/rye-agent §3.11, and those of journals.
const (
	CodeValidation   Code = "graph_validation_failed"
	CodeEnvironment  Code = "missing_environment_variables"
	CodeTarget       Code = "target_node_not_found"
	CodeNoState      Code = "resume_state_not_found"
	CodeGraphChanged Code = "resume_graph_changed"
	CodeInputs       Code = "input_validation_failed"
	CodeConfig       Code = "not_configured"
	CodeNoNode       Code = "node_not_found"
	CodeNode         Code = "node_error"
	CodeMaxSteps     Code = "max_steps_exceeded"
	CodeCancelled    Code = "cancelled"
	CodeUnknown      Code = "effect_unknown"
	CodeJournal      Code = "journal_failed"
)

// Result is how a run, or a single step, went.
type Result struct {
	Success bool           `json:"success"`
	Status  Status         `json:"status,omitempty"`
	Output  any            `json:"output,omitempty"`
	Error   string         `json:"error,omitempty"`
	Code    Code           `json:"code,omitempty"`
	Phase   string         `json:"phase,omitempty"` // startup or execution, with a code
	Node    string         `json:"node,omitempty"`  // that failed
	State   map[string]any `json:"state,omitempty"` // of runs that did not complete, and of single steps
	Steps   int            `json:"steps"`
	RunID   string         `json:"graph_run_id,omitempty"`

	ErrorsSuppressed int          `json:"errors_suppressed,omitempty"`
	Errors           []Suppressed `json:"errors,omitempty"`
	Unknown          []Uncertain  `json:"unknown,omitempty"`

	*StepResult // of a single step
}

// StepResult is what a single step adds.
type StepResult struct {
	ExecutedNode string  `json:"executed_node"`
	NextNode     *string `json:"next_node"` // nil when the graph ends
	StepCount    int     `json:"step_count"`
}

// Uncertain is an effect that was about to happen when a run was killed.
type Uncertain struct {
	Step   int    `json:"step"`
	Node   string `json:"node,omitempty"`
	Item   *int   `json:"item,omitempty"` // of a foreach
	Hook   string `json:"hook,omitempty"`
	Action string `json:"action"`
}

// ErrorType is the type that a result has in a response.
func (r *Result) ErrorType() item.ErrorType {
	switch r.Code {
	case "":
		return ""
	case CodeValidation, CodeGraphChanged:
		return item.TypeChain
	case CodeInputs, CodeTarget, CodeConfig:
		return item.TypeUsage
	case CodeNoState:
		return item.TypeNotFound
	case CodeMaxSteps:
		return item.TypeLimit
	case CodeCancelled:
		return item.TypeInterrupted
	case CodeEnvironment, CodeJournal:
		return item.TypeUnavailable
	}
	return item.TypeFailed
}
