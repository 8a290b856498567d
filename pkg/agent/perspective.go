package agent

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// perspective is the history as a side sees it: what it said itself is the assistant's, what the other side said is the
// user's, and the other side's tools do not exist (seed 004 §4). The turn began at since, or with
// what the other side said last if that is older; what was before is past.
func perspective(side SideName, prompt *Prompt, history []Message, since string) []Entry {
	latest := latestOther(side, history)
	entries := []Entry{}
	for i := range history {
		m := &history[i]
		past := i < latest && (since == "" || m.ID < since)
		if past && !prompt.IncludeChat {
			continue
		}
		if e, ok := entry(side, prompt, m, past); ok {
			entries = append(entries, e)
		}
	}
	return entries
}

// latestOther is the newest message of the other side, or the first of several.
func latestOther(side SideName, history []Message) int {
	i := len(history) - 1
	for ; i >= 0 && !fromOther(side, &history[i]); i-- {
	}
	for ; i > 0 && fromOther(side, &history[i-1]); i-- {
	}
	return max(i, 0)
}

func fromOther(side SideName, m *Message) bool {
	return (m.Role == User || m.Role == Assistant) && m.Role != side.role()
}

// entry is one row, if the side may see it. past rows are from before the current turn.
func entry(side SideName, prompt *Prompt, m *Message, past bool) (Entry, bool) {
	e := Entry{Text: m.Content, message: m}
	switch {
	case m.Role == System:
		e.Role = User
	case m.Role == ToolRole:
		if m.Side != side || past && !prompt.IncludePastTools {
			return e, false
		}
		e.Role, e.CallID, e.Failed = ToolRole, m.ToolCallID, m.ToolStatus == ToolFailed
		return e, true
	case m.Role == side.role():
		e.Role = Assistant
		if !past || prompt.IncludePastTools {
			e.Calls = m.ToolCalls
		}
		if m.Prompt == prompt.Name {
			e.Reasoning = m.Reasoning
		}
	default:
		e.Role = User
	}
	if m.Agent != "" {
		e.Text = fmt.Sprintf("<from agent=%q>%s</from>", m.Agent, m.Content)
	}
	blank := strings.TrimSpace(e.Text) == "" && len(e.Calls) == 0 && len(m.Attachments) == 0
	return e, !blank
}

// pair makes every assistant's calls be followed by exactly one result each, which all providers insist on: results
// without a call go, missing ones are said to be missing, and what came between moves behind.
func pair(entries []Entry) []Entry {
	out := make([]Entry, 0, len(entries))
	used := make([]bool, len(entries))
	for i, e := range entries {
		switch {
		case used[i]:
			continue
		case e.Role == ToolRole:
			continue // its call is not there, or it would have been used
		}
		out = append(out, e)
		if len(e.Calls) == 0 {
			continue
		}
		end := i + 1
		for end < len(entries) && !(entries[end].Role == Assistant && len(entries[end].Calls) > 0) {
			end++
		}
		for _, call := range e.Calls {
			j := slices.IndexFunc(entries[i+1:end], func(r Entry) bool { return r.Role == ToolRole && r.CallID == call.ID })
			if j < 0 || used[i+1+j] {
				out = append(out, Entry{Role: ToolRole, CallID: call.ID, Failed: true, Text: "The tool failed: there is no result of this call."})
				continue
			}
			used[i+1+j] = true
			out = append(out, entries[i+1+j])
		}
	}
	return out
}

// members are the values of a JSON object as text.
func members(object json.RawMessage) map[string]string {
	var raw map[string]json.RawMessage
	if json.Unmarshal(object, &raw) != nil {
		return nil
	}
	values := make(map[string]string, len(raw))
	for name, v := range raw {
		values[name] = text(v)
	}
	return values
}
