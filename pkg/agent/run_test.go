package agent_test

import (
	"context"
	"testing"

	"github.com/ryeos/rye/internal/agenttest"
	"github.com/ryeos/rye/pkg/agent"
	"github.com/ryeos/rye/pkg/record"
)

func TestRunToolThenText(t *testing.T) {
	p := agenttest.Script(agenttest.Use("add", `{"a":1,"b":2}`), agenttest.Say("It is 3."), agenttest.Say("Again: 3."))
	w := agenttest.New(t, record.NewMemory(), p, map[string]agenttest.Func{
		"add": func(context.Context, agent.Call) agent.ToolResult { return agent.ToolResult{Result: "3"} },
	})
	id := w.Thread("helper")
	o := w.Say(id, "add 1 and 2")
	if o.Reason != agent.StopOnResponse || o.Text != "It is 3." || o.Steps != 2 {
		t.Errorf("outcome %+v", o)
	}
	if o = w.Say(id, "again"); o.Text != "Again: 3." {
		t.Errorf("outcome %+v", o)
	}
	requests := p.Requests()
	last := requests[2].Messages
	for i, want := range []agent.Role{agent.User, agent.Assistant, agent.ToolRole, agent.Assistant, agent.User} {
		if i >= len(last) || last[i].Role != want {
			t.Fatalf("the third request has %+v", last)
		}
	}
}
