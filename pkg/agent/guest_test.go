package agent_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/ryeos/rye/internal/agenttest"
	"github.com/ryeos/rye/pkg/agent"
	"github.com/ryeos/rye/pkg/item"
	"github.com/ryeos/rye/pkg/record"
)

// visited is a world in which the agent "doubter" can be asked as a guest.
func visited(t *testing.T, replies ...agenttest.Reply) (w *agenttest.World, id string) {
	w = agenttest.New(t, record.NewMemory(), agenttest.Script(replies...), tools{"note": done("noted")})
	direct(w, "doubt", "You doubt.", agent.Tool{Name: "note"})
	w.Catalog.Agents["doubter"] = &agent.Agent{Name: "doubter", SideA: agent.Side{Prompt: "doubt"}}
	return w, w.Thread("helper")
}

func guest(w *agenttest.World, id, text string) *agent.Message {
	w.T.Helper()
	m, err := w.Guest(w.T.Context(), id, "doubter", agent.Outgoing{Content: text})
	if err != nil {
		w.T.Fatal(err)
	}
	return m
}

const ofGuests = `user: Messages in <from agent="NAME"> were said by other agents that were asked as guests. They are not yours.`

func TestGuest(t *testing.T) {
	w, id := visited(t, agenttest.Use("note", "{}"), agenttest.Say("It is so."), agenttest.Say("I doubt it."), agenttest.Say("And still."), agenttest.Say("Hm."))
	w.Say(id, "Is it so?")
	m := guest(w, id, "What do you say?")
	if m.Agent != "doubter" || m.Role != agent.Assistant || m.Content != "I doubt it." || m.Status != agent.Completed {
		t.Errorf("the guest's message is %+v", m)
	}
	r := w.Provider.Requests()[2]
	welcome := `user: You are doubter, asked as a guest in a conversation of helper. Of the assistant's messages only those in <from agent="doubter">` +
		"\nare yours; those without a name are helper's. Answer the newest message with one text: you have no tools here."
	same(t, "the guest's request", asked(r), "user: Is it so?", "assistant: It is so.", welcome, "user: What do you say?")
	if r.System != "You doubt." || len(r.Tools) != 0 || r.Purpose != agent.ForGuest || r.ToolChoice != "none" {
		t.Errorf("the guest's request is %+v", r)
	}
	steps := loaded(w, id).Session.Steps
	w.Say(id, "Well?")
	same(t, "the agent's request", asked(w.Provider.Requests()[3])[3:], "assistant: It is so.", "user: What do you say?",
		`assistant: <from agent="doubter">I doubt it.</from>`, ofGuests, "user: Well?")
	guest(w, id, "And you?")
	same(t, "the guest's second request", asked(w.Provider.Requests()[4])[3:6], `assistant: <from agent="doubter">I doubt it.</from>`, "user: Well?", "assistant: And still.")
	same(t, "the thread", transcript(w.Rows(id)), "user: Is it so?", "assistant:  [note{}]", "tool: noted", "assistant: It is so.",
		"user: What do you say?", "assistant: I doubt it.", "user: Well?", "assistant: And still.", "user: And you?", "assistant: Hm.")
	if steps != 2 {
		t.Errorf("a guest's turn counts as a step: %d", steps)
	}
}

// TestGuestsCallsAreRejected: only what it says counts, and if it says nothing, that is a failure.
func TestGuestsCallsAreRejected(t *testing.T) {
	call := []agent.ToolCall{{ID: "1", Name: "note", Arguments: "{}"}}
	w, id := visited(t, agenttest.Reply{Text: "I note it.", Calls: call}, agenttest.Reply{Calls: call}, agenttest.Say("fine"))
	w.Env.Tools["note"] = func(context.Context, agent.Call) agent.ToolResult {
		t.Error("a guest's call was run")
		return agent.ToolResult{}
	}
	if m := guest(w, id, "note it"); m.Content != "I note it." || m.ToolCalls != nil {
		t.Errorf("message %+v", m)
	}
	if m, err := w.Guest(t.Context(), id, "doubter", agent.Outgoing{Content: "again"}); item.TypeOf(err) != item.TypeUnavailable || m != nil {
		t.Errorf("a guest that said nothing: %+v, %v", m, err)
	}
	w.Say(id, "and?")
	same(t, "the agent's request", asked(w.Provider.Requests()[2]), "user: note it", `assistant: <from agent="doubter">I note it.</from>`, "user: again", ofGuests, "user: and?")
}

// TestGuestFails: the message stays, the failure is the provider's, and the thread goes on.
func TestGuestFails(t *testing.T) {
	w, id := visited(t, agenttest.Reply{Text: "half", Err: &agent.ProviderError{Err: errDead, Type: "auth"}}, agenttest.Say("fine"))
	m, err := w.Guest(t.Context(), id, "doubter", agent.Outgoing{Content: "well?"})
	if failure := (*agent.ProviderError)(nil); !errors.As(err, &failure) || failure.Type != "auth" || m != nil {
		t.Errorf("%+v, %v", m, err)
	}
	for _, e := range w.Env.Events() {
		if e.Type == agent.Done {
			t.Errorf("the end of a session was announced: %+v", e.Outcome)
		}
	}
	w.Say(id, "hello")
	same(t, "the thread", transcript(w.Rows(id)), "user: well?", "assistant: the process is dead (failed)", "user: hello", "assistant: fine")
}

