package agent_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ryeos/rye/internal/agenttest"
	"github.com/ryeos/rye/pkg/agent"
	"github.com/ryeos/rye/pkg/record"
)

func init() {
	conform("SA-10.1", testTerminationIsSoft)
	conform("SA-10.2", testTerminationAborts)
	conform("SA-10.3", testTerminatedThreadTakesNoWork)
	conform("SA-12.1", testModelCallsAreLogged)
	conform("SA-12.2", testToolCallsAreLogged)
	conform("SA-12.4", testStopsAreMarked)
	conform("SA-12.5", testMarksAreSilent)
}

func testTerminationIsSoft(t *testing.T, storage record.Storage) {
	w := agenttest.New(t, storage, agenttest.Script(agenttest.Say("hello")), nil)
	id := w.Thread("helper")
	w.Say(id, "hi")
	w.Clock.Advance(time.Hour)
	for range 2 { // the second time it is so already
		if err := w.Terminate(t.Context(), id, "enough"); err != nil {
			t.Fatal(err)
		}
	}
	thread, err := w.NewRuntime("other").Thread(t.Context(), id)
	if err != nil || !thread.Terminated.Equal(w.Clock.Now()) || thread.Status != agent.StatusTerminated {
		t.Errorf("thread %+v, %v", thread, err)
	}
	same(t, "the thread", transcript(w.Rows(id)), "user: hi", "assistant: hello")
}

func testTerminationAborts(t *testing.T, storage record.Storage) {
	t.Run("model", func(t *testing.T) {
		w, asking, _ := blocked(t, storage, agenttest.Say("never"))
		id := w.Thread("helper")
		ended := say(w, id, "hi")
		<-asking
		if err := w.Terminate(t.Context(), id, "enough"); err != nil {
			t.Fatal(err)
		}
		if o := <-ended; o.Reason != agent.WasTerminated || o.Status != agent.StatusTerminated {
			t.Errorf("outcome %+v", o)
		}
	})
	t.Run("tool, by another process", func(t *testing.T) {
		running := make(chan struct{})
		w := agenttest.New(t, storage, agenttest.Script(agenttest.Use("wait", `{}`, "note", `{}`)), tools{
			"wait": func(ctx context.Context, _ agent.Call) agent.ToolResult {
				close(running)
				<-ctx.Done()
				return agent.ToolResult{Error: context.Cause(ctx).Error()}
			},
			"note": func(context.Context, agent.Call) agent.ToolResult {
				t.Error("a tool ran after the thread was terminated")
				return agent.ToolResult{}
			},
		})
		id := w.Thread("helper")
		ended := say(w, id, "hi")
		<-running
		if err := w.NewRuntime("other").Terminate(t.Context(), id, "enough"); err != nil {
			t.Fatal(err)
		}
		ctx, enough := context.WithCancel(t.Context())
		defer enough()
		go w.Clock.Pass(ctx) // the flow looks once in a second
		if o := <-ended; o.Reason != agent.WasTerminated {
			t.Errorf("outcome %+v", o)
		}
		same(t, "the thread", transcript(w.Rows(id)), "user: hi", "assistant:  [wait{}] [note{}]",
			"tool: The tool failed: the thread was terminated", "tool: The tool failed: the thread was terminated")
	})
}

func testTerminatedThreadTakesNoWork(t *testing.T, storage record.Storage) {
	w := agenttest.New(t, storage, agenttest.Script(), tools{"note": done("")})
	id := w.Thread("helper")
	if err := w.Terminate(t.Context(), id, "enough"); err != nil {
		t.Fatal(err)
	}
	s, message := w.State(id), agent.Outgoing{Content: "hi"}
	for what, f := range map[string]func() error{
		"Run":         func() error { _, err := w.Run(t.Context(), id); return err },
		"Deliver":     func() error { _, err := w.Deliver(t.Context(), id, message); return err },
		"Send":        func() error { _, err := w.Send(t.Context(), id, message); return err },
		"QueueTool":   func() error { return w.QueueTool(t.Context(), id, "note", nil) },
		"Stop":        func() error { return w.Stop(t.Context(), id, "") },
		"Continue":    func() error { return w.Continue(t.Context(), id, agent.SideA) },
		"State.Queue": func() error { _, err := s.Queue(t.Context(), message); return err },
		"State.Inject": func() error {
			_, err := s.Inject(t.Context(), agent.Message{Role: agent.User, Content: "hi"})
			return err
		},
	} {
		if err := f(); !errors.Is(err, agent.ErrTerminated) || !strings.Contains(err.Error(), "Thread is terminated") {
			t.Errorf("%s: %v", what, err)
		}
	}
	if pending, err := w.Pending(t.Context()); err != nil || slices.Contains(pending, id) {
		t.Errorf("pending %q, %v", pending, err)
	}
}

