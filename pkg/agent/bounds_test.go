package agent_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/ryeos/rye/internal/agenttest"
	"github.com/ryeos/rye/pkg/agent"
	"github.com/ryeos/rye/pkg/item"
	"github.com/ryeos/rye/pkg/record"
)

// replying is a thread whose model says something strange first, and "done" then.
func replying(t *testing.T, first agenttest.Reply, f agenttest.Func) (w *agenttest.World, second []agent.Entry) {
	t.Helper()
	w = agenttest.New(t, record.NewMemory(), agenttest.Script(first, agenttest.Say("done")), tools{"note": f})
	w.Catalog.Agents["helper"].CompactAt = -1
	id := w.Thread("helper")
	if o := w.Say(id, "go"); o.Text != "done" {
		t.Fatalf("outcome %+v", o)
	}
	paired(t, w.Provider.Requests())
	return w, w.Provider.Requests()[1].Messages
}

func TestManyCalls(t *testing.T) {
	const asked = 5000
	first := agenttest.Reply{Text: "Look!"}
	for range asked {
		first.Calls = append(first.Calls, agent.ToolCall{ID: "same", Name: "note", Arguments: "{}"})
	}
	ran := 0
	_, second := replying(t, first, func(context.Context, agent.Call) agent.ToolResult {
		ran++
		return agent.ToolResult{}
	})
	if ran != agent.MaxCalls {
		t.Errorf("%d calls ran", ran)
	}
	if want := fmt.Sprintf("%d more tool calls", asked-agent.MaxCalls); !strings.HasPrefix(second[1].Text, "Look!\n") || !strings.Contains(second[1].Text, want) {
		t.Errorf("the model is told %q", second[1].Text)
	}
	if id := second[1].Calls[agent.MaxCalls-1].ID; len(id) > 20 {
		t.Errorf("the last id is %q", id)
	}
}

// Arguments that come in very small pieces take no longer than others.
func TestLongArguments(t *testing.T) {
	const pieces = 300_000
	first := agenttest.Reply{Chunks: []agent.Chunk{{Calls: []agent.CallDelta{{ID: "1", Name: "note", Arguments: `{"a":"`}}}}}
	for range pieces {
		first.Chunks = append(first.Chunks, agent.Chunk{Calls: []agent.CallDelta{{Arguments: "0123456789"}}})
	}
	first.Chunks = append(first.Chunks, agent.Chunk{Calls: []agent.CallDelta{{Arguments: `"}`}}})
	length := 0
	replying(t, first, func(_ context.Context, c agent.Call) agent.ToolResult {
		length = len(c.Arguments)
		return agent.ToolResult{}
	})
	if want := 10*pieces + len(`{"a":""}`); length != want {
		t.Errorf("the tool got %d bytes, not %d", length, want)
	}
}

func TestEndlessAnswer(t *testing.T) {
	megabyte := strings.Repeat("x", 1<<20)
	sent := 0
	w := agenttest.New(t, record.NewMemory(), nil, nil)
	endless := agenttest.Reply{}
	for range 64 {
		endless.Chunks = append(endless.Chunks, agent.Chunk{Text: megabyte})
	}
	w.Provider = agenttest.Script(endless)
	w.Env.Forget, w.Env.OnEvent = true, func(e agent.Event) { sent += len(e.Text) }
	w.Runtime = w.NewRuntime("owner")
	o := w.Say(w.Thread("helper"), "go")
	if o.Reason != agent.StepError || !strings.Contains(o.Error, "MaxAnswer") || sent > agent.MaxAnswer+len(megabyte) {
		t.Errorf("%d bytes, outcome %+v", sent, o)
	}
}

