package agent

import (
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/ryeos/rye/pkg/record"
)

// Role is who wrote a message. In storage it is the side: Assistant is side A, User is side B. What a model sees is from
// its own side's point of view.
type Role string

// Roles.
const (
	User      Role = "user"
	Assistant Role = "assistant"
	ToolRole  Role = "tool"
	System    Role = "system"
)

// SideName is one of the two parties of a thread.
type SideName string

// Sides.
const (
	SideA SideName = "a" // the agent that is defined
	SideB SideName = "b" // its counterpart: a person, or a second prompt
)

func (s SideName) other() SideName {
	if s == SideA {
		return SideB
	}
	return SideA
}

// role is how what a side says is stored.
func (s SideName) role() Role {
	if s == SideB {
		return User
	}
	return Assistant
}

// answers is the side whose turn it is after a message of a role.
func answers(role Role) SideName {
	if role == Assistant {
		return SideB
	}
	return SideA
}

// MessageStatus tells whether a message is whole.
type MessageStatus string

// States of messages. Only completed ones are shown to models.
const (
	Pending   MessageStatus = "pending" // a model or a tool is at work
	Completed MessageStatus = "completed"
	Failed    MessageStatus = "failed"
)

// Message is a row of a thread's history. Rows are never reordered: ID grows in the order in which they were written.
type Message struct {
	ID          string        `json:"id"`
	Role        Role          `json:"role"`
	Side        SideName      `json:"side,omitempty"` // whose model or tool it was
	Content     string        `json:"content"`
	Status      MessageStatus `json:"status"`
	Silent      bool          `json:"silent,omitempty"` // not for people; for models only if a subagent sent it
	ToolCalls   []ToolCall    `json:"tool_calls,omitempty"`
	ToolCallID  string        `json:"tool_call_id,omitempty"`
	Answers     string        `json:"answers,omitempty"`     // of a tool's row: the message with the call
	Name        string        `json:"name,omitempty"`        // of the tool
	ToolStatus  string        `json:"tool_status,omitempty"` // success, error
	Prompt      string        `json:"prompt,omitempty"`
	Agent       string        `json:"agent,omitempty"`  // a guest that said it
	Parent      string        `json:"parent,omitempty"` // the tool call's message, in a prompt that is called as a tool
	Depth       int           `json:"depth,omitempty"`
	Subagent    string        `json:"subagent_id,omitempty"` // the child that it came from or that the call made
	Attachments []Attachment  `json:"attachments,omitempty"`
	Reasoning   string        `json:"reasoning_content,omitempty"`
	Log         *ModelLog     `json:"model_log,omitempty"` // of an answer: how it came about
	Error       *ToolResult   `json:"error,omitempty"`     // code and data of a tool that failed
	Metadata    Metadata      `json:"metadata,omitempty"`
	Created     time.Time     `json:"created_at"`
	Ended       time.Time     `json:"completed_at,omitzero"` // of responses and tools
}

// Metadata is what clients want to know of a message beside its text. status_kind marks the engine's own notes.
type Metadata map[string]any

// Tool states in Message.ToolStatus.
const (
	ToolSucceeded = "success"
	ToolFailed    = "error"
)

// ToolCall is a model's wish to have a tool run.
type ToolCall struct {
	ID        string `json:"id"`
	Name      string `json:"name"`
	Arguments string `json:"arguments"` // as the model wrote it: it may not even be JSON
}

// shown reports whether a model may see the row at all.
func (m *Message) shown() bool {
	return m.Status == Completed && m.Depth == 0 && (!m.Silent || m.Subagent != "" && m.Role != System)
}

// append stores a new row at the end of the history.
func appendMessage(tx record.Tx, thread string, m *Message) error {
	id, err := next(tx, thread, string(messages))
	if err != nil {
		return err
	}
	m.ID = id
	return storeMessage(tx, thread, m)
}

// openRows are those that a model or a tool is at work on. They are kept apart until they are whole: so the history only
// grows at its end, and what a dead process left is found without looking through all of it.
const openRows table[Message] = "open_message"

// storeMessage stores a row that has its number.
func storeMessage(tx record.Tx, thread string, m *Message) error {
	if m.Status == Pending {
		return openRows.put(tx, thread, m.ID, m)
	}
	if err := openRows.delete(tx, thread, m.ID); err != nil {
		return err
	}
	return messages.put(tx, thread, m.ID, m)
}

func removeMessage(tx record.Tx, thread, id string) error {
	if err := openRows.delete(tx, thread, id); err != nil {
		return err
	}
	return messages.delete(tx, thread, id)
}

// findMessage returns a row, whole or not; nil if there is none.
func findMessage(tx record.Reader, thread, id string) (*Message, error) {
	m, err := messages.get(tx, thread, id)
	if err != nil || m != nil {
		return m, err
	}
	return openRows.get(tx, thread, id)
}

// allMessages are the rows of a thread, those that are not whole among them.
func allMessages(tx record.Reader, thread string) ([]Message, error) {
	all, err := messages.list(tx, thread, record.Range{})
	if err != nil {
		return nil, err
	}
	open, err := openRows.list(tx, thread, record.Range{})
	all = append(all, open...)
	slices.SortFunc(all, func(a, b Message) int { return strings.Compare(a.ID, b.ID) })
	return all, err
}

// touch notes that somebody beside the flow changed rows, so that a flow reads them again.
func touch(tx record.Tx, thread string) error {
	_, err := next(tx, thread, "touched")
	return err
}

// text is the JSON or the string that a value stands for in a message.
func text(v json.RawMessage) string {
	var s string
	if json.Unmarshal(v, &s) == nil {
		return s
	}
	return string(v)
}