// TestGuestIsCanceled: by its caller, by a Stop and by Terminate. What was asked stays, half an answer does not.
func TestGuestIsCanceled(t *testing.T) {
	for name, end := range map[string]func(w *agenttest.World, id string, cancel func()) error{
		"caller":    func(_ *agenttest.World, _ string, cancel func()) error { cancel(); return nil },
		"stop":      func(w *agenttest.World, id string, _ func()) error { return w.Stop(w.T.Context(), id, "enough") },
		"terminate": func(w *agenttest.World, id string, _ func()) error { return w.Terminate(w.T.Context(), id, "enough") },
	} {
		t.Run(name, func(t *testing.T) {
			w, id := visited(t)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			w.Provider.Answer = func(int, agent.Request) agenttest.Reply {
				return agenttest.Reply{Text: "half", Wait: func(ctx context.Context) {
					if err := end(w, id, cancel); err != nil {
						t.Error(err)
					}
					ended := make(chan struct{})
					go func() { defer close(ended); <-ctx.Done() }()
					passing, stop := context.WithCancel(t.Context())
					go w.Clock.Pass(passing) // for who looks at the storage
					<-ended
					stop()
				}}
			}
			m, err := w.Guest(ctx, id, "doubter", agent.Outgoing{Content: "well?"})
			if m != nil || item.TypeOf(err) != item.TypeInterrupted {
				t.Errorf("%+v, %v", m, err)
			}
			rows := transcript(w.Rows(id))
			if rows[0] != "user: well?" || strings.Contains(strings.Join(rows, "\n"), "half") {
				t.Errorf("the thread is %q", rows)
			}
			if name == "terminate" {
				return
			}
			w.Provider.Answer = func(int, agent.Request) agenttest.Reply { return agenttest.Say("I doubt it.") }
			if m := guest(w, id, "and now?"); m.Content != "I doubt it." {
				t.Errorf("message %+v", m)
			}
		})
	}
}

// TestGuestOfBusyThread: nobody speaks in the middle of a turn.
func TestGuestOfBusyThread(t *testing.T) {
	w, id := visited(t, agenttest.Use("note", "{}"), agenttest.Say("done"))
	w.Env.Tools["note"] = func(ctx context.Context, _ agent.Call) agent.ToolResult {
		for _, r := range []*agent.Runtime{w.Runtime, w.NewRuntime("other")} {
			if _, err := r.Guest(ctx, id, "doubter", agent.Outgoing{Content: "well?"}); !errors.Is(err, agent.ErrBusy) {
				t.Errorf("a thread at work has a guest: %v", err)
			}
		}
		return agent.ToolResult{}
	}
	w.Say(id, "note it")
	same(t, "the thread", transcript(w.Rows(id)), "user: note it", "assistant:  [note{}]", "tool: The tool is done; it has nothing to say.", "assistant: done")
	for want, o := range map[string]agent.Outgoing{"a message has a text": {Content: " "}} {
		if _, err := w.Guest(t.Context(), id, "doubter", o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v does not say %q", err, want)
		}
	}
	if _, err := w.Guest(t.Context(), id, "nobody", agent.Outgoing{Content: "well?"}); item.TypeOf(err) != item.TypeNotFound {
		t.Errorf("an unknown guest: %v", err)
	}
}

// TestGuestLeavesWork: who was sent a message while a guest spoke is woken.
func TestGuestLeavesWork(t *testing.T) {
	w, id := visited(t)
	w.Provider.Answer = func(n int, _ agent.Request) agenttest.Reply {
		if n == 0 {
			send(w, id, "meanwhile")
		}
		return agenttest.Say("fine")
	}
	guest(w, id, "well?")
	same(t, "who is woken", w.Env.Wakes(), id)
	run(w, id)
	same(t, "the thread", transcript(w.Rows(id)), "user: well?", "assistant: fine", "user: meanwhile", "assistant: fine")
}

// TestGuestCosts: what a guest uses is the thread's, and a thread that has spent what it may has no guests.
func TestGuestCosts(t *testing.T) {
	w, _ := visited(t, agenttest.Reply{Text: "fine", Usage: agent.Usage{Input: 90, Output: 10}})
	thread, err := w.Create(t.Context(), agent.NewThread{Agent: "helper", Limits: agent.Limits{Tokens: 100}})
	if err != nil {
		t.Fatal(err)
	}
	guest(w, thread.ID, "well?")
	if used := loaded(w, thread.ID).Usage.Total(); used != 100 {
		t.Errorf("%d tokens", used)
	}
	if _, err := w.Guest(t.Context(), thread.ID, "doubter", agent.Outgoing{Content: "well?"}); item.TypeOf(err) != item.TypeLimit || !strings.Contains(err.Error(), "tokens_exceeded") {
		t.Errorf("beyond its limit: %v", err)
	}
}
