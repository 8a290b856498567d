package agent_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/ryeos/rye/internal/agenttest"
	"github.com/ryeos/rye/pkg/agent"
	"github.com/ryeos/rye/pkg/record"
)

func init() {
	conform("X8", testCallsAndResultsArePaired)
	conform("X9", testMessageDuringTools)
}

// testCallsAndResultsArePaired disorders a thread in every way that its tools and hosts can.
func testCallsAndResultsArePaired(t *testing.T, storage record.Storage) {
	replies := []agenttest.Reply{
		agenttest.Use("inject", `{}`, "queue", `{}`), agenttest.Use("drop", `{}`, "queue", `{}`), agenttest.Use("missing", `{}`, "queue", `no JSON`),
		{Calls: []agent.ToolCall{{ID: "twin", Name: "queue"}, {ID: "twin", Name: "inject"}}}, agenttest.Say("one"),
		agenttest.Use("inject", `{}`), agenttest.Say("two"), agenttest.Say("three"),
	}
	w := agenttest.New(t, storage, agenttest.Script(replies...), tools{"inject": nil, "queue": nil, "drop": done(""), "later": done("later")})
	w.Env.Tools["inject"] = func(ctx context.Context, c agent.Call) agent.ToolResult {
		_, err := c.State.Inject(ctx, agent.Message{Role: agent.User, Content: "in between"})
		if err == nil {
			_, err = w.NewRuntime("other").Send(ctx, c.Thread, agent.Outgoing{Content: "by the way"})
		}
		if err != nil {
			t.Error(err)
		}
		return agent.ToolResult{}
	}
	w.Env.Tools["queue"] = func(ctx context.Context, c agent.Call) agent.ToolResult {
		if err := w.QueueTool(ctx, c.Thread, "later", nil); err != nil {
			t.Error(err)
		}
		return agent.ToolResult{}
	}
	w.Env.At = func(p agent.Point, d *agent.PointData) error {
		d.Drop = p == agent.AfterToolSuccess && d.Call.Name == "drop"
		return nil
	}
	id := w.Thread("helper")
	w.Say(id, "go")
	rows := w.Rows(id)
	for _, m := range rows {
		if m.Role == agent.Assistant && len(m.ToolCalls) == 1 && m.ToolCalls[0].Name == "inject" {
			if _, err := w.State(id).DeleteMessage(t.Context(), m.ID); err != nil {
				t.Fatal(err)
			}
		}
	}
	w.Say(id, "go on")
	w.Say(id, "and on")
	if n := len(w.Provider.Requests()); n < len(replies) {
		t.Fatalf("%d requests of %d", n, len(replies))
	}
	paired(t, w.Provider.Requests())
}

func testMessageDuringTools(t *testing.T, storage record.Storage) {
	w := agenttest.New(t, storage, agenttest.Script(agenttest.Use("tell", `{}`, "note", `{}`), agenttest.Say("done")), tools{"tell": nil, "note": done("noted")})
	w.Env.Tools["tell"] = func(ctx context.Context, c agent.Call) agent.ToolResult {
		w.Clock.Advance(1)
		if _, err := w.NewRuntime("other").Send(ctx, c.Thread, agent.Outgoing{Content: "hurry"}); err != nil {
			t.Error(err)
		}
		w.Clock.Advance(1)
		return agent.ToolResult{Result: "told"}
	}
	id := w.Thread("helper")
	w.Say(id, "go")
	want := []string{"user: go", "assistant:  [tell{}] [note{}]", "tool: told", "tool: noted", "user: hurry"}
	same(t, "the second request", asked(w.Provider.Requests()[1]), want...)
	rows := w.Rows(id)
	same(t, "the rows", transcript(rows)[:5], want...)
	if !slices.IsSortedFunc(rows, func(a, b agent.Message) int { return strings.Compare(a.ID, b.ID) }) {
		t.Error("the rows are not in the order of their ids")
	}
}
