package agent

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/ryeos/rye/pkg/record"
)

// Reason is why a session ended (spec/agent-runtime A5).
type Reason string

// Reasons, in the order in which they are looked for (seed 004 §6).
const (
	SessionStop     Reason = "session_stop"
	SessionFail     Reason = "session_fail"
	StopTool        Reason = "stop_tool"
	StopOnResponse  Reason = "stop_on_response"
	MaxSessionTurns Reason = "max_session_turns"
	MaxSideSteps    Reason = "max_side_steps"
	MaxTotalSteps   Reason = "max_total_steps"
	LimitExceeded   Reason = "limit_exceeded"
	RepeatedError   Reason = "repeated_tool_error"
	AwaitingHuman   Reason = "awaiting_human"
	ForcedHuman     Reason = "forced_human_turn"
	StepError       Reason = "step_error"
	NoAction        Reason = "no_action"
	NoReturn        Reason = "no_return" // the model never called the tool that it was to end with
	HookBlocked     Reason = "hook_blocked"
	Suspended       Reason = "suspended"
	Aborted         Reason = "aborted"
	AbortedByUser   Reason = "aborted_by_user"
	WasTerminated   Reason = "terminated"
)

// verdict is what a step means for its side.
type verdict struct {
	terminal Reason // the session ends
	turn     Reason // the turn ends
	text     string // what the side has said
	by       *Message
}

// judge evaluates the stop conditions of a side in their order. A tool that failed ends nothing: the model is told, and
// may do better.
func judge(side *Side, response *Message, results []Message) verdict {
	v := verdict{text: response.Content}
	called := func(tool string) *Message {
		if i := slices.IndexFunc(results, func(m Message) bool { return tool != "" && m.Name == tool }); i >= 0 {
			return &results[i]
		}
		return nil
	}
	for _, end := range []struct {
		tool   string
		reason Reason
	}{{side.SessionFail.Tool, SessionFail}, {side.SessionStop.Tool, SessionStop}} {
		if m := called(end.tool); m != nil {
			if m.ToolStatus != ToolSucceeded {
				return v // the rest does not count for this step either
			}
			v.terminal, v.by = end.reason, m
			return v
		}
	}
	if m := called(side.StopTool); m != nil && m.ToolStatus == ToolSucceeded {
		v.turn, v.by = StopTool, m
		if said, ok := stopText(side, response, m); ok {
			v.text = said
		}
		return v
	}
	if !side.KeepGoing && len(response.ToolCalls) == 0 && strings.TrimSpace(response.Content) != "" {
		v.turn = StopOnResponse
	}
	return v
}

// stopText is what a stop tool makes the side say: a property of its arguments, or of its result.
func stopText(side *Side, response *Message, result *Message) (string, bool) {
	if side.StopToolResponse == "" {
		return "", false
	}
	for _, call := range response.ToolCalls {
		if call.ID == result.ToolCallID {
			if s, ok := property(call.Arguments, side.StopToolResponse); ok {
				return s, true
			}
		}
	}
	return property(result.Content, side.StopToolResponse)
}

// property is a member of a JSON object, as text.
func property(object, name string) (string, bool) {
	var members map[string]json.RawMessage
	if json.Unmarshal([]byte(object), &members) != nil {
		return "", false
	}
	v, ok := members[name]
	if !ok || string(v) == "null" {
		return "", false
	}
	return text(v), true
}

