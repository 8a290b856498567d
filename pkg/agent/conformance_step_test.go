package agent_test

import (
	"context"
	"errors"
	"reflect"
	"slices"
	"testing"

	"github.com/ryeos/rye/internal/agenttest"
	"github.com/ryeos/rye/pkg/agent"
	"github.com/ryeos/rye/pkg/record"
)

func init() {
	conform("SA-1.1", testSameAnswersSameThread)
	conform("SA-1.2", testOneStepAtATime)
	conform("SA-1.3", testStoredBeforeGoingOn)
	conform("SA-3.0", testStages)
	conform("SA-3.1", testDrainComesFirst)
	conform("SA-3.2", testContextComesAfterDrain)
	conform("SA-3.3", testModelOfThePrompt)
	conform("SA-3.4", testAnswerStoredBeforeTools)
	conform("SA-3.6", testResultsStoredBeforeStopCheck)
	conform("SA-3.7", testStopCheckComesLast)
}

func testSameAnswersSameThread(t *testing.T, storage record.Storage) {
	run := func() []agent.Message {
		p := agenttest.Script(agenttest.Use("add", `{"a":1}`, "fail", `{}`), agenttest.Use("add", `{"a":2}`), agenttest.Say("3"), agenttest.Say("4"))
		w := agenttest.New(t, storage, p, tools{"add": done("sum"), "fail": failing("no")})
		id := w.Thread("helper")
		w.Say(id, "add")
		w.Say(id, "more")
		return timeless(w.Rows(id))
	}
	first, second := run(), run()
	if len(first) != 9 || !reflect.DeepEqual(first, second) {
		t.Errorf("the same answers made\n%q\nand\n%q", transcript(first), transcript(second))
	}
}

func testOneStepAtATime(t *testing.T, storage record.Storage) {
	w, asking, release := blocked(t, storage, agenttest.Say("one"), agenttest.Say("two"))
	id := w.Thread("helper")
	first := say(w, id, "1")
	<-asking
	for _, r := range []*agent.Runtime{w.Runtime, w.NewRuntime("other")} {
		if _, err := r.Run(t.Context(), id); !errors.Is(err, agent.ErrBusy) {
			t.Errorf("a second run: %v", err)
		}
	}
	if o, err := w.NewRuntime("third").Deliver(t.Context(), id, agent.Outgoing{Content: "2"}); o != nil || err != nil {
		t.Errorf("a message to a thread at work: %+v, %v", o, err)
	}
	if n := len(w.Provider.Requests()); n != 1 {
		t.Errorf("%d requests while the first is being answered", n)
	}
	release()
	if o := <-first; o.Text != "two" || w.Provider.Overlaps() != 0 {
		t.Errorf("outcome %+v, %d requests overlap", o, w.Provider.Overlaps())
	}
}

func testStoredBeforeGoingOn(t *testing.T, storage record.Storage) {
	p := agenttest.Script(agenttest.Use("note", `{}`), agenttest.Say("done"))
	w := agenttest.New(t, storage, p, tools{"note": done("noted")})
	id := w.Thread("helper")
	replies, seen := p.Answer, []string(nil)
	p.Answer = func(n int, r agent.Request) agenttest.Reply {
		if n == 1 {
			seen = transcript(w.Rows(id))
		}
		return replies(n, r)
	}
	w.Say(id, "go")
	same(t, "the rows while the model is asked again", seen,
		"user: go", "assistant:  [note{}]", "tool: noted", "assistant:  (pending)")
}

func testStages(t *testing.T, storage record.Storage) {
	w := agenttest.New(t, storage, agenttest.Script(agenttest.Use("note", `{}`), agenttest.Say("done")), tools{"note": done("noted")})
	w.Say(w.Thread("helper"), "go")
	var stages []string
	for _, e := range w.Env.Events() {
		if e.Type == agent.StageStarted {
			stages = append(stages, string(e.Stage))
		}
	}
	same(t, "stages", stages,
		"drain", "assemble", "call", "persist_response", "tools", "persist_results", "stop",
		"drain", "assemble", "call", "persist_response", "stop",
		"drain")
}

