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
	conform("SA-5.1", testCallsInOrder)
	conform("SA-5.2", testErrorIsAResult)
	conform("SA-5.3", testNoErrorEndsTheThread)
	conform("SA-5.4", testFunction)
	conform("SA-5.5", testPromptAsTool)
}

func testCallsInOrder(t *testing.T, storage record.Storage) {
	var order []string
	running := 0
	tool := func(_ context.Context, c agent.Call) agent.ToolResult {
		if running++; running > 1 {
			t.Error("two tools at a time")
		}
		order = append(order, c.Name+" begins")
		runtime.Gosched() // so that one beside it would be noticed
		order = append(order, c.Name+" ends")
		running--
		return agent.ToolResult{Result: c.Name}
	}
	w := agenttest.New(t, storage, agenttest.Script(agenttest.Use("c", `{}`, "a", `{}`, "b", `{}`), agenttest.Say("done")), tools{"a": tool, "b": tool, "c": tool})
	w.Catalog.Prompts["helper"].Parallel = true
	id := w.Thread("helper")
	w.Say(id, "go")
	same(t, "order", order, "c begins", "c ends", "a begins", "a ends", "b begins", "b ends")
	same(t, "the thread", transcript(w.Rows(id)), "user: go", "assistant:  [c{}] [a{}] [b{}]", "tool: c", "tool: a", "tool: b", "assistant: done")
}

func testErrorIsAResult(t *testing.T, storage record.Storage) {
	w := agenttest.New(t, storage, agenttest.Script(agenttest.Use("fail", `{}`), agenttest.Say("sorry")), tools{
		"fail": func(context.Context, agent.Call) agent.ToolResult {
			return agent.ToolResult{Error: "no such file", ErrorCode: "missing", ErrorData: []byte(`{"path":"x"}`)}
		},
	})
	id := w.Thread("helper")
	w.Say(id, "go")
	m := w.Rows(id)[2]
	if m.Role != agent.ToolRole || m.Status != agent.Completed || m.ToolStatus != agent.ToolFailed || m.Content != "The tool failed: no such file" ||
		m.Error == nil || m.Error.ErrorCode != "missing" || string(m.Error.ErrorData) != `{"path":"x"}` {
		t.Errorf("row %+v", m)
	}
	if e := w.Provider.Requests()[1].Messages[2]; !e.Failed || e.Text != m.Content {
		t.Errorf("the model is told %+v", e)
	}
}

func testNoErrorEndsTheThread(t *testing.T, storage record.Storage) {
	fs := tools{
		"ok":     done("fine"),
		"crash":  func(context.Context, agent.Call) agent.ToolResult { panic("at the disco") },
		"exit":   failing("exit status 3"),
		"hidden": done("never"),
		"late": func(ctx context.Context, _ agent.Call) agent.ToolResult {
			ctx, cancel := context.WithTimeout(ctx, time.Microsecond)
			defer cancel()
			<-ctx.Done()
			return agent.ToolResult{Error: ctx.Err().Error()}
		},
		"path": func(context.Context, agent.Call) agent.ToolResult {
			return agent.ToolResult{Attachments: []agent.Attachment{{Path: "/attachments/none.png"}}}
		},
		"large": func(context.Context, agent.Call) agent.ToolResult {
			return agent.ToolResult{Attachments: []agent.Attachment{{Name: "a.bin", Data: make([]byte, agent.MaxFile+1)}}}
		},
	}
	for _, test := range []struct{ name, arguments, want string }{
		{"crash", `{}`, "the tool crash crashed: at the disco"},
		{"exit", `{}`, "exit status 3"},
		{"late", `{}`, context.DeadlineExceeded.Error()},
		{"path", `{}`, `has no file "/attachments/none.png"`},
		{"large", `{}`, "MaxFile"},
		{"ok", `{"a":`, "the arguments of ok are not a JSON object"},
		{"ok", `[1]`, "the arguments of ok are not a JSON object"},
		{"ok", `null`, "they are null"},
		{"nobody", `{}`, "tool not registered: nobody"},
		{"hidden", `{}`, "tool not available for this prompt: hidden; there are: "},
	} {
		p := agenttest.Script(agenttest.Use(test.name, test.arguments, "ok", `{}`), agenttest.Say("I see"))
		w := agenttest.New(t, storage, p, fs)
		prompt := w.Catalog.Prompts["helper"]
		prompt.Tools = slices.DeleteFunc(prompt.Tools, func(t agent.Tool) bool { return t.Name == "hidden" })
		id := w.Thread("helper")
		if o := w.Say(id, "go"); o.Text != "I see" {
			t.Errorf("%s%s: outcome %+v", test.name, test.arguments, o)
			continue
		}
		e := p.Requests()[1].Messages
		if !e[2].Failed || !strings.HasPrefix(e[2].Text, "The tool failed: ") || !strings.Contains(e[2].Text, test.want) || e[3].Text != "fine" {
			t.Errorf("%s%s: the model is told %q", test.name, test.arguments, asked(p.Requests()[1]))
		}
	}
}

