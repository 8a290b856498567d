package agent_test

import (
	"context"
	"testing"

	"github.com/ryeos/rye/internal/agenttest"
	"github.com/ryeos/rye/pkg/agent"
	"github.com/ryeos/rye/pkg/record"
)

func init() {
	conform("SA-2.1", testMessageStarts)
	conform("SA-2.2", testQueuedMessageStarts)
	conform("SA-2.3", testQueuedToolStarts)
	conform("SA-2.5", testWorkIsQueuedWhileActive)
	conform("SA-2.6", testIdleThreadGetsNewFlow)
}

// blocked is a world whose model waits in its first answer until release is called; asking is closed when it does.
func blocked(t *testing.T, storage record.Storage, replies ...agenttest.Reply) (w *agenttest.World, asking chan struct{}, release func()) {
	asking, open := make(chan struct{}), make(chan struct{})
	replies[0].Wait = func(ctx context.Context) {
		close(asking)
		select {
		case <-open:
		case <-ctx.Done():
		}
	}
	return agenttest.New(t, storage, agenttest.Script(replies...), tools{"note": done("noted")}), asking, func() { close(open) }
}

// say runs a message in the background.
func say(w *agenttest.World, thread, text string) chan *agent.Outcome {
	ended := make(chan *agent.Outcome, 1)
	go func() {
		o, err := w.Deliver(context.Background(), thread, agent.Outgoing{Content: text})
		if err != nil {
			w.T.Errorf("%s: %v", text, err)
		}
		ended <- o
	}()
	return ended
}

func testMessageStarts(t *testing.T, storage record.Storage) {
	w := agenttest.New(t, storage, agenttest.Script(agenttest.Say("hello")), nil)
	w.Say(w.Thread("helper"), "hi")
	requests := w.Provider.Requests()
	if len(requests) != 1 {
		t.Fatalf("%d requests", len(requests))
	}
	same(t, "the request", asked(requests[0]), "user: hi")
}

func testQueuedMessageStarts(t *testing.T, storage record.Storage) {
	w := agenttest.New(t, storage, agenttest.Script(agenttest.Say("hello")), nil)
	w.Env.OnWake = func(thread string) {
		if _, err := w.Run(t.Context(), thread); err != nil {
			t.Error(err)
		}
	}
	id := w.Thread("helper")
	if _, err := w.State(id).Queue(t.Context(), agent.Outgoing{Content: "hi"}); err != nil {
		t.Fatal(err)
	}
	same(t, "the thread", transcript(w.Rows(id)), "user: hi", "assistant: hello")
	same(t, "wakes", w.Env.Wakes(), id)
}

func testQueuedToolStarts(t *testing.T, storage record.Storage) {
	w := agenttest.New(t, storage, agenttest.Script(), tools{"note": done("noted")})
	id := w.Thread("helper")
	if err := w.QueueTool(t.Context(), id, "note", []byte(`{"a":1}`)); err != nil {
		t.Fatal(err)
	}
	same(t, "wakes", w.Env.Wakes(), id)
	if _, err := w.Run(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	same(t, "the thread", transcript(w.Rows(id)), `assistant:  [note{"a":1}]`, "tool: noted")
	if n := len(w.Provider.Requests()); n != 0 {
		t.Errorf("%d requests", n)
	}
}

func testWorkIsQueuedWhileActive(t *testing.T, storage record.Storage) {
	w, asking, release := blocked(t, storage, agenttest.Say("one"), agenttest.Say("two"))
	id := w.Thread("helper")
	first := say(w, id, "1")
	<-asking
	if _, err := w.NewRuntime("other").Send(t.Context(), id, agent.Outgoing{Content: "2"}); err != nil {
		t.Fatal(err)
	}
	rows := w.Rows(id)
	last := rows[len(rows)-1]
	if last.Content != "2" || last.Status != agent.Pending || last.Metadata["queued"] != true {
		t.Errorf("the last row is %+v", last)
	}
	if wakes := w.Env.Wakes(); len(wakes) != 0 {
		t.Errorf("a thread at work was to be woken: %q", wakes)
	}
	release()
	<-first
	same(t, "the thread", transcript(w.Rows(id)), "user: 1", "assistant: one", "user: 2", "assistant: two")
}

func testIdleThreadGetsNewFlow(t *testing.T, storage record.Storage) {
	var flows []string
	w := agenttest.New(t, storage, agenttest.Script(agenttest.Use("look", `{}`), agenttest.Say("1"), agenttest.Use("look", `{}`), agenttest.Say("2")), tools{
		"look": func(_ context.Context, c agent.Call) agent.ToolResult {
			flows = append(flows, c.State.Execution().Flow)
			return agent.ToolResult{}
		},
	})
	id := w.Thread("helper")
	w.Say(id, "1")
	w.Say(id, "2")
	if len(flows) != 2 || flows[0] == flows[1] || flows[0] == "" {
		t.Errorf("flows %q", flows)
	}
}
