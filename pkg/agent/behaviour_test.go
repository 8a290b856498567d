package agent_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/ryeos/rye/internal/agenttest"
	"github.com/ryeos/rye/pkg/agent"
	"github.com/ryeos/rye/pkg/record"
)

func init() {
	conform("B7-1", behavesTextStep)
	conform("B7-2", behavesToolStep)
	conform("B7-3", behavesWithoutTools)
	conform("B7-4", behavesProviderFailure)
	conform("B7-5", behavesToolFailure)
	conform("B7-6", behavesStreamedText)
	conform("B7-7", behavesRounds)
	conform("B7-8", behavesTwoCalls)
	conform("B7-9", behavesOrderOfResults)
	conform("B7-10", behavesStepBound)
	conform("B7-11", behavesEmptyAnswer)
	conform("B7-12", behavesBrokenAnswer)
	conform("B7-18", behavesDone)
}

// said is a world with tools "note" and "fail", whose thread has been told to go.
func said(t *testing.T, storage record.Storage, replies ...agenttest.Reply) (w *agenttest.World, id string, o *agent.Outcome) {
	w = agenttest.New(t, storage, agenttest.Script(replies...), tools{"note": done("noted"), "fail": failing("no paper")})
	id = w.Thread("helper")
	return w, id, w.Say(id, "go")
}

func behavesTextStep(t *testing.T, storage record.Storage) {
	w, id, o := said(t, storage, agenttest.Say("hello"))
	same(t, "the thread", transcript(w.Rows(id)), "user: go", "assistant: hello")
	if rows := w.Rows(id); len(rows) != 2 || o.Steps != 1 {
		t.Errorf("rows %+v, outcome %+v", rows, o)
	}
}

func behavesToolStep(t *testing.T, storage record.Storage) {
	w, id, _ := said(t, storage, agenttest.Use("note", `{}`), agenttest.Say("done"))
	same(t, "the thread", transcript(w.Rows(id))[:3], "user: go", "assistant:  [note{}]", "tool: noted")
}

func behavesWithoutTools(t *testing.T, storage record.Storage) {
	c := threeParts(storage, agent.NopEnv{}, agenttest.Use("note", `{}`), agenttest.Say("I see"))
	_, o := converse(t, c)
	same(t, "the second request", asked(c.Provider.(*agenttest.Provider).Requests()[1])[2:], "tool: The tool failed: tool not registered: note; there are no tools")
	if o.Text != "I see" {
		t.Errorf("outcome %+v", o)
	}
}

func behavesProviderFailure(t *testing.T, storage record.Storage) {
	w, id, o := said(t, storage, refusing("no credit"))
	if o.Reason != agent.StepError || o.Error != "no credit: refused" {
		t.Errorf("outcome %+v", o)
	}
	same(t, "the thread", transcript(w.Rows(id)), "user: go", "assistant: no credit: refused (failed)")
}

func behavesToolFailure(t *testing.T, storage record.Storage) {
	w, id, o := said(t, storage, agenttest.Use("fail", `{}`), agenttest.Say("sorry"))
	same(t, "the thread", transcript(w.Rows(id)), "user: go", "assistant:  [fail{}]", "tool: The tool failed: no paper", "assistant: sorry")
	i := slices.IndexFunc(w.Env.Events(), func(e agent.Event) bool { return e.Type == agent.ToolResulted })
	if i < 0 || w.Env.Events()[i].Result.Error != "no paper" || o.Text != "sorry" {
		t.Errorf("outcome %+v, events %+v", o, w.Env.Events())
	}
}

func behavesStreamedText(t *testing.T, storage record.Storage) {
	_, _, o := said(t, storage, agenttest.Reply{Chunks: []agent.Chunk{{Text: "one "}, {Text: "two "}, {Text: "three"}}})
	if o.Reason != agent.StopOnResponse || o.Text != "one two three" || o.Steps != 1 {
		t.Errorf("outcome %+v", o)
	}
}

func behavesRounds(t *testing.T, storage record.Storage) {
	w, _, o := said(t, storage, agenttest.Use("note", `{}`), agenttest.Say("done"))
	same(t, "events", events(w.Env.Events()), "step_started", "tool_calls_begin", "tool_calls_start", "tool_result", "tool_calls_complete",
		"step_completed", "step_started", "text_start", "text_end", "step_completed", "done")
	if o.Steps != 2 || o.Reason != agent.StopOnResponse {
		t.Errorf("outcome %+v", o)
	}
}

func behavesTwoCalls(t *testing.T, storage record.Storage) {
	w, id, _ := said(t, storage, agenttest.Use("note", `{"n":1}`, "fail", `{"n":2}`), agenttest.Say("done"))
	results := 0
	for _, e := range w.Env.Events() {
		if e.Type == agent.ToolResulted {
			results++
		}
	}
	rows := w.Rows(id)
	if results != 2 || len(rows[1].ToolCalls) != 2 || rows[2].ToolCallID != "call-1" || rows[3].ToolCallID != "call-2" {
		t.Errorf("%d results, rows %+v", results, rows)
	}
}

func behavesOrderOfResults(t *testing.T, storage record.Storage) {
	w, id, _ := said(t, storage, agenttest.Use("note", `{}`, "fail", `{}`, "note", `{}`), agenttest.Say("done"))
	var around []string
	for _, e := range w.Env.Events() {
		switch e.Type {
		case agent.ToolCallsStart, agent.ToolCallsComplete:
			around = append(around, string(e.Type))
		case agent.ToolResulted:
			around = append(around, e.CallID)
		}
	}
	same(t, "events", around, "tool_calls_start", "call-1", "call-2", "call-3", "tool_calls_complete")
	same(t, "the results", transcript(w.Rows(id))[2:5], "tool: noted", "tool: The tool failed: no paper", "tool: noted")
}

func behavesStepBound(t *testing.T, storage record.Storage) {
	w := endless(t, storage, agenttest.Use("note", `{}`), agent.Side{MaxSteps: 2})
	if o := ends(t, w, "helper", agent.MaxSideSteps, 2); o.Steps != 2 {
		t.Errorf("outcome %+v", o)
	}
}

func behavesEmptyAnswer(t *testing.T, storage record.Storage) {
	for _, reply := range []agenttest.Reply{{}, {Text: " \n"}, {Thinking: "hm"}, {Calls: []agent.ToolCall{{Name: "note"}}}} {
		w, id, o := said(t, storage, reply)
		same(t, "the thread", transcript(w.Rows(id)), "user: go")
		if o.Reason != agent.NoAction || o.Status != agent.StatusFailed {
			t.Errorf("%+v: outcome %+v", reply, o)
		}
	}
}

func behavesBrokenAnswer(t *testing.T, storage record.Storage) {
	w, id, o := said(t, storage, agenttest.Reply{Text: "I thi", Err: &agent.ProviderError{Err: errors.New("connection reset"), Retry: true}})
	if o.Reason != agent.StepError || o.Error != "connection reset" || len(w.Provider.Requests()) != 1 {
		t.Errorf("outcome %+v", o)
	}
	same(t, "the thread", transcript(w.Rows(id)), "user: go", "assistant: connection reset (failed)")
}

func behavesDone(t *testing.T, storage record.Storage) {
	w, _, o := said(t, storage, agenttest.Say("hello"))
	list := slices.DeleteFunc(w.Env.Events(), func(e agent.Event) bool { return e.Type == agent.StageStarted })
	if last := list[len(list)-1]; last.Type != agent.Done || *last.Outcome != *o {
		t.Errorf("the last event is %+v, the outcome %+v", last.Outcome, o)
	}
}
