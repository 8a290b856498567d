package agent_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/ryeos/rye/internal/agenttest"
	"github.com/ryeos/rye/pkg/agent"
	"github.com/ryeos/rye/pkg/record"
)

func init() {
	conform("CT-4.2", testOneHook)
	conform("CT-4.3", testEnvSeesEveryEvent)
	conform("CT-4.4", testFeedOfEvents)
	conform("CT-4.5", testInstructions)
	conform("CT-4.6", testWorkingFolder)
	conform("CT-4.7", testDefaults)
	conform("CT-5.1", testHookTellsOfTools)
	conform("CT-5.2", testHookIsWaitedFor)
	conform("CT-5.3", testHookSeesWhatHappens)
	conform("CT-5.4", testFirstHookWins)
	conform("CT-6.1", testCallSaysWhoseItIs)
	conform("CT-6.2", testUnclaimedName)
	conform("CT-6.3", testHookIsWaitedFor)
}

func testOneHook(t *testing.T, storage record.Storage) {
	env := &agenttest.Env{Tools: tools{"note": done("noted")}}
	c := threeParts(storage, env, agenttest.Use("note", `{}`), agenttest.Say("done"))
	if r, o := converse(t, c); o.Text != "done" || env.Hook() != agent.Hook(env) {
		t.Errorf("outcome %+v of %v", o, r)
	}
}

func testEnvSeesEveryEvent(t *testing.T, storage record.Storage) {
	w := agenttest.New(t, storage, agenttest.Script(agenttest.Say("hello")), nil)
	id := w.Thread("helper")
	w.Say(id, "hi")
	list := w.Env.Events()
	for _, e := range list {
		if e.Thread != id || e.Agent != "helper" || e.At.IsZero() {
			t.Errorf("event %+v", e)
		}
	}
	if last := list[len(list)-2]; last.Type != agent.Done || last.Outcome == nil || last.Outcome.Text != "hello" {
		t.Errorf("the last event before the queue was looked at is %+v", last)
	}
}

// feed is an Env that passes events on.
type feed struct {
	agent.NopEnv
	to chan agent.Event
}

func (f *feed) OnAgentEvent(_, _ string, e agent.Event)     { f.to <- e }
func (f *feed) SubscribeEvents() (<-chan agent.Event, bool) { return f.to, true }

func testFeedOfEvents(t *testing.T, storage record.Storage) {
	if events, ok := (agent.NopEnv{}).SubscribeEvents(); ok || events != nil {
		t.Error("NopEnv has a feed")
	}
	var env agent.Env = &feed{to: make(chan agent.Event, 100)}
	r, _ := converse(t, threeParts(storage, env, agenttest.Say("1"), agenttest.Say("2")))
	other, err := r.Create(t.Context(), agent.NewThread{Agent: "a"})
	if err == nil {
		_, err = r.Deliver(t.Context(), other.ID, agent.Outgoing{Content: "hi"})
	}
	if err != nil {
		t.Fatal(err)
	}
	events, _ := env.SubscribeEvents()
	threads := map[string]bool{}
	for range len(events) {
		threads[(<-events).Thread] = true
	}
	if len(threads) != 2 || !threads[other.ID] {
		t.Errorf("events of %v", threads)
	}
}

// folders is an Env in which one thread works in a folder of its own.
type folders struct {
	agent.NopEnv
	override map[string]string
}

func (f *folders) EffectiveCWD(thread string) string {
	if folder, ok := f.override[thread]; ok {
		return folder
	}
	return "/home"
}

func (f *folders) DiscoverInstructions(cwd string) (string, bool) {
	return "You are in " + cwd + ".", cwd != "/silent"
}

func testInstructions(t *testing.T, storage record.Storage) {
	if text, ok := (agent.NopEnv{}).DiscoverInstructions("/"); ok || text != "" {
		t.Error("NopEnv has instructions")
	}
	c := threeParts(storage, &folders{}, agenttest.Say("1"), agenttest.Say("2"))
	r, o := converse(t, c)
	requests := c.Provider.(*agenttest.Provider).Requests()
	same(t, "the request", asked(requests[0]), "user: <instructions>\nYou are in /home.\n</instructions>", "user: hi")
	page, err := r.Messages(t.Context(), o.Thread, agent.PageOptions{Silent: true})
	if err != nil {
		t.Fatal(err)
	}
	same(t, "what is stored", transcript(page.Messages), "user: hi", "assistant: 1")
}

func testWorkingFolder(t *testing.T, storage record.Storage) {
	env := &folders{override: map[string]string{}}
	c := threeParts(storage, env, agenttest.Say("1"), agenttest.Say("2"), agenttest.Say("3"))
	r, o := converse(t, c)
	for _, folder := range []string{"/work", "/silent"} {
		env.override[o.Thread] = folder
		if _, err := r.Deliver(t.Context(), o.Thread, agent.Outgoing{Content: "again"}); err != nil {
			t.Fatal(err)
		}
	}
	requests := c.Provider.(*agenttest.Provider).Requests()
	same(t, "the request in another folder", asked(requests[1]), "user: <instructions>\nYou are in /work.\n</instructions>", "user: again")
	same(t, "the request in a folder without instructions", asked(requests[2]), "user: again")
}

// onlyHook is an Env that has nothing but a hook.
type onlyHook struct {
	agent.NopEnv
	hook agent.Hook
}

func (e onlyHook) Hook() agent.Hook { return e.hook }

func testDefaults(t *testing.T, storage record.Storage) {
	hook := &agenttest.Env{Tools: tools{"note": done("noted")}}
	if _, o := converse(t, threeParts(storage, onlyHook{hook: hook}, agenttest.Use("note", `{}`), agenttest.Say("done"))); o.Text != "done" {
		t.Errorf("outcome %+v", o)
	}
	if _, o := converse(t, threeParts(storage, nil, agenttest.Use("note", `{}`), agenttest.Say("nothing there"))); o.Text != "nothing there" {
		t.Errorf("outcome %+v", o)
	}
}

