package agent

import (
	"encoding/json"

	"github.com/ryeos/rye/pkg/record"
)

// payload is what a terminal tool says to the parent.
type payload struct {
	Message     string
	Attachments []string
}

// payload takes the parent's message out of the call of a bound tool.
func (b Binding) payload(response, result *Message) *payload {
	p := &payload{Message: boundText(b, response, result)}
	p.Attachments, _ = boundFiles(b, response, result.ToolCallID) // they were looked at before the result was stored
	for _, a := range result.Attachments {
		p.Attachments = append(p.Attachments, a.Path)
	}
	return p
}

// boundText is what a bound tool says: the argument that the binding names, or its result.
func boundText(b Binding, response, result *Message) string {
	if b.Message != "" {
		for _, call := range response.ToolCalls {
			if call.ID == result.ToolCallID {
				if s, ok := property(call.Arguments, b.Message); ok {
					return s
				}
			}
		}
	}
	if result.Content == nothingSaid {
		return ""
	}
	return result.Content
}

func boundFiles(b Binding, response *Message, id string) ([]string, error) {
	for _, call := range response.ToolCalls {
		if call.ID != id || b.Attachments == "" {
			continue
		}
		var members map[string]json.RawMessage
		if err := json.Unmarshal([]byte(call.Arguments), &members); err != nil {
			return nil, err
		}
		return paths(members[b.Attachments])
	}
	return nil, nil
}

// checkBound makes the result of a terminal tool an error when it names files that do not exist: the session goes on, and
// the model can name others.
func (f *flow) checkBound(s Scope, c *Call, call ToolCall, result *ToolResult, row *Message) {
	if result.Failed() || row.Depth > 0 {
		return
	}
	side := s.Agent.side(row.Side)
	for _, b := range []Binding{side.SessionStop, side.SessionFail} {
		if b.Tool != c.Name {
			continue
		}
		names, err := boundFiles(b, &Message{ToolCalls: []ToolCall{call}}, call.ID)
		if err != nil {
			*result = refuse("invalid_arguments", "the argument %s of %s: %v", b.Attachments, c.Name, err).ToolResult
			return
		}
		err = f.storage.View(f.ctx, func(tx record.Reader) error {
			_, err := named(tx, f.thread.ID, names)
			return err
		})
		if err != nil {
			*result = refusedBy(err)
		}
	}
}