// steered is a world in which a tool of the first step has a message sent to its thread.
func steered(t *testing.T, storage record.Storage) *agenttest.World {
	w := agenttest.New(t, storage, agenttest.Script(agenttest.Use("note", `{}`), agenttest.Say("done")), nil)
	other := w.NewRuntime("other")
	w.Env.Tools = tools{"note": func(ctx context.Context, c agent.Call) agent.ToolResult {
		if _, err := other.Send(ctx, c.Thread, agent.Outgoing{Content: "hurry"}); err != nil {
			t.Error(err)
		}
		return agent.ToolResult{Result: "noted"}
	}}
	w.Catalog.Prompts["helper"].Tools = []agent.Tool{{Name: "note"}}
	return w
}

func testDrainComesFirst(t *testing.T, storage record.Storage) {
	w := steered(t, storage)
	id := w.Thread("helper")
	replies, seen := w.Provider.Answer, []string(nil)
	w.Provider.Answer = func(n int, r agent.Request) agenttest.Reply {
		seen = transcript(w.Rows(id))
		return replies(n, r)
	}
	w.Say(id, "go")
	same(t, "the rows while the model is asked again", seen,
		"user: go", "assistant:  [note{}]", "tool: noted", "user: hurry", "assistant:  (pending)")
}

func testContextComesAfterDrain(t *testing.T, storage record.Storage) {
	w := steered(t, storage)
	w.Say(w.Thread("helper"), "go")
	same(t, "the second request", asked(w.Provider.Requests()[1]), "user: go", "assistant:  [note{}]", "tool: noted", "user: hurry")
}

func testModelOfThePrompt(t *testing.T, storage record.Storage) {
	w := agenttest.New(t, storage, agenttest.Script(agenttest.Say("1"), agenttest.Say("2")), nil)
	w.Catalog.Models["large"] = &agent.Model{Name: "large", ID: "large-7"}
	id := w.Thread("helper")
	w.Say(id, "1")
	w.Catalog.Prompts["helper"].Model = "large"
	w.Say(id, "2")
	if r := w.Provider.Requests(); r[0].Model.ID != "model-1" || r[1].Model.ID != "large-7" {
		t.Errorf("models %q, %q", r[0].Model.ID, r[1].Model.ID)
	}
}

func testAnswerStoredBeforeTools(t *testing.T, storage record.Storage) {
	w := agenttest.New(t, storage, agenttest.Script(agenttest.Use("note", `{"a":1}`), agenttest.Say("done")), tools{"note": nil})
	var seen []string
	w.Env.Tools["note"] = func(_ context.Context, c agent.Call) agent.ToolResult {
		seen = transcript(w.Rows(c.Thread))
		return agent.ToolResult{Result: "noted"}
	}
	w.Say(w.Thread("helper"), "go")
	same(t, "the rows while the tool runs", seen, "user: go", `assistant:  [note{"a":1}]`, "tool:  (pending)")
}

func testResultsStoredBeforeStopCheck(t *testing.T, storage record.Storage) {
	w := mortalWorld(t, storage, agenttest.Script(agenttest.Use("note", `{}`), agenttest.Say("done")), tools{"note": done("noted")})
	id := w.Thread("helper")
	w.Env.OnEvent = func(e agent.Event) {
		if e.Type == agent.ToolResulted {
			w.probe.dieNext()
		}
	}
	send(w.World, id, "go")
	w.runUntilDeath(id)
	w.Env.OnEvent = nil
	same(t, "the rows after the process died", transcript(w.Rows(id)), "user: go", "assistant:  [note{}]", "tool: noted")
	if o := w.resume(id); o.Text != "done" {
		t.Errorf("outcome %+v", o)
	}
}

func testStopCheckComesLast(t *testing.T, storage record.Storage) {
	w := agenttest.New(t, storage, agenttest.Script(agenttest.Use("finish", `{}`, "note", `{}`, "note", `{}`)), tools{"note": done("noted"), "finish": done("finished")})
	w.Catalog.Agents["helper"].SideA.StopTool = "finish"
	id := w.Thread("helper")
	if o := w.Say(id, "go"); o.Reason != agent.StopTool {
		t.Errorf("outcome %+v", o)
	}
	rows := transcript(w.Rows(id))
	if !slices.Equal(rows[2:], []string{"tool: finished", "tool: noted", "tool: noted"}) {
		t.Errorf("rows %q", rows)
	}
}
