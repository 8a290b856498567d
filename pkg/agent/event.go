package agent

import "time"

// Event is something that happened in a thread: for listeners, as it happens. What must last is in the thread's messages
// and logs.
type Event struct {
	Type     EventType     `json:"type"`
	Thread   string        `json:"thread_id"`
	Agent    string        `json:"agent"`
	At       time.Time     `json:"at"`
	Side     SideName      `json:"side,omitempty"`
	Step     int           `json:"step,omitempty"`     // StepStarted, StepCompleted
	Stage    Stage         `json:"stage,omitempty"`    // StageStarted
	Text     string        `json:"text,omitempty"`     // deltas, UserSteered, Compact: the summary
	Calls    []ToolCall    `json:"calls,omitempty"`    // ToolCallsBegin: names, and arguments as far as known; ToolCallsStart
	CallID   string        `json:"call_id,omitempty"`  // ToolResulted
	Result   *ToolResult   `json:"result,omitempty"`   // ToolResulted
	Duration time.Duration `json:"duration,omitempty"` // ToolResulted
	Attempt  int           `json:"attempt,omitempty"`  // ModelRetried
	Model    string        `json:"model,omitempty"`    // ModelRetried, ModelReplaced
	Child    string        `json:"child,omitempty"`    // SubagentChanged
	Status   string        `json:"status,omitempty"`   // SubagentChanged
	Outcome  *Outcome      `json:"outcome,omitempty"`  // Done
	Error    string        `json:"error,omitempty"`
}

// EventType tells what happened.
type EventType string

// Events. Of text and thinking one segment is open at a time: it ends before another begins and before ToolCallsStart.
const (
	StageStarted      EventType = "stage"
	StepStarted       EventType = "step_started"
	StepCompleted     EventType = "step_completed"
	TextStart         EventType = "text_start"
	TextDelta         EventType = "text_delta"
	TextEnd           EventType = "text_end"
	ThinkingStart     EventType = "thinking_start"
	ThinkingDelta     EventType = "thinking_delta"
	ThinkingEnd       EventType = "thinking_end"
	ToolCallsBegin    EventType = "tool_calls_begin" // the model has named a tool
	ToolCallsStart    EventType = "tool_calls_start" // it has said all
	ToolResulted      EventType = "tool_result"
	ToolCallsComplete EventType = "tool_calls_complete"
	UserSteered       EventType = "user_steered" // a message reached a thread that was at work
	Compacted         EventType = "compact"
	ModelRetried      EventType = "model_retried"
	ModelReplaced     EventType = "model_replaced"
	HookFailed        EventType = "hook_failed"
	HandedOff         EventType = "handed_off"
	SubagentChanged   EventType = "subagent_changed"
	Emitted           EventType = "emitted" // by State.Emit: Status is its type, Text its data as JSON
	Done              EventType = "done"
)

// Stage is a part of the step cycle (seed 004 §3).
type Stage string

// Stages in their order.
const (
	StageDrain    Stage = "drain"
	StageAssemble Stage = "assemble"
	StageCall     Stage = "call"
	StagePersist  Stage = "persist_response"
	StageTools    Stage = "tools"
	StageResults  Stage = "persist_results"
	StageStop     Stage = "stop"
)
