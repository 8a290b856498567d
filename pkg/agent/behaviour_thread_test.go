package agent_test

import (
	"context"
	"strings"
	"testing"

	"github.com/ryeos/rye/internal/agenttest"
	"github.com/ryeos/rye/pkg/agent"
	"github.com/ryeos/rye/pkg/record"
)

func init() {
	conform("B7-36", behavesNewThread)
	conform("B7-37", behavesThreadIsStored)
	conform("B7-38", behavesRowsAreStored)
	conform("B7-39", behavesInjectedEntries)
	conform("B7-40", behavesRoundTrip)
	conform("B7-42", behavesSameID)
	conform("B7-44", behavesUnknownThread)
	conform("B7-45", behavesEmptyStorage)
	conform("B7-47", behavesTwoThreads)
	conform("B7-50", behavesWithoutWorld)
	conform("B7-51", behavesAgents)
	conform("B7-53", behavesReplacedAgent)
	conform("B7-54", behavesRemovedAgent)
	conform("B7-56", behavesUnknownAgent)
	conform("B7-57", behavesClosing)
	conform("B7-60", behavesTransfer)
	conform("B7-61", behavesSend)
	conform("B7-62", behavesSendToUnknown)
	conform("B7-63", behavesTwoSends)
	conform("B7-64", behavesStream)
	conform("B7-65", behavesRunOfUnknown)
}

func behavesNewThread(t *testing.T, storage record.Storage) {
	w := agenttest.New(t, storage, agenttest.Script(), nil)
	if id := w.Thread("helper"); len(id) != 36 {
		t.Errorf("id %q", id)
	}
	if _, err := w.Create(t.Context(), agent.NewThread{ID: "mine", Agent: "helper"}); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Create(t.Context(), agent.NewThread{ID: "mine", Agent: "helper"}); err == nil || !strings.Contains(err.Error(), "already") {
		t.Errorf("a second thread of one id: %v", err)
	}
}

func behavesThreadIsStored(t *testing.T, storage record.Storage) {
	w := agenttest.New(t, storage, agenttest.Script(), nil)
	made, err := w.Create(t.Context(), agent.NewThread{Agent: "helper", Name: "N", Sender: "ada", Arguments: []byte(`{"a":1}`), Limits: agent.Limits{Steps: 3}})
	if err != nil {
		t.Fatal(err)
	}
	got, err := w.NewRuntime("other").Thread(t.Context(), made.ID)
	if err != nil || got.Name != "N" || got.Sender != "ada" || string(got.Arguments) != `{"a":1}` || got.Limits.Steps != 3 || got.Agent != "helper" ||
		!got.Created.Equal(w.Clock.Now()) || got.Status != agent.StatusCreated {
		t.Errorf("thread %+v, %v", got, err)
	}
}

func behavesRowsAreStored(t *testing.T, storage record.Storage) {
	w := agenttest.New(t, storage, agenttest.Script(), nil)
	s := w.State(w.Thread("helper"))
	for _, text := range []string{"1", "2"} {
		if _, err := s.Inject(t.Context(), agent.Message{Role: agent.User, Content: text}); err != nil {
			t.Fatal(err)
		}
	}
	same(t, "the thread", transcript(w.Rows(s.ID())), "user: 1", "user: 2")
}

func behavesInjectedEntries(t *testing.T, storage record.Storage) {
	w := agenttest.New(t, storage, agenttest.Script(agenttest.Say("one"), agenttest.Say("two")), nil)
	w.Env.Before = func(s agent.Scope) []agent.Entry {
		return []agent.Entry{{Role: agent.User, Text: "recalled for " + s.Thread}}
	}
	id := w.Thread("helper")
	w.Say(id, "1")
	w.Say(id, "2")
	same(t, "the second request", asked(w.Provider.Requests()[1]), "user: 1", "assistant: one", "user: recalled for "+id, "user: 2")
	same(t, "the thread", transcript(w.Rows(id)), "user: 1", "assistant: one", "user: 2", "assistant: two")
}

