package agent

import (
	"context"
	"encoding/json"

	"github.com/ryeos/rye/pkg/record"
)

const handoffKey = "handoff"

// handoff is a call of an agent that talks with people: it takes the thread over (seed 004 §5.3). The result is stored like
// any other; the change comes with the end of the step.
func (f *flow) handoff(agent *Agent) runner {
	return func(_ context.Context, s Scope, c *Call, row *Message) ToolResult {
		entry := s.Prompt.tool(c.Name)
		row.Metadata = Metadata{handoffKey: agent.Name, "arguments": string(c.Arguments)}
		if entry != nil && entry.InitMessage != "" {
			if s, ok := property(string(c.Arguments), entry.InitMessage); ok {
				row.Metadata["opening"] = s
			}
		}
		return ToolResult{Result: "Handoff complete"}
	}
}

// handedOff is the agent that a step handed over to, if it did.
func handedOff(results []Message) string {
	for _, m := range results {
		if to, ok := m.Metadata[handoffKey].(string); ok && m.ToolStatus == ToolSucceeded {
			return to
		}
	}
	return ""
}

// applyHandoff makes another agent side A of the thread, and its turn.
func (f *flow) applyHandoff(target string, results []Message) error {
	agent, err := f.definitions.Agent(target)
	if err != nil {
		return f.end(ending{reason: StepError, err: err})
	}
	from, steps := f.thread.Agent, f.thread.Session.Steps
	err = f.update(func(tx record.Tx, t *Thread) error {
		if t.Origin == "" {
			t.Origin = t.Agent
		}
		t.Agent, t.Digest = agent.Name, agent.Digest
		t.Limits = t.Limits.within(agent.Limits)
		t.Session.Side, t.Session.Open, t.Session.Activated = SideA, "", nil
		for _, m := range results {
			if m.Metadata[handoffKey] != target {
				continue
			}
			if arguments, ok := m.Metadata["arguments"].(string); ok { // a text, so that no digit of a number is lost
				t.Arguments = merge(t.Arguments, arguments)
			}
			if opening, ok := m.Metadata["opening"].(string); ok {
				m := &Message{Role: User, Content: opening, Status: Completed, Created: f.now()}
				if err := appendMessage(tx, t.ID, m); err != nil {
					return err
				}
				t.Session.Since = m.ID
			}
		}
		f.fetched = false
		return f.note(tx, t.ID, "handoff", Metadata{"from": from, "to": agent.Name})
	})
	if err == nil {
		f.emit(Event{Type: StepCompleted, Step: steps})
		f.emit(Event{Type: HandedOff, Status: agent.Name})
	}
	return err
}

// merge adds the members of one object to another's.
func merge(object json.RawMessage, more string) json.RawMessage {
	all := map[string]json.RawMessage{}
	_ = json.Unmarshal(object, &all) // nothing, if there are none yet
	if json.Unmarshal([]byte(more), &all) != nil {
		return object
	}
	merged, err := json.Marshal(all)
	if err != nil {
		return object
	}
	return merged
}