func testFunction(t *testing.T, storage record.Storage) {
	w := agenttest.New(t, storage, agenttest.Script(agenttest.Use("add", `{"a":1,"b":2}`, "add", ``), agenttest.Say("3")), tools{
		"add": func(_ context.Context, c agent.Call) agent.ToolResult {
			return agent.ToolResult{Result: string(c.Arguments), Attachments: []agent.Attachment{{Name: "sum.txt", Data: []byte("3")}}}
		},
	})
	id := w.Thread("helper")
	w.Say(id, "add")
	rows := w.Rows(id)
	if len(rows) != 5 || len(rows[2].Attachments) != 1 {
		t.Fatalf("rows %+v", rows)
	}
	file := rows[2].Attachments[0]
	if rows[2].Content != `{"a":1,"b":2}`+"\n"+file.Path || !strings.HasPrefix(rows[3].Content, "{}\n") {
		t.Errorf("results %q, %q", rows[2].Content, rows[3].Content)
	}
	if data, err := w.ReadFile(t.Context(), id, file.Path); err != nil || string(data) != "3" {
		t.Errorf("the attachment has %q, %v", data, err)
	}
}

func testPromptAsTool(t *testing.T, storage record.Storage) {
	p := &agenttest.Provider{Answer: func(_ int, r agent.Request) agenttest.Reply {
		switch {
		case r.Purpose == agent.ForPrompt:
			return agenttest.Reply{Text: "too long", Calls: []agent.ToolCall{{ID: "n", Name: "note", Arguments: `{}`}}}
		case stage(r) == 0:
			return agenttest.Use("critic", `{"text":"a poem"}`)
		}
		return agenttest.Say("ok")
	}}
	w := agenttest.New(t, storage, p, tools{"note": done("noted")})
	w.Catalog.Prompts["critic"] = &agent.Prompt{Name: "critic", Model: "model", Parts: []agent.PromptPart{{Text: "Criticise {{text}}."}}, Tools: []agent.Tool{{Name: "note"}}}
	w.Catalog.Prompts["helper"].Tools = []agent.Tool{{Name: "critic", InitMessage: "text"}}
	id := w.Thread("helper")
	if o := w.Say(id, "go"); o.Text != "ok" {
		t.Fatalf("outcome %+v", o)
	}
	nested := p.Requests()[1]
	same(t, "the prompt's request", append(asked(nested), nested.System), "user: a poem", "Criticise a poem.")
	same(t, "the result", asked(p.Requests()[2])[2:], "tool: too long\nnote: noted")
	rows := w.Rows(id)
	if len(rows) != 6 {
		t.Fatalf("rows %q", transcript(rows))
	}
	call := rows[2]
	for _, m := range rows[3:5] {
		if m.Parent != call.ID || m.Depth != 1 {
			t.Errorf("a row of the prompt hangs below %q at depth %d: %+v", m.Parent, m.Depth, m)
		}
	}
	w.Env.Tools["note"] = failing("no paper")
	p.Answer = nestedFailure(p.Answer)
	w.Say(id, "again")
	if e := p.Requests()[len(p.Requests())-1].Messages; !e[len(e)-1].Failed || !strings.Contains(e[len(e)-1].Text, "no paper") {
		t.Errorf("the result of a prompt whose tool failed: %+v", e[len(e)-1])
	}
}

// nestedFailure answers as before, from the beginning of the newest turn.
func nestedFailure(answer func(int, agent.Request) agenttest.Reply) func(int, agent.Request) agenttest.Reply {
	return func(n int, r agent.Request) agenttest.Reply {
		if last := r.Messages[len(r.Messages)-1]; r.Purpose == agent.ForStep && last.Role == agent.User {
			return agenttest.Use("critic", `{"text":"a poem"}`)
		}
		return answer(n, r)
	}
}

var errRefused = errors.New("refused")

// refusing is an answer that asking again does not help against.
func refusing(format string, args ...any) agenttest.Reply {
	return agenttest.Reply{Err: &agent.ProviderError{Type: "auth", Err: fmt.Errorf(format+": %w", append(args, errRefused)...)}}
}
