package item

import (
	"bytes"
	"encoding/json"
	"time"
)

// Request asks for one execution. It is the same whether it comes from the command line, MCP, a graph node or a thread
// (seed 002, spec/rye-core §8.1).
type Request struct {
	Ref        string         `json:"item_id"`
	Parameters map[string]any `json:"parameters,omitempty"`
	DryRun     bool           `json:"dry_run,omitempty"`
	Target     string         `json:"target,omitempty"` // "", local, remote, remote:NAME
	Thread     string         `json:"thread,omitempty"` // "", inline, fork
	Async      bool           `json:"async,omitempty"`

	Pin   bool `json:"pin,omitempty"`   // run a private copy of the verified files
	Trace bool `json:"trace,omitempty"` // explain every step in the response

	Sandbox        bool `json:"sandbox,omitempty"`         // also where the chain declares none
	RequireSandbox bool `json:"require_sandbox,omitempty"` // refuse to run without

	// Timeout, when positive, is the caller's own deadline for the run; it beats what the chain declares.
	Timeout time.Duration `json:"timeout,omitempty"`
}

// Statuses of a Response (seed 002).
const (
	StatusSuccess   = "success"
	StatusError     = "error"
	StatusValidated = "validation_passed"
)

// Response is the one envelope of every execution. Fields appear in the order of seed 002's samples.
type Response struct {
	// Directions are what an inline directive tells its caller to do. They are the whole answer then: other fields would
	// only distract an agent from them (spec/rye-agent §0.3).
	Directions *string `json:"-"`

	Status         string    `json:"status"`
	Message        string    `json:"message,omitempty"`
	Error          string    `json:"error,omitempty"`
	ErrorType      ErrorType `json:"error_type,omitempty"`
	Async          bool      `json:"async,omitempty"`
	ThreadID       string    `json:"thread_id,omitempty"` // of what runs detached or was recorded
	Type           Kind      `json:"type,omitempty"`
	ItemID         string    `json:"item_id,omitempty"`
	ExecutionMode  string    `json:"execution_mode,omitempty"` // inline or fork, of what runs detached
	State          string    `json:"state,omitempty"`
	PID            int       `json:"pid,omitempty"`
	Inputs         any       `json:"inputs,omitempty"` // of a directive's dry run
	DeclaredInputs []any     `json:"declared_inputs,omitempty"`
	Data           any       `json:"data,omitempty"` // json.RawMessage or a Streams value for tools
	Chain          []string  `json:"chain,omitempty"`
	ValidatedPairs []string  `json:"validated_pairs,omitempty"`
	Hints          []string  `json:"hints,omitempty"`
	Warnings       []string  `json:"warnings,omitempty"`
	Metadata       *Facts    `json:"metadata,omitempty"`
	Trace          []*Object `json:"trace,omitempty"` // one object a step; docs/trace.md lists their fields
}

// Facts are measurements of a run.
type Facts struct {
	DurationMS  int64         `json:"duration_ms"`
	ExitCode    *int          `json:"exit_code,omitempty"`
	Signal      string        `json:"signal,omitempty"`
	Reaped      int           `json:"leftover_processes_killed,omitempty"`
	Survivors   int           `json:"processes_not_killed,omitempty"`
	FixedParams []string      `json:"fixed_params_kept,omitempty"` // caller parameters that lost against fixed_params
	Sandbox     *SandboxFacts `json:"sandbox,omitempty"`
}

// SandboxFacts are what a sandbox was made of. Controls are named after the kernel's mechanisms.
type SandboxFacts struct {
	Requested []string `json:"requested"`
	Realised  []string `json:"realised"`
	Missing   []string `json:"missing"`           // each with the reason
	Skipped   []string `json:"skipped,omitempty"` // declared paths that were not granted, each with the reason
}

// Streams is the data of a tool whose standard output is not JSON (design §5).
type Streams struct {
	Success    *bool  `json:"success,omitempty"` // only for tools with `result: text`, as is Output
	Output     string `json:"output,omitempty"`
	Stdout     string `json:"stdout"`
	Stderr     string `json:"stderr"`
	ReturnCode int    `json:"return_code"`
	ExitCode   int    `json:"exit_code"`
	Truncated  bool   `json:"truncated"`
}

// Failed reports whether the response is an error.
func (r *Response) Failed() bool { return r.Status == StatusError }

// MarshalJSON writes the envelope, or nothing but the directions.
func (r *Response) MarshalJSON() ([]byte, error) {
	if r.Directions == nil {
		type envelope Response
		return encodePlain((*envelope)(r))
	}
	return encodePlain(struct {
		Directions string    `json:"your_directions"`
		Trace      []*Object `json:"trace,omitempty"`
	}{*r.Directions, r.Trace})
}

// encodePlain leaves <, > and & as they are.
func encodePlain(v any) ([]byte, error) {
	var doc bytes.Buffer
	enc := json.NewEncoder(&doc)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return bytes.TrimSuffix(doc.Bytes(), []byte("\n")), err
}

// ErrorResponse is the envelope of a failure before or during a run.
func ErrorResponse(itemID string, err error) *Response {
	return &Response{
		Status: StatusError, Error: err.Error(), ErrorType: TypeOf(err), ItemID: itemID, Hints: HintsOf(err),
	}
}

var _ json.Marshaler = (*Object)(nil)
