package agent_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ryeos/rye/internal/agenttest"
	"github.com/ryeos/rye/pkg/agent"
)

// tools are functions for worlds.
type tools = map[string]agenttest.Func

// transcript writes rows as lines: who, what, and which tools are called. Silent rows are left out.
func transcript(rows []agent.Message) []string {
	var lines []string
	for _, m := range rows {
		if m.Silent {
			continue
		}
		line := string(m.Role) + ": " + m.Content
		for _, call := range m.ToolCalls {
			line += " [" + call.Name + call.Arguments + "]"
		}
		if m.Status != agent.Completed {
			line += " (" + string(m.Status) + ")"
		}
		lines = append(lines, line)
	}
	return lines
}

// asked writes the entries of a request in the same way.
func asked(r agent.Request) []string {
	var lines []string
	for _, e := range r.Messages {
		line := string(e.Role) + ": " + e.Text
		for _, call := range e.Calls {
			line += " [" + call.Name + call.Arguments + "]"
		}
		for _, p := range e.Parts {
			line += fmt.Sprintf(" <%s%s>", p.Text, p.MIMEType)
		}
		lines = append(lines, line)
	}
	return lines
}

// same compares lines.
func same(t *testing.T, what string, got []string, want ...string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s:\n  %s\nwant:\n  %s", what, strings.Join(got, "\n  "), strings.Join(want, "\n  "))
	}
}

// paired complains of requests in which a call is not followed by exactly one result.
func paired(t *testing.T, requests []agent.Request) {
	t.Helper()
	for n, r := range requests {
		for i := 0; i < len(r.Messages); i++ {
			e := r.Messages[i]
			if e.Role == agent.ToolRole {
				t.Errorf("request %d has the result of %s without its call: %q", n, e.CallID, asked(r))
			}
			for _, call := range e.Calls {
				if i++; i >= len(r.Messages) || r.Messages[i].Role != agent.ToolRole || r.Messages[i].CallID != call.ID {
					t.Errorf("request %d: the call %s is not followed by its result: %q", n, call.ID, asked(r))
					return
				}
			}
		}
	}
}

// timeless takes out of rows what depends on when they were written.
func timeless(rows []agent.Message) []agent.Message {
	rows = slices.Clone(rows)
	for i := range rows {
		rows[i].Created, rows[i].Ended = time.Time{}, time.Time{}
	}
	return rows
}

// kinds are the status notes of a thread.
func kinds(rows []agent.Message) []string {
	var list []string
	for _, m := range rows {
		if kind, ok := m.Metadata["status_kind"].(string); ok && m.Silent {
			list = append(list, kind)
		}
	}
	return list
}

// events are the types of events, without deltas and stages.
func events(list []agent.Event) []string {
	var types []string
	for _, e := range list {
		switch e.Type {
		case agent.StageStarted, agent.TextDelta, agent.ThinkingDelta:
		default:
			types = append(types, string(e.Type))
		}
	}
	return types
}

// done is a tool that says a text.
func done(text string) agenttest.Func {
	return func(context.Context, agent.Call) agent.ToolResult { return agent.ToolResult{Result: text} }
}

// failing is a tool that fails.
func failing(text string) agenttest.Func {
	return func(context.Context, agent.Call) agent.ToolResult { return agent.ToolResult{Error: text} }
}
