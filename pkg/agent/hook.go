package agent

import (
	"context"
	"encoding/json"
)

// Hook is how the engine reaches the tools of its host, and how the host takes part in steps (seed 003, "Hook").
type Hook interface {
	// Schemas are the functions that a scope may use. What a prompt does not list is not shown to its model.
	Schemas(Scope) []ToolSchema

	// Claim reports whether Dispatch would take calls of this name, without running anything.
	Claim(name string) bool

	// Dispatch runs a tool; false if no part of the hook claims the name. It is awaited before the next step. The context
	// ends when the thread is stopped or terminated.
	Dispatch(ctx context.Context, call Call) (ToolResult, bool)

	// BeforeRun gives entries that are shown to the model before the newest message of the user, and never stored.
	BeforeRun(ctx context.Context, s Scope) []Entry

	// Lifecycle is called at each Point. It may change what PointData points to. An error is logged and ignored, but for
	// the points that say otherwise.
	Lifecycle(ctx context.Context, p Point, d *PointData) error
}

// Scope is who is speaking, where.
type Scope struct {
	Thread string
	Side   SideName
	Agent  *Agent
	Prompt *Prompt
}

// ToolSchema tells a model of a tool.
type ToolSchema struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Parameters  json.RawMessage `json:"parameters"` // JSON Schema of an object
}

// Call is a tool call on its way to the tool.
type Call struct {
	ID        string
	Name      string
	Arguments json.RawMessage // an object
	Agent     string
	Sender    string // who the thread talks to
	Thread    string
	Options   json.RawMessage // of the prompt's entry for the tool; nil if it has none
	Effect    string          // the id of the scheduled effect that this is; else empty
	State     *State          // what tools may do with their thread
}

// ToolResult is what a tool says. An Error makes it a failure, which is told to the model and never ends a flow.
type ToolResult struct {
	Result      string          `json:"result,omitempty"`
	Error       string          `json:"error,omitempty"`
	ErrorCode   string          `json:"error_code,omitempty"`
	ErrorData   json.RawMessage `json:"error_data,omitempty"`
	Attachments []Attachment    `json:"attachments,omitempty"` // with Data: stored as files of the thread
	Subagent    string          `json:"subagent_id,omitempty"`
}

// Failed reports whether the tool failed.
func (r ToolResult) Failed() bool { return r.Error != "" }

// Point is a moment in the life of a thread (spec/agent-runtime A2, "Hooks").
type Point string

// Points, with what PointData holds beside Scope.
const (
	AfterThreadCreated   Point = "after_thread_created"
	AfterSubagentCreated Point = "after_subagent_created"
	AfterSystemMessage   Point = "after_system_message"     // System
	FilterMessages       Point = "filter_messages"          // Messages
	PrefilterHistory     Point = "prefilter_llm_history"    // Entries; a Blocked error ends the session
	BeforeCreateMessage  Point = "before_create_message"    // Message; State.Inject returns its error
	AfterCreateMessage   Point = "after_create_message"     // Message
	BeforeUpdateMessage  Point = "before_update_message"    // Message as it will be; State.UpdateMessage returns its error
	AfterUpdateMessage   Point = "after_update_message"     // Message
	ToolCallStarted      Point = "tool_call_started"        // Call
	BeforeStoreResult    Point = "before_store_tool_result" // Call, Result
	AfterToolSuccess     Point = "after_tool_call_success"  // Call, Result; Drop removes the call from history and storage
	AfterToolFailure     Point = "after_tool_call_failure"  // as AfterToolSuccess
	ToolCallDone         Point = "tool_call_done"           // Call, Result
	AtLimit              Point = "limit"                    // Limit; Extend lifts it for this session, Suspend parks the thread
	AfterStep            Point = "after_step"               // Response
	AtError              Point = "error"                    // Err
)

// PointData is what a point is about. Only the fields that the point names are set.
type PointData struct {
	Scope    Scope
	State    *State
	System   string
	Messages []Message
	Entries  []Entry
	Message  *Message
	Call     *Call
	Result   *ToolResult
	Response *Response
	Limit    *LimitReached
	Err      error
	Drop     bool
	Extend   int64
	Suspend  bool
}

// Blocked is an error of a hook that ends the session; its text is stored as what the side said.
type Blocked struct{ Reason string }

func (b *Blocked) Error() string { return b.Reason }

// NopHook has no tools and changes nothing. Embed it to define a part of a Hook.
type NopHook struct{}

// Schemas implements Hook.
func (NopHook) Schemas(Scope) []ToolSchema { return nil }

// Claim implements Hook.
func (NopHook) Claim(string) bool { return false }

// Dispatch implements Hook.
func (NopHook) Dispatch(context.Context, Call) (ToolResult, bool) { return ToolResult{}, false }

// BeforeRun implements Hook.
func (NopHook) BeforeRun(context.Context, Scope) []Entry { return nil }

// Lifecycle implements Hook.
func (NopHook) Lifecycle(context.Context, Point, *PointData) error { return nil }

// Composite is a Hook of several, in this order: the first that claims a name gets its calls.
type Composite []Hook

// Schemas implements Hook: of two tools of one name the first counts.
func (c Composite) Schemas(s Scope) []ToolSchema {
	var all []ToolSchema
	seen := map[string]bool{}
	for _, h := range c {
		for _, t := range h.Schemas(s) {
			if !seen[t.Name] {
				seen[t.Name] = true
				all = append(all, t)
			}
		}
	}
	return all
}

// Claim implements Hook.
func (c Composite) Claim(name string) bool {
	for _, h := range c {
		if h.Claim(name) {
			return true
		}
	}
	return false
}

// Dispatch implements Hook.
func (c Composite) Dispatch(ctx context.Context, call Call) (ToolResult, bool) {
	for _, h := range c {
		if result, ok := h.Dispatch(ctx, call); ok {
			return result, true
		}
	}
	return ToolResult{}, false
}

// BeforeRun implements Hook.
func (c Composite) BeforeRun(ctx context.Context, s Scope) []Entry {
	var all []Entry
	for _, h := range c {
		all = append(all, h.BeforeRun(ctx, s)...)
	}
	return all
}

// Lifecycle implements Hook: each sees what those before it made of the data. A Blocked error ends the round.
func (c Composite) Lifecycle(ctx context.Context, p Point, d *PointData) error {
	var first error
	for _, h := range c {
		if err := h.Lifecycle(ctx, p, d); err != nil {
			if _, ok := err.(*Blocked); ok {
				return err
			}
			if first == nil {
				first = err
			}
		}
	}
	return first
}