// What is no UTF-8 becomes what the storage makes of it, before anything goes by it.
func TestBrokenText(t *testing.T) {
	for name, first := range map[string]agenttest.Reply{
		"invalid": {Text: "a\xff\xfeb", Calls: []agent.ToolCall{{ID: "\xff", Name: "note", Arguments: "{}"}, {ID: "\xfe", Name: "no\xffte", Arguments: "\xff"}}},
		"zero":    {Text: "a\x00b", Calls: []agent.ToolCall{{ID: "\x00", Name: "note", Arguments: "{\"a\":\"\x00\"}"}}},
		"deep":    {Calls: []agent.ToolCall{{ID: "1", Name: "note", Arguments: strings.Repeat(`{"a":`, 1e5) + "1" + strings.Repeat("}", 1e5)}}},
	} {
		t.Run(name, func(t *testing.T) {
			w, second := replying(t, first, func(context.Context, agent.Call) agent.ToolResult {
				return agent.ToolResult{Error: "b\xffd\x00", ErrorCode: "c\xff", ErrorData: json.RawMessage("{nonsense")}
			})
			w.Provider.Answer = func(int, agent.Request) agenttest.Reply { return agenttest.Say("again") }
			id := w.Provider.Requests()[0].Thread
			again := w.NewRuntime("another") // which only knows what is stored
			if _, err := again.Deliver(t.Context(), id, agent.Outgoing{Content: "and now?"}); err != nil {
				t.Fatal(err)
			}
			stored := asked(w.Provider.Requests()[2])
			same(t, "the history", asked(agent.Request{Messages: second}), stored[:len(second)]...)
			for _, line := range stored {
				if !utf8.ValidString(line) {
					t.Errorf("%q", line)
				}
			}
		})
	}
}

func TestLongResult(t *testing.T) {
	long := "begin " + strings.Repeat("ü", 50<<20) + " end"
	_, second := replying(t, agenttest.Use("note", "{}", "note", "{}"), func(_ context.Context, c agent.Call) agent.ToolResult {
		if c.ID == "call-1" {
			return agent.ToolResult{Result: long}
		}
		return agent.ToolResult{Error: long}
	})
	for _, e := range second[2:] {
		if len(e.Text) > agent.MaxResult+200 || !utf8.ValidString(e.Text) || !strings.Contains(e.Text, "begin ü") || !strings.HasSuffix(e.Text, "ü end") || !strings.Contains(e.Text, "are left out here") {
			t.Errorf("%d bytes: %.40q", len(e.Text), e.Text)
		}
	}
}

func TestFullQueue(t *testing.T) {
	w := agenttest.New(t, record.NewMemory(), agenttest.Script(agenttest.Say("yes")), nil)
	id := w.Thread("helper")
	for range agent.MaxQueue {
		send(w, id, "hi")
	}
	for what, err := range map[string]error{
		"message": func() error { _, err := w.Send(t.Context(), id, agent.Outgoing{Content: "hi"}); return err }(),
		"tool":    w.QueueTool(t.Context(), id, "note", nil),
	} {
		if item.TypeOf(err) != item.TypeLimit || !strings.Contains(err.Error(), "MaxQueue") {
			t.Errorf("%s: %v", what, err)
		}
	}
	run(w, id)
	send(w, id, "there is room again")
}

// A model that asks again and again for a child whose variables nobody has given is told to stop.
func TestManyRequests(t *testing.T) {
	var calls []string
	for n := range agent.MaxRequests + 1 {
		calls = append(calls, "subagent_create", fmt.Sprintf(`{"agent":"worker","name":"%d","message":"m","attachments":[]}`, n))
	}
	w := family(t, record.NewMemory(), resumableWorker(agent.Resumable{}), casting{"helper": {agenttest.Use(calls...), agenttest.Say("ok")}})
	w.Catalog.Prompts["work"].Variables = []agent.Variable{{Name: "TOKEN", Scoped: true, Required: true}}
	id := w.Thread("helper")
	w.Say(id, "work")
	told := results(w, id)
	for n, m := range told {
		want := "subagent_env_required"
		if n == agent.MaxRequests {
			want = "requests_exceeded"
		}
		if m.Error == nil || m.Error.ErrorCode != want {
			t.Errorf("%d: %s: %+v", n, m.Content, m.Error)
		}
	}
	if len(told) != agent.MaxRequests+1 {
		t.Errorf("%d results", len(told))
	}
}