func behavesRoundTrip(t *testing.T, storage record.Storage) {
	w := agenttest.New(t, storage, agenttest.Script(agenttest.Reply{Text: "né\x00\u2028", Thinking: "hm", Calls: []agent.ToolCall{{ID: "1", Name: "note", Arguments: `{"a":"<&>"}`}}},
		agenttest.Say("done")), tools{"note": done("\xff is no text")})
	id := w.Thread("helper")
	w.Say(id, "go")
	rows := w.Rows(id)
	answer := rows[1]
	if answer.Content != "né\x00\u2028" || answer.Reasoning != "hm" || answer.ToolCalls[0].Arguments != `{"a":"<&>"}` || answer.Prompt != "helper" ||
		answer.Side != agent.SideA || rows[2].Content != "\ufffd is no text" {
		t.Errorf("rows %+v", rows)
	}
}

func behavesSameID(t *testing.T, storage record.Storage) {
	w, id, _ := said(t, storage, agenttest.Say("one"))
	if err := w.SetVariable(t.Context(), id, agent.Value{Name: "A", Value: "1"}); err != nil {
		t.Fatal(err)
	}
	if thread, err := w.NewRuntime("other").Thread(t.Context(), id); err != nil || thread.ID != id || thread.Session.Number != 1 {
		t.Errorf("thread %+v, %v", thread, err)
	}
}

func behavesUnknownThread(t *testing.T, storage record.Storage) {
	w := agenttest.New(t, storage, agenttest.Script(), nil)
	w.Thread("helper")
	if thread, err := w.Runtime.Thread(t.Context(), "none"); thread != nil || err == nil || !strings.Contains(err.Error(), "there is no thread none") {
		t.Errorf("thread %+v, %v", thread, err)
	}
}

func behavesEmptyStorage(t *testing.T, storage record.Storage) {
	w := agenttest.New(t, storage, agenttest.Script(), nil)
	if pending, err := w.Pending(t.Context()); err != nil || len(pending) != 0 {
		t.Errorf("pending %q, %v", pending, err)
	}
}

func behavesTwoThreads(t *testing.T, storage record.Storage) {
	w := agenttest.New(t, storage, agenttest.Script(), nil)
	if a, b := w.Thread("helper"), w.Thread("helper"); a == b {
		t.Errorf("two threads are %s", a)
	}
}

func behavesWithoutWorld(t *testing.T, storage record.Storage) {
	r, o := converse(t, threeParts(storage, nil, agenttest.Say("hello")))
	if result := r.State(o.Thread).InvokeTool(t.Context(), "note", nil); !strings.Contains(result.Error, "tool not registered") {
		t.Errorf("result %+v", result)
	}
}

func behavesAgents(t *testing.T, storage record.Storage) {
	w := agenttest.New(t, storage, agenttest.Script(agenttest.Say("miaow")), nil)
	cat := &agent.Agent{Name: "cat", SideA: agent.Side{Prompt: "helper"}}
	w.Catalog.Agents["cat"] = cat
	if found, err := w.Catalog.Agent("cat"); err != nil || found != cat {
		t.Errorf("found %+v, %v", found, err)
	}
	if o := w.Say(w.Thread("cat"), "hi"); o.Text != "miaow" {
		t.Errorf("outcome %+v", o)
	}
}

func behavesReplacedAgent(t *testing.T, storage record.Storage) {
	w, id, _ := said(t, storage, agenttest.Say("one"), agenttest.Say("two"), agenttest.Say("three"))
	w.Catalog.Agents["helper"] = &agent.Agent{Name: "helper", Title: "another", SideA: agent.Side{Prompt: "helper"}}
	if len(w.Catalog.Agents) != 1 {
		t.Errorf("%d agents", len(w.Catalog.Agents))
	}
	if o := w.Say(id, "go on"); o.Text != "two" {
		t.Errorf("outcome %+v", o)
	}
	w.Catalog.Agents["helper"] = &agent.Agent{Name: "helper", Digest: "another file", SideA: agent.Side{Prompt: "helper"}}
	if o := w.Say(id, "and on"); o.Reason != agent.StepError || !strings.Contains(o.Error, "has changed since thread") {
		t.Errorf("an agent whose file changed: %+v", o)
	}
}