// conclude is the end of a step: stop conditions, counters, and whose turn it is now, in one transaction.
func (f *flow) conclude(agent *Agent, prompt *Prompt, response *Message, results []Message) error {
	f.stage(StageStop)
	side := agent.side(f.thread.Session.Side)
	v := judge(side, response, results)
	if target := handedOff(results); target != "" && v.terminal == "" {
		return f.applyHandoff(target, results)
	}
	if err := f.publishStatus(side, response, results); err != nil {
		return err
	}
	end := f.verdictEnding(agent, side, response, v)
	switch {
	case end != nil:
	case f.repeatedError():
		end = &ending{reason: RepeatedError}
	case talking(side, response) && f.thread.Session.Nudges >= side.Nudges:
		end = &ending{reason: NoReturn, text: v.text}
	}
	steps := f.thread.Session.Steps
	err := f.update(func(tx record.Tx, t *Thread) error {
		if v.text != response.Content {
			if err := f.rephrase(tx, t, response.ID, v.text); err != nil {
				return err
			}
		}
		f.nextTurn(t, agent, side, response, v)
		if t.Session.Forced == SideB && agent.Kind != Dual && end == nil {
			end = &ending{reason: ForcedHuman, text: v.text}
		}
		if end != nil {
			return f.endSession(tx, t, agent, *end)
		}
		return f.nudge(tx, t, side, response)
	})
	if err != nil {
		return err
	}
	f.emit(Event{Type: StepCompleted, Step: steps})
	f.hook(AfterStep, &PointData{Scope: Scope{Agent: agent, Prompt: prompt},
		Response: &Response{Text: v.text, Calls: response.ToolCalls}})
	if end != nil {
		f.ended(*end)
	}
	if !f.thread.Terminated.IsZero() {
		return errLeft // it was to do one task
	}
	return nil
}

// rephrase changes what a response says. Its tools may have changed the row, or removed it, since it was read.
func (f *flow) rephrase(tx record.Tx, t *Thread, id, text string) error {
	m, err := messages.get(tx, t.ID, id)
	if err != nil || m == nil {
		return err
	}
	m.Content, f.fetched = text, false
	return messages.put(tx, t.ID, id, m)
}

// verdictEnding is how a verdict ends the session, nil if it goes on.
func (f *flow) verdictEnding(agent *Agent, side *Side, response *Message, v verdict) *ending {
	switch {
	case v.terminal == SessionStop:
		return &ending{reason: v.terminal, text: v.text, payload: side.SessionStop.payload(response, v.by)}
	case v.terminal == SessionFail:
		return &ending{reason: v.terminal, text: v.text, payload: side.SessionFail.payload(response, v.by)}
	case v.turn != "" && agent.Kind != Dual:
		return &ending{reason: v.turn, text: v.text}
	}
	return nil
}

// nextTurn counts the turn and switches sides. A side of two that has no stop condition speaks once at a time.
func (f *flow) nextTurn(t *Thread, agent *Agent, side *Side, response *Message, v verdict) {
	s := &t.Session
	s.Open = ""
	if strings.TrimSpace(v.text) != "" {
		s.Text = v.text
	}
	over := v.turn != "" || agent.Kind == Dual && side.KeepGoing && side.StopTool == "" && len(response.ToolCalls) == 0
	was := s.Side
	if over {
		if s.Side == SideA {
			s.TurnsA++
		} else {
			s.TurnsB++
		}
		if agent.Kind == Dual {
			s.Side = s.Side.other()
		}
	}
	if s.Forced != "" {
		s.Side = s.Forced
		if s.Side == SideA || agent.Kind == Dual {
			s.Forced = ""
		}
	}
	if s.Side != was {
		s.Since = response.ID
	}
}

// talking reports whether a side that is to end with a tool only talked.
func talking(side *Side, response *Message) bool {
	return side.Nudges > 0 && side.SessionStop.Tool != "" && len(response.ToolCalls) == 0
}

// nudge reminds a model that talks instead of ending with its tool.
func (f *flow) nudge(tx record.Tx, t *Thread, side *Side, response *Message) error {
	if !talking(side, response) {
		return nil
	}
	t.Session.Nudges++
	m := &Message{Role: t.Session.Side.other().role(), Status: Completed, Created: f.now(), Metadata: Metadata{"nudge": t.Session.Nudges},
		Content: "This is not over before you have called " + side.SessionStop.Tool + ". Call it now with what you have, or go on working."}
	if err := appendMessage(tx, t.ID, m); err != nil {
		return err
	}
	f.fetched = false
	return nil
}
