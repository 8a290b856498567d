package agent_test

import (
	"context"
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