func testHookTellsOfTools(t *testing.T, storage record.Storage) {
	first, second := &agenttest.Env{Tools: tools{"note": done(""), "draw": done("")}}, &agenttest.Env{Tools: tools{"note": done(""), "sing": done("")}}
	c := threeParts(storage, onlyHook{hook: agent.Composite{first, second}}, agenttest.Say("hello"))
	c.Definitions.(*agent.Catalog).Prompts["p"].Tools = []agent.Tool{{Name: "sing"}, {Name: "note"}}
	converse(t, c)
	var names []string
	for _, tool := range c.Provider.(*agenttest.Provider).Requests()[0].Tools {
		names = append(names, tool.Name)
	}
	same(t, "tools", names, "sing", "note")
}

func testHookIsWaitedFor(t *testing.T, storage record.Storage) {
	release := make(chan struct{})
	w := agenttest.New(t, storage, agenttest.Script(agenttest.Use("slow", `{}`), agenttest.Say("done")), nil)
	w.Env.Tools = tools{"slow": func(context.Context, agent.Call) agent.ToolResult {
		go close(release)
		<-release
		if n := len(w.Provider.Requests()); n != 1 {
			t.Errorf("%d requests while the tool runs", n)
		}
		return agent.ToolResult{Result: "at last"}
	}}
	w.Catalog.Prompts["helper"].Tools = []agent.Tool{{Name: "slow"}}
	w.Say(w.Thread("helper"), "go")
	same(t, "the second request", asked(w.Provider.Requests()[1]), "user: go", "assistant:  [slow{}]", "tool: at last")
}

func testHookSeesWhatHappens(t *testing.T, storage record.Storage) {
	var points []string
	w := agenttest.New(t, storage, agenttest.Script(agenttest.Use("note", `{}`, "fail", `{}`), agenttest.Say("done"), refusing("no")), tools{"note": done(""), "fail": failing("no")})
	w.Env.At = func(p agent.Point, d *agent.PointData) error {
		if d.Scope.Thread == "" || d.State == nil || d.State.ID() != d.Scope.Thread {
			t.Errorf("%s does not say whose it is: %+v", p, d.Scope)
		}
		points = append(points, string(p))
		return errors.New("ignored")
	}
	id := w.Thread("helper")
	w.Say(id, "go")
	w.Say(id, "fail")
	assembled := []string{"after_system_message", "filter_messages", "prefilter_llm_history"}
	same(t, "points", points, slices.Concat(
		[]string{"after_thread_created", "after_create_message"}, assembled, []string{"after_create_message",
			"tool_call_started", "before_store_tool_result", "after_tool_call_success", "tool_call_done",
			"tool_call_started", "before_store_tool_result", "after_tool_call_failure", "tool_call_done", "after_step"},
		assembled, []string{"after_create_message", "after_step", "after_create_message"}, assembled, []string{"error"})...)
	for _, e := range w.Env.Events() {
		if e.Type == agent.HookFailed && (e.Error != "ignored" || e.Thread != id) {
			t.Errorf("event %+v", e)
		}
	}
}

func testFirstHookWins(t *testing.T, storage record.Storage) {
	first, second := &agenttest.Env{Tools: tools{"note": done("first")}}, &agenttest.Env{Tools: tools{"note": done("second"), "other": done("other")}}
	hook := agent.Composite{first, second}
	if !hook.Claim("other") || hook.Claim("none") {
		t.Error("a composite claims what its parts claim")
	}
	c := threeParts(storage, onlyHook{hook: hook}, agenttest.Use("note", `{}`), agenttest.Say("done"))
	converse(t, c)
	requests := c.Provider.(*agenttest.Provider).Requests()
	same(t, "the result", asked(requests[1])[2:], "tool: first")
}

func testCallSaysWhoseItIs(t *testing.T, storage record.Storage) {
	var calls []agent.Call
	w := agenttest.New(t, storage, agenttest.Script(agenttest.Use("note", `{"n":1}`), agenttest.Say("done")), tools{
		"note": func(_ context.Context, c agent.Call) agent.ToolResult {
			calls = append(calls, c)
			return agent.ToolResult{}
		},
	})
	thread, err := w.Create(t.Context(), agent.NewThread{Agent: "helper", Sender: "ada"})
	if err != nil {
		t.Fatal(err)
	}
	w.Say(thread.ID, "go")
	if err := w.QueueTool(t.Context(), thread.ID, "note", []byte(`{"n":2}`)); err != nil {
		t.Fatal(err)
	}
	run(w, thread.ID)
	for i, c := range calls {
		if c.Name != "note" || string(c.Arguments) != fmt.Sprintf(`{"n":%d}`, i+1) || c.Agent != "helper" || c.Sender != "ada" || c.Thread != thread.ID ||
			c.ID == "" || c.State.ID() != thread.ID {
			t.Errorf("call %+v", c)
		}
	}
	if len(calls) != 2 {
		t.Errorf("%d calls", len(calls))
	}
}

func testUnclaimedName(t *testing.T, storage record.Storage) {
	w := agenttest.New(t, storage, agenttest.Script(agenttest.Use("ghost", `{}`), agenttest.Say("I see")), nil)
	w.Catalog.Prompts["helper"].Tools = []agent.Tool{{Name: "ghost"}}
	w.Say(w.Thread("helper"), "go")
	same(t, "the second request", asked(w.Provider.Requests()[1])[2:], "tool: The tool failed: tool not registered: ghost; there are no tools")
}
