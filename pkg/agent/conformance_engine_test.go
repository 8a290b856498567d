package agent_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ryeos/rye/internal/agenttest"
	"github.com/ryeos/rye/pkg/agent"
	"github.com/ryeos/rye/pkg/record"
)

func init() {
	conform("CT-1.1", testConversationInMemory)
	conform("CT-1.2", testRuntimeOfThree)
	conform("CT-2.1", testConversationThroughStorage)
	conform("CT-2.2", testRequestOfThree)
	conform("CT-2.3", testAnswersAreStreamed)
	conform("CT-2.4", testCallsGoThroughHook)
	conform("CT-2.5", testEvents)
	conform("CT-3.2", testNothingRunsBehind)
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

// reads counts the messages that are read from a storage.
type reads struct {
	record.Storage
	messages int
}

func (s *reads) Update(ctx context.Context, f func(record.Tx) error) error {
	return s.Storage.Update(ctx, func(tx record.Tx) error { return f(readTx{tx, s}) })
}

type readTx struct {
	record.Tx
	of *reads
}

func (t readTx) Scan(thread, bucket string, r record.Range) ([]record.Entry, error) {
	list, err := t.Tx.Scan(thread, bucket, r)
	if bucket == "message" {
		t.of.messages += len(list)
	}
	return list, err
}

func testConversationInMemory(t *testing.T, storage record.Storage) {
	counted := &reads{Storage: storage}
	w := agenttest.New(t, counted, agenttest.Script(slices.Repeat([]agenttest.Reply{agenttest.Use("note", `{}`)}, 10)...), tools{"note": done("noted")})
	w.Catalog.Agents["helper"].SideA.MaxSteps = 10
	first := 0
	w.Env.OnEvent = func(e agent.Event) {
		if e.Type == agent.StepStarted && e.Step == 1 {
			first = counted.messages
		}
	}
	id := w.Thread("helper")
	w.Say(id, "go")
	if more := counted.messages - first; len(transcript(w.Rows(id))) != 21 || more != 0 {
		t.Errorf("%d messages were read again in the steps of a thread of %d", more, len(transcript(w.Rows(id))))
	}
}

// threeParts is all that a runtime needs.
func threeParts(storage record.Storage, env agent.Env, replies ...agenttest.Reply) agent.Config {
	return agent.Config{Storage: storage, Provider: agenttest.Script(replies...), Env: env, Clock: agenttest.NewClock(), Definitions: &agent.Catalog{
		Agents:  map[string]*agent.Agent{"a": {Name: "a", SideA: agent.Side{Prompt: "p"}}},
		Prompts: map[string]*agent.Prompt{"p": {Name: "p", Model: "m", Tools: []agent.Tool{{Name: "note"}}}},
		Models:  map[string]*agent.Model{"m": {Name: "m"}},
	}}
}

// converse makes a runtime, and a thread that is told one thing.
func converse(t *testing.T, c agent.Config) (*agent.Runtime, *agent.Outcome) {
	t.Helper()
	r, err := agent.New(c)
	if err != nil {
		t.Fatal(err)
	}
	thread, err := r.Create(t.Context(), agent.NewThread{Agent: "a"})
	if err != nil {
		t.Fatal(err)
	}
	o, err := r.Deliver(t.Context(), thread.ID, agent.Outgoing{Content: "hi"})
	if err != nil {
		t.Fatal(err)
	}
	return r, o
}

func testRuntimeOfThree(t *testing.T, storage record.Storage) {
	whole := threeParts(storage, agent.NopEnv{}, agenttest.Say("hello"))
	if _, o := converse(t, whole); o.Text != "hello" {
		t.Errorf("outcome %+v", o)
	}
	for what, without := range map[string]func(*agent.Config){
		"Storage":     func(c *agent.Config) { c.Storage = nil },
		"Provider":    func(c *agent.Config) { c.Provider = nil },
		"Definitions": func(c *agent.Config) { c.Definitions = nil },
		"Clock":       func(c *agent.Config) { c.Clock = nil },
		"key":         func(c *agent.Config) { c.Key = make([]byte, 5) },
	} {
		c := whole
		without(&c)
		if _, err := agent.New(c); err == nil || !strings.Contains(err.Error(), what) {
			t.Errorf("without a %s: %v", what, err)
		}
	}
}

func testConversationThroughStorage(t *testing.T, storage record.Storage) {
	w := agenttest.New(t, storage, agenttest.Script(agenttest.Use("note", `{}`), agenttest.Say("one"), agenttest.Say("two")), tools{"note": done("noted")})
	id := w.Thread("helper")
	w.Say(id, "1")
	heir := w.NewRuntime("heir")
	if _, err := heir.Deliver(t.Context(), id, agent.Outgoing{Content: "2"}); err != nil {
		t.Fatal(err)
	}
	same(t, "the request of another runtime", asked(w.Provider.Requests()[2]),
		"user: 1", "assistant:  [note{}]", "tool: noted", "assistant: one", "user: 2")
}

func testRequestOfThree(t *testing.T, storage record.Storage) {
	w := agenttest.New(t, storage, agenttest.Script(agenttest.Say("one"), agenttest.Say("two")), tools{"note": done("noted")})
	w.Env.Instructions = "Be brief."
	id := w.Thread("helper")
	w.Say(id, "1")
	w.Say(id, "2")
	r := w.Provider.Requests()[1]
	same(t, "the request", asked(r), "user: 1", "assistant: one", "user: <instructions>\nBe brief.\n</instructions>", "user: 2")
	if len(r.Tools) != 1 || r.Tools[0].Name != "note" {
		t.Errorf("tools %+v", r.Tools)
	}
}

func testAnswersAreStreamed(t *testing.T, storage record.Storage) {
	w := agenttest.New(t, storage, agenttest.Script(agenttest.Reply{Chunks: []agent.Chunk{{Text: "hel"}, {Text: "lo"}}}), nil)
	id := w.Thread("helper")
	w.Say(id, "hi")
	var deltas []string
	for _, e := range w.Env.Events() {
		if e.Type == agent.TextDelta {
			deltas = append(deltas, e.Text)
		}
	}
	same(t, "deltas", deltas, "hel", "lo")
	same(t, "the thread", transcript(w.Rows(id)), "user: hi", "assistant: hello")
}

func testCallsGoThroughHook(t *testing.T, storage record.Storage) {
	var seen []string
	w := agenttest.New(t, storage, agenttest.Script(agenttest.Use("note", `{"n":1}`, "note", `{"n":2}`), agenttest.Say("done")), tools{
		"note": func(_ context.Context, c agent.Call) agent.ToolResult {
			seen = append(seen, c.ID+string(c.Arguments))
			return agent.ToolResult{}
		},
	})
	w.Say(w.Thread("helper"), "go")
	same(t, "calls", seen, `call-1{"n":1}`, `call-2{"n":2}`)
}

func testEvents(t *testing.T, storage record.Storage) {
	replies := []agenttest.Reply{
		{Text: "I look.", Calls: []agent.ToolCall{{ID: "1", Name: "note"}, {ID: "2", Name: "note"}}}, agenttest.Say("done"), agenttest.Say("a summary"), agenttest.Say("again"),
	}
	w := agenttest.New(t, storage, agenttest.Script(replies...), tools{"note": done("noted")})
	id := w.Thread("helper")
	w.Say(id, "go")
	same(t, "events", events(w.Env.Events()),
		"step_started", "text_start", "tool_calls_begin", "text_end", "tool_calls_start", "tool_result", "tool_result", "tool_calls_complete", "step_completed",
		"step_started", "text_start", "text_end", "step_completed", "done")
	before := len(w.Env.Events())
	w.Catalog.Agents["helper"].CompactAt = 1
	w.Say(id, "go")
	same(t, "events with a compaction", events(w.Env.Events()[before:]), "compact", "step_started", "text_start", "text_end", "step_completed", "done")
}

// settles waits until a condition holds, for goroutines that are on their way out.
func settles(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for end := time.Now().Add(10 * time.Second); !holds(); runtime.Gosched() {
		if time.Now().After(end) {
			t.Fatalf("%s", what)
		}
	}
}

func testNothingRunsBehind(t *testing.T, storage record.Storage) {
	w := agenttest.New(t, storage, agenttest.Script(agenttest.Use("note", `{}`), agenttest.Say("done"), refusing("no")), tools{"note": done("noted")})
	id := w.Thread("helper")
	before := runtime.NumGoroutine()
	w.Say(id, "go")
	w.Say(id, "fail")
	send(w, id, "waits")
	settles(t, fmt.Sprintf("more than %d goroutines are left", before), func() bool { return runtime.NumGoroutine() <= before })
	if n := w.Clock.Sleepers(0); n != 0 {
		t.Errorf("%d wait for a time", n)
	}
	w.Clock.Advance(24 * time.Hour)
	if n := len(w.Provider.Requests()); n != 3 {
		t.Errorf("%d requests because time passed", n)
	}
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
	same(t, "the second request", asked(w.Provider.Requests()[1])[2:], "tool: The tool failed: tool not registered: ghost")
}
