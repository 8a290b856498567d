package agent_test

import (
	"testing"

	"github.com/ryeos/rye/internal/agenttest"
	"github.com/ryeos/rye/pkg/agent"
	"github.com/ryeos/rye/pkg/record"
)

// forgetful makes the prompt of "helper" see nothing but its current turn.
func forgetful(w *agenttest.World) {
	p := w.Catalog.Prompts["helper"]
	p.IncludeChat, p.IncludePastTools = false, false
}

func TestTurnSeesItselfAlone(t *testing.T) {
	w := agenttest.New(t, record.NewMemory(), agenttest.Script(agenttest.Use("note", `{}`), agenttest.Say("one"), agenttest.Say("two")), tools{"note": done("noted")})
	forgetful(w)
	id := w.Thread("helper")
	w.Say(id, "1")
	w.Say(id, "2")
	same(t, "the request of the second turn", asked(w.Provider.Requests()[2]), "user: 2")
}

// A reminder is said in the middle of a turn: what the turn is about must not be forgotten for it.
func TestTurnGoesOnAfterNudge(t *testing.T) {
	w := agenttest.New(t, record.NewMemory(), agenttest.Script(agenttest.Use("note", `{}`), agenttest.Say("I am done."), agenttest.Use("finish", `{}`)),
		tools{"note": done("noted"), "finish": done("finished")})
	forgetful(w)
	w.Catalog.Agents["helper"].SideA = agent.Side{Prompt: "helper", KeepGoing: true, SessionStop: agent.Binding{Tool: "finish"}, Nudges: 1}
	id := w.Thread("helper")
	if o := w.Say(id, "count"); o.Reason != agent.SessionStop {
		t.Errorf("outcome %+v", o)
	}
	got := asked(w.Provider.Requests()[2])
	same(t, "the request after the reminder", got[:4], "user: count", "assistant:  [note{}]", "tool: noted", "assistant: I am done.")
}

func TestTurnSurvivesStopAndContinue(t *testing.T) {
	w := agenttest.New(t, record.NewMemory(), agenttest.Script(agenttest.Use("note", `{}`), agenttest.Say("one")), tools{"note": nil})
	forgetful(w)
	id := w.Thread("helper")
	w.Env.Tools["note"] = stopping(t, id)
	if o := w.Say(id, "count"); o.Reason != agent.AbortedByUser {
		t.Errorf("outcome %+v", o)
	}
	if err := w.Continue(t.Context(), id, agent.SideA); err != nil {
		t.Fatal(err)
	}
	if o := run(w, id); o.Text != "one" {
		t.Errorf("outcome %+v", o)
	}
	same(t, "the request", asked(w.Provider.Requests()[1]), "user: count", "assistant:  [note{}]", "tool: I have counted.")
}