func behavesRemovedAgent(t *testing.T, storage record.Storage) {
	w, id, _ := said(t, storage, agenttest.Say("one"))
	delete(w.Catalog.Agents, "helper")
	if o := w.Say(id, "go on"); o.Reason != agent.StepError || !strings.Contains(o.Error, `agent "helper" is not registered`) {
		t.Errorf("outcome %+v", o)
	}
}

func behavesUnknownAgent(t *testing.T, storage record.Storage) {
	w := agenttest.New(t, storage, agenttest.Script(), nil)
	if _, err := w.Create(t.Context(), agent.NewThread{Agent: "dog"}); err == nil || !strings.Contains(err.Error(), `agent "dog" is not registered; there are ["helper"]`) {
		t.Errorf("a thread of an unknown agent: %v", err)
	}
}

func behavesClosing(t *testing.T, storage record.Storage) {
	w, id, _ := said(t, storage, agenttest.Say("one"))
	for range 2 {
		if err := w.Terminate(t.Context(), id, "closed"); err != nil {
			t.Fatal(err)
		}
	}
	same(t, "marks", kinds(w.Rows(id)), "terminated")
	if err := w.Terminate(t.Context(), "none", ""); err == nil || !strings.Contains(err.Error(), "there is no thread none") {
		t.Errorf("closing an unknown thread: %v", err)
	}
}

func behavesTransfer(t *testing.T, storage record.Storage) {
	w, first, _ := said(t, storage, agenttest.Say("one"), agenttest.Say("two"), agenttest.Say("three"))
	second := w.Thread("helper")
	heir := w.NewRuntime("heir")
	for _, id := range []string{first, second} {
		o, err := heir.Deliver(t.Context(), id, agent.Outgoing{Content: "go on"})
		if err != nil || o.Thread != id {
			t.Errorf("outcome %+v, %v", o, err)
		}
	}
	same(t, "the first thread", transcript(w.Rows(first)), "user: go", "assistant: one", "user: go on", "assistant: two")
}

func behavesSend(t *testing.T, storage record.Storage) {
	if _, _, o := said(t, storage, agenttest.Say("hello")); o.Text != "hello" {
		t.Errorf("outcome %+v", o)
	}
}

func behavesSendToUnknown(t *testing.T, storage record.Storage) {
	w := agenttest.New(t, storage, agenttest.Script(), nil)
	if _, err := w.Deliver(t.Context(), "none", agent.Outgoing{Content: "hi"}); err == nil || !strings.Contains(err.Error(), "there is no thread none") {
		t.Errorf("Deliver: %v", err)
	}
	if _, err := w.Send(t.Context(), "none", agent.Outgoing{Content: "hi"}); err == nil {
		t.Error("Send takes messages for unknown threads")
	}
}

func behavesTwoSends(t *testing.T, storage record.Storage) {
	w, id, _ := said(t, storage, agenttest.Say("one"), agenttest.Say("two"))
	w.Say(id, "go on")
	same(t, "the thread", transcript(w.Rows(id)), "user: go", "assistant: one", "user: go on", "assistant: two")
}

func behavesStream(t *testing.T, storage record.Storage) {
	w, id, o := said(t, storage, agenttest.Reply{Chunks: []agent.Chunk{{Text: "hel"}, {Text: "lo"}}})
	joined := ""
	for _, e := range w.Env.Events() {
		if e.Type == agent.TextDelta {
			joined += e.Text
		}
	}
	if joined != "hello" || o.Text != "hello" || o.Reason != agent.StopOnResponse || len(w.Rows(id)) != 2 {
		t.Errorf("streamed %q, outcome %+v", joined, o)
	}
}

func behavesRunOfUnknown(t *testing.T, storage record.Storage) {
	w := agenttest.New(t, storage, agenttest.Script(), nil)
	if o, err := w.Run(context.Background(), "none"); o != nil || err == nil || !strings.Contains(err.Error(), "there is no thread none") {
		t.Errorf("outcome %+v, %v", o, err)
	}
}
