package agent_test

import (
	"context"
	"slices"
	"testing"

	"github.com/ryeos/rye/internal/agenttest"
	"github.com/ryeos/rye/pkg/agent"
	"github.com/ryeos/rye/pkg/record"
)

// stopping is a tool that has its thread stopped, and does its work all the same.
func stopping(t *testing.T, id string) agenttest.Func {
	return func(_ context.Context, c agent.Call) agent.ToolResult {
		if err := c.State.Stop(context.Background(), "enough"); err != nil {
			t.Error(err)
		}
		return agent.ToolResult{Result: "I have counted."}
	}
}

// What a tool has done before it noticed a stop is told to the model: it would have it done again.
func TestResultIsKeptOnStop(t *testing.T) {
	w := agenttest.New(t, record.NewMemory(), agenttest.Script(agenttest.Use("count", `{}`, "never", `{}`)), tools{"never": done("never")})
	w.Catalog.Prompts["helper"].Tools = []agent.Tool{{Name: "count"}, {Name: "never"}}
	id := w.Thread("helper")
	w.Env.Tools["count"] = stopping(t, id)
	if o := w.Say(id, "count"); o.Reason != agent.AbortedByUser {
		t.Errorf("outcome %+v", o)
	}
	same(t, "the thread", transcript(w.Rows(id)), "user: count", "assistant:  [count{}] [never{}]", "tool: I have counted.", "tool: The tool failed: stopped by the user")
}

// A prompt that is called as a tool may write many rows behind the one of its call before it dies.
func TestDeepInterruption(t *testing.T) {
	const calls = 100
	many := agenttest.Reply{}
	for i := range calls {
		many.Calls = append(many.Calls, agent.ToolCall{ID: record.Name(int64(i)), Name: "note", Arguments: `{}`})
	}
	w := mortalWorld(t, record.NewMemory(), agenttest.Script(agenttest.Use("critic", `{}`), many, agenttest.Say("I see")), nil)
	ran := 0
	w.Env.Tools = tools{"note": func(context.Context, agent.Call) agent.ToolResult {
		if ran++; ran == calls {
			w.probe.dieNext()
		}
		return agent.ToolResult{}
	}}
	w.Catalog.Prompts["critic"] = &agent.Prompt{Name: "critic", Model: "model", Tools: []agent.Tool{{Name: "note"}}}
	w.Catalog.Prompts["helper"].Tools = []agent.Tool{{Name: "critic"}}
	id := w.Thread("helper")
	send(w.World, id, "go")
	w.runUntilDeath(id)
	if o := w.resume(id); o.Text != "I see" || ran != calls {
		t.Errorf("%d calls, outcome %+v", ran, o)
	}
	same(t, "the request after the death", asked(w.Provider.Requests()[2]), "user: go", "assistant:  [critic{}]", interrupted)
	if rows := w.Rows(id); slices.ContainsFunc(rows, func(m agent.Message) bool { return m.Status == agent.Pending }) {
		t.Errorf("rows are still pending: %q", transcript(rows))
	}
}

// A thread that died in the middle of its calls and is stopped before anybody goes on with it.
func TestStopOfDeadThread(t *testing.T) {
	w := mortalWorld(t, record.NewMemory(), agenttest.Script(agenttest.Use("note", `{}`, "note", `{}`), agenttest.Say("I see")), nil)
	w.Env.Tools = tools{"note": func(context.Context, agent.Call) agent.ToolResult {
		w.probe.dieNext()
		return agent.ToolResult{}
	}}
	w.Catalog.Prompts["helper"].Tools = []agent.Tool{{Name: "note"}}
	id := w.Thread("helper")
	send(w.World, id, "go")
	w.runUntilDeath(id)
	w.Env.OwnerAlive = func(string) bool { return false }
	if err := w.outside().Stop(t.Context(), id, "enough"); err != nil {
		t.Fatal(err)
	}
	same(t, "the thread", transcript(w.Rows(id)), "user: go", "assistant:  [note{}] [note{}]",
		"tool: The tool failed: stopped by the user", "tool: The tool failed: stopped by the user")
	send(w.outside(), id, "and now?")
	if o := w.resume(id); o.Text != "I see" {
		t.Errorf("outcome %+v", o)
	}
}

// The turn of a thread that died in the middle of its calls is changed behind them.
func TestContinueOfDeadThread(t *testing.T) {
	w := mortalWorld(t, record.NewMemory(), agenttest.Script(agenttest.Use("look", `{}`, "look", `{}`), agenttest.Say("An animal."), agenttest.Use("finish", `{}`)), nil)
	shape := talkers(t, record.NewMemory())
	*w.Catalog = *shape.Catalog
	looked := 0
	w.Env.Tools = tools{"finish": done("finished"), "look": func(context.Context, agent.Call) agent.ToolResult {
		if looked++; looked == 1 {
			w.probe.dieNext()
		}
		return agent.ToolResult{Result: "a cat"}
	}}
	id := w.Thread("talkers")
	send(w.World, id, "Talk.")
	w.runUntilDeath(id)
	w.Env.OwnerAlive = func(string) bool { return false }
	if err := w.outside().Continue(t.Context(), id, agent.SideB); err != nil {
		t.Fatal(err)
	}
	if o := w.resume(id); o.Reason != agent.SessionStop || looked != 2 {
		t.Errorf("%d looks, outcome %+v", looked, o)
	}
	if r := w.Provider.Requests()[1]; r.System != "You answer." {
		t.Errorf("the second request is of %q", r.System)
	}
	paired(t, w.Provider.Requests())
}

// A model that does not learn is not asked for ever, but a person may tell it what to do.
func TestRepeatedError(t *testing.T) {
	w := endless(t, record.NewMemory(), agenttest.Use("fail", `{}`), agent.Side{})
	tries := 0
	w.Env.Tools["fail"] = func(context.Context, agent.Call) agent.ToolResult {
		tries++
		return agent.ToolResult{Error: "no file \"a" + record.Name(int64(tries)) + "\""}
	}
	id := w.Thread("helper")
	for _, text := range []string{"go", "try harder"} {
		tries = 0
		if o := w.Say(id, text); o.Reason != agent.RepeatedError || o.Status != agent.StatusFailed || tries != 8 {
			t.Errorf("%s: %d tries, outcome %+v", text, tries, o)
		}
	}
}

// A thread whose session failed has nothing to do, and hosts must not be told otherwise.
func TestFailedThreadIsNotPending(t *testing.T) {
	w := agenttest.New(t, record.NewMemory(), agenttest.Script(refusing("no"), agenttest.Reply{}), nil)
	id := w.Thread("helper")
	for range 2 {
		w.Say(id, "hi")
		if pending, err := w.Pending(t.Context()); err != nil || len(pending) != 0 {
			t.Errorf("pending %q, %v", pending, err)
		}
	}
}