func testModelCallsAreLogged(t *testing.T, storage record.Storage) {
	busy := agenttest.Reply{Err: &agent.ProviderError{Type: "rate_limit", Retry: true, RetryAfter: 3 * time.Second, Err: errors.New("later")}}
	answer := agenttest.Reply{Text: "hello", Usage: agent.Usage{Input: 1_000_000, Cached: 500_000, Output: 10}}
	w := agenttest.New(t, storage, agenttest.Script(busy, refusing("no"), answer), nil)
	w.Catalog.Models["model"].Fallbacks = []string{"spare"}
	w.Catalog.Models["spare"] = &agent.Model{Name: "spare", Price: agent.Price{Input: 20, Cached: 2, Output: 100_000}}
	ctx, enough := context.WithCancel(t.Context())
	defer enough()
	go w.Clock.Pass(ctx)
	id := w.Thread("helper")
	o := w.Say(id, "hi")
	logs, err := w.ModelLogs(t.Context(), id)
	if err != nil || len(logs) != 3 {
		t.Fatalf("logs %+v, %v", logs, err)
	}
	for i, want := range []agent.ModelLog{
		{Model: "model", Attempt: 1, Error: "later", ErrorType: "rate_limit"},
		{Model: "model", Attempt: 2, Error: "no: refused", ErrorType: "auth", RetryOf: logs[0].ID},
		{Model: "spare", Attempt: 1, RetryOf: logs[1].ID, Usage: agent.Usage{Input: 1_000_000, Cached: 500_000, Output: 10, Spend: 12}},
	} {
		got := logs[i]
		if got.Started.IsZero() || got.Ended.Before(got.Started) || got.Message == "" {
			t.Errorf("log %d: %+v", i, got)
		}
		want.ID, want.Purpose, want.Prompt, want.Message = got.ID, agent.ForStep, "helper", got.Message
		want.Started, want.First, want.Ended = got.Started, got.First, got.Ended
		if got != want {
			t.Errorf("log %d:\n%+v, want\n%+v", i, got, want)
		}
	}
	if waited := logs[1].Ended.Sub(logs[0].Ended); waited < 3*time.Second {
		t.Errorf("the provider was asked again after %s", waited)
	}
	if o.Usage.Spend != 12 || logs[2].First.IsZero() {
		t.Errorf("usage %+v, log %+v", o.Usage, logs[2])
	}
}

func testToolCallsAreLogged(t *testing.T, storage record.Storage) {
	w := agenttest.New(t, storage, agenttest.Script(agenttest.Use("slow", `{}`, "fail", `{}`), agenttest.Say("done")), tools{"slow": nil, "fail": failing("no")})
	w.Env.Tools["slow"] = func(context.Context, agent.Call) agent.ToolResult {
		w.Clock.Advance(3 * time.Second)
		return agent.ToolResult{Result: "at last"}
	}
	id := w.Thread("helper")
	w.Say(id, "go")
	rows := w.Rows(id)
	for i, want := range []struct {
		name, status string
		took         time.Duration
	}{{"slow", agent.ToolSucceeded, 3 * time.Second}, {"fail", agent.ToolFailed, 0}} {
		m := rows[2+i]
		if m.Name != want.name || m.ToolStatus != want.status || m.Ended.Sub(m.Created) != want.took || m.Answers != rows[1].ID {
			t.Errorf("row %+v, want %+v", m, want)
		}
	}
	for _, e := range w.Env.Events() {
		if e.Type == agent.ToolResulted && e.CallID == "call-1" && e.Duration != 3*time.Second {
			t.Errorf("event %+v", e)
		}
	}
}

// marked is a thread that was interrupted, stopped and terminated.
func marked(t *testing.T, storage record.Storage) (*mortal, string) {
	w := mortalWorld(t, storage, agenttest.Script(agenttest.Use("note", `{}`), agenttest.Say("1"), refusing("no"), agenttest.Say("2")), nil)
	w.Env.Tools = tools{"note": func(context.Context, agent.Call) agent.ToolResult {
		w.probe.dieNext()
		return agent.ToolResult{}
	}}
	w.Catalog.Prompts["helper"].Tools = []agent.Tool{{Name: "note"}}
	id := w.Thread("helper")
	send(w.World, id, "go")
	w.runUntilDeath(id)
	w.resume(id)
	w.Say(id, "fail")
	if err := w.Stop(t.Context(), id, "enough"); err != nil {
		t.Fatal(err)
	}
	w.Say(id, "again")
	if err := w.Terminate(t.Context(), id, "for good"); err != nil {
		t.Fatal(err)
	}
	return w, id
}

func testStopsAreMarked(t *testing.T, storage record.Storage) {
	w, id := marked(t, storage)
	same(t, "marks", kinds(w.Rows(id)), "interrupted", "session_failed", "stopped", "terminated")
	logs, err := w.ModelLogs(t.Context(), id)
	if err != nil || len(logs) != 4 || logs[2].Error == "" {
		t.Errorf("logs %+v, %v", logs, err)
	}
}

func testMarksAreSilent(t *testing.T, storage record.Storage) {
	w, id := marked(t, storage)
	requests := w.Provider.Requests()
	same(t, "the last request", asked(requests[len(requests)-1]),
		"user: go", "assistant:  [note{}]", interrupted, "assistant: 1", "user: fail", "user: again")
	page, err := w.Messages(t.Context(), id, agent.PageOptions{})
	if err != nil || len(kinds(page.Messages)) != 0 || page.Total != 8 {
		t.Errorf("people see %d rows, %q, %v", page.Total, transcript(page.Messages), err)
	}
}
