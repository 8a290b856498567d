package agent_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/ryeos/rye/internal/agenttest"
	"github.com/ryeos/rye/pkg/agent"
	"github.com/ryeos/rye/pkg/item"
	"github.com/ryeos/rye/pkg/record"
	"github.com/ryeos/rye/pkg/thread"
)

// TestMessagePages: both orders, offsets, queued messages, silent and nested ones.
func TestMessagePages(t *testing.T) {
	w := agenttest.New(t, record.NewMemory(), agenttest.Script(), nil)
	s := w.State(w.Thread("helper"))
	for n := range 5 {
		if _, err := s.Inject(t.Context(), agent.Message{Role: agent.User, Content: fmt.Sprint(n)}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := s.Inject(t.Context(), agent.Message{Role: agent.User, Content: "silent", Silent: true}); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Inject(t.Context(), agent.Message{Role: agent.User, Content: "nested", Depth: 1}); err != nil {
		t.Fatal(err)
	}
	send(w, s.ID(), "queued")
	for _, c := range []struct {
		o    agent.PageOptions
		want string
		more bool
	}{
		{agent.PageOptions{}, "0 1 2 3 4 queued", false},
		{agent.PageOptions{Limit: 2}, "4 queued", true},
		{agent.PageOptions{Limit: 2, Offset: 2}, "2 3", true},
		{agent.PageOptions{Limit: 2, Offset: 5}, "0", false},
		{agent.PageOptions{Order: agent.OldestFirst, Limit: 2}, "0 1", true},
		{agent.PageOptions{Order: agent.OldestFirst, Limit: 4, Offset: 2}, "2 3 4 queued", false},
		{agent.PageOptions{Order: agent.NewestFirst, Limit: 3}, "queued 4 3", true},
		{agent.PageOptions{Order: agent.NewestFirst, Offset: 5}, "0", false},
		{agent.PageOptions{Offset: 9}, "", false},
		{agent.PageOptions{Silent: true, MaxDepth: 1}, "0 1 2 3 4 silent nested queued", false},
	} {
		page, err := s.Messages(t.Context(), c.o)
		var texts []string
		for _, m := range page.Messages {
			texts = append(texts, m.Content)
		}
		want := 6
		if c.o.Silent {
			want = 8
		}
		if got := strings.Join(texts, " "); err != nil || got != c.want || page.HasMore != c.more || page.Total != want || page.Messages == nil {
			t.Errorf("%+v: %q of %d, more: %v, %v", c.o, got, page.Total, page.HasMore, err)
		}
	}
	page, _ := s.Messages(t.Context(), agent.PageOptions{})
	if q := page.Messages[5]; q.Status != agent.Pending || q.Metadata["queued"] != true || q.Metadata["queue_status"] != "waiting" {
		t.Errorf("the queued message is %+v", q)
	}
	if _, err := w.State("nobody").Messages(t.Context(), agent.PageOptions{}); item.TypeOf(err) != item.TypeNotFound {
		t.Errorf("an unknown thread: %v", err)
	}
}

// TestMessagesAreChanged, which a thread at work sees in its next step, and hooks may refuse.
func TestMessagesAreChanged(t *testing.T) {
	w := agenttest.New(t, record.NewMemory(), agenttest.Script(agenttest.Use("redact", "{}"), agenttest.Say("ok")), nil)
	var points []string
	w.Env.At = func(p agent.Point, d *agent.PointData) error {
		switch {
		case p != agent.BeforeUpdateMessage && p != agent.AfterUpdateMessage:
		case d.Message.Content == "refuse me":
			return errors.New("refused")
		case p == agent.BeforeUpdateMessage:
			d.Message.Content += "!"
			fallthrough
		default:
			points = append(points, string(p)+" "+d.Message.Content)
		}
		return nil
	}
	text, refused, hidden := "changed", "refuse me", true
	w.Env.Tools = tools{"redact": func(ctx context.Context, c agent.Call) agent.ToolResult {
		page, err := c.State.Messages(ctx, agent.PageOptions{})
		if err == nil {
			err = c.State.UpdateMessage(ctx, page.Messages[0].ID, &text, agent.Metadata{"by": "redact"}, nil)
		}
		if err == nil {
			err = c.State.UpdateMessage(ctx, page.Messages[1].ID, nil, nil, &hidden)
		}
		if err != nil {
			t.Error(err)
		}
		if err := c.State.UpdateMessage(ctx, page.Messages[0].ID, &refused, nil, nil); err == nil || err.Error() != "refused" {
			t.Errorf("a hook refused: %v", err)
		}
		return agent.ToolResult{Result: "done"}
	}}
	w.Catalog.Prompts["helper"].Tools = []agent.Tool{{Name: "redact"}}
	id := w.Thread("helper")
	for _, text := range []string{"a secret", "not for models"} {
		send(w, id, text)
	}
	run(w, id)
	same(t, "the second request", asked(w.Provider.Requests()[1]), "user: changed!", "assistant:  [redact{}]", "tool: done")
	same(t, "the hooks", points, "before_update_message changed!", "after_update_message changed!", "before_update_message not for models!", "after_update_message not for models!")
	m, err := w.State(id).Message(t.Context(), w.Rows(id)[0].ID)
	if err != nil || m.Content != "changed!" || m.Metadata["by"] != "redact" {
		t.Errorf("the message is %+v, %v", m, err)
	}
	if err := w.State(id).UpdateMessage(t.Context(), "none", &text, nil, nil); item.TypeOf(err) != item.TypeNotFound {
		t.Errorf("a message that is not there: %v", err)
	}
}

// TestInject: roles that a program cannot have said, hooks that change and refuse.
func TestInject(t *testing.T) {
	w := agenttest.New(t, record.NewMemory(), agenttest.Script(), nil)
	w.Env.At = func(p agent.Point, d *agent.PointData) error {
		if p == agent.BeforeCreateMessage && d.Message.Content == "refuse me" {
			return errors.New("refused")
		}
		return nil
	}
	s := w.State(w.Thread("helper"))
	if _, err := s.Inject(t.Context(), agent.Message{Role: agent.ToolRole, Content: "x"}); item.TypeOf(err) != item.TypeUsage {
		t.Errorf("the role of a tool: %v", err)
	}
	if _, err := s.Inject(t.Context(), agent.Message{Role: agent.User, Content: "refuse me"}); err == nil || err.Error() != "refused" {
		t.Errorf("a hook refused: %v", err)
	}
	if rows, wakes := w.Rows(s.ID()), w.Env.Wakes(); len(rows) != 0 || len(wakes) != 0 {
		t.Errorf("rows %+v, wakes %v", rows, wakes)
	}
	if found, err := s.DeleteMessage(t.Context(), "none"); err != nil || found {
		t.Errorf("a message that is not there was deleted: %v, %v", found, err)
	}
}

func TestInvokeTool(t *testing.T) {
	w := agenttest.New(t, record.NewMemory(), agenttest.Script(), tools{"note": func(_ context.Context, c agent.Call) agent.ToolResult {
		return agent.ToolResult{Result: string(c.Arguments) + c.Thread}
	}})
	s := w.State(w.Thread("helper"))
	if r := s.InvokeTool(t.Context(), "note", nil); r.Result != "{}"+s.ID() || len(w.Rows(s.ID())) != 0 {
		t.Errorf("result %+v, rows %+v", r, w.Rows(s.ID()))
	}
	if r := s.InvokeTool(t.Context(), "none", nil); r.ErrorCode != "not_registered" {
		t.Errorf("result %+v", r)
	}
}

// TestContextUsage: what the model said of the context, under a key that is the engine's.
func TestContextUsage(t *testing.T) {
	w := agenttest.New(t, record.NewMemory(), agenttest.Script(agenttest.Reply{Text: "one", Usage: agent.Usage{Input: 90, Output: 10}}, agenttest.Say("two")), nil)
	w.Catalog.Models["model"].MaxContext = 1000
	s := w.State(w.Thread("helper"))
	recalls(t, s, agent.ContextUsageKey, "")
	for range 2 { // the second answer says nothing of tokens
		w.Say(s.ID(), "hello")
		data, err := s.Get(t.Context(), agent.ContextUsageKey)
		var u agent.ContextUsage
		if err == nil {
			err = json.Unmarshal(data, &u)
		}
		if u.Input != 90 || u.Total != 100 || u.Max != 1000 || u.Model != "model" || u.At.IsZero() || err != nil {
			t.Errorf("usage %s, %v", data, err)
		}
	}
	if err := s.Set(t.Context(), agent.ContextUsageKey, 1); item.TypeOf(err) != item.TypePermission {
		t.Errorf("a reserved key: %v", err)
	}
	if logs, err := s.Logs(t.Context()); err != nil || len(logs) != 2 {
		t.Errorf("logs %+v, %v", logs, err)
	}
}

// TestFiles: a thread's files are its own, and paths cannot leave it.
func TestFiles(t *testing.T) {
	w := agenttest.New(t, record.NewMemory(), agenttest.Script(), nil)
	s, other := w.State(w.Thread("helper")), w.State(w.Thread("helper"))
	for _, name := range []string{"/notes/a.txt", "/notes/deep/b.txt", "/notesnot/c.txt", "/x/../../d.txt"} {
		if err := s.WriteFile(t.Context(), name, []byte(name), ""); err != nil {
			t.Fatal(err)
		}
	}
	names := func(folder string) (list []string) {
		files, err := s.Files(t.Context(), folder)
		if err != nil {
			t.Error(err)
		}
		for _, a := range files {
			list = append(list, a.Path)
		}
		return list
	}
	same(t, "the folder", names("/notes/"), "/notes/a.txt", "/notes/deep/b.txt")
	same(t, "all files", names("/"), "/d.txt", "/notes/a.txt", "/notes/deep/b.txt", "/notesnot/c.txt")
	for _, bad := range []string{"", "a.txt", "/", "/notes/", "/a\x00b", "/\xff", "/" + strings.Repeat("a", 1024)} {
		if err := s.WriteFile(t.Context(), bad, nil, ""); item.TypeOf(err) != item.TypeUsage {
			t.Errorf("%q: %v", bad, err)
		}
	}
	if err := s.WriteFile(t.Context(), "/large", make([]byte, agent.MaxFile+1), ""); item.TypeOf(err) != item.TypeLimit {
		t.Errorf("a large file: %v", err)
	}
	if _, err := other.ReadFile(t.Context(), "/d.txt"); item.TypeOf(err) != item.TypeNotFound {
		t.Errorf("another thread's file: %v", err)
	}
	a, err := s.StatFile(t.Context(), "/notes/a.txt")
	if err != nil || a.Size != 12 || a.Name != "a.txt" || !strings.HasPrefix(a.MIMEType, "text/plain") {
		t.Errorf("the file is %+v, %v", a, err)
	}
	if err := s.MoveFile(t.Context(), "/d.txt", "/notes/a.txt"); item.TypeOf(err) != item.TypeUsage {
		t.Errorf("a file was replaced: %v", err)
	}
	if err := s.MoveFile(t.Context(), "/d.txt", "/notes/d.md"); err != nil {
		t.Fatal(err)
	}
	data, err := s.ReadFile(t.Context(), "/notes/d.md")
	if err != nil || string(data) != "/x/../../d.txt" || slices.Contains(names("/"), "/d.txt") {
		t.Errorf("the moved file is %q, %v; there are %v", data, err, names("/"))
	}
	for _, want := range []bool{true, false} {
		if found, err := s.RemoveFile(t.Context(), "/notes/a.txt"); err != nil || found != want {
			t.Errorf("removed: %v, %v; want %v", found, err, want)
		}
	}
	if _, err := s.ReadFile(t.Context(), "/notes/a.txt"); item.TypeOf(err) != item.TypeNotFound {
		t.Errorf("a removed file: %v", err)
	}
}

// TestValuePages: by key, from a prefix, behind a key.
func TestValuePages(t *testing.T) {
	for _, kind := range storages {
		t.Run(kind.name, func(t *testing.T) {
			w := agenttest.New(t, kind.open(t), agenttest.Script(), nil)
			s := w.State(w.Thread("helper"))
			for _, key := range []string{"a", "b", "b/", "b/1", "b/2", "b0", "c", "é", "éa"} {
				remember(t, s, key, key)
			}
			for _, c := range []struct {
				o    agent.ValueRange
				want string
			}{
				{agent.ValueRange{}, "a b b/ b/1 b/2 b0 c é éa"},
				{agent.ValueRange{Limit: 2}, "a b"},
				{agent.ValueRange{Limit: 2, After: "b"}, "b/ b/1"},
				{agent.ValueRange{Prefix: "b/"}, "b/ b/1 b/2"},
				{agent.ValueRange{Prefix: "b/", After: "b/"}, "b/1 b/2"},
				{agent.ValueRange{Prefix: "b/", After: "a", Limit: 1}, "b/"},
				{agent.ValueRange{Prefix: "é"}, "é éa"},
				{agent.ValueRange{Prefix: "z"}, ""},
			} {
				list, err := s.Values(t.Context(), c.o)
				var keys []string
				for _, p := range list {
					keys = append(keys, p.Key)
				}
				if got := strings.Join(keys, " "); err != nil || got != c.want {
					t.Errorf("%+v: %q, %v; want %q", c.o, got, err, c.want)
				}
			}
			for n := range 201 {
				remember(t, s, fmt.Sprint("n", n), n)
			}
			for limit, want := range map[int]int{0: 100, 150: 150, 1000: 200} {
				if list, err := s.Values(t.Context(), agent.ValueRange{Limit: limit}); err != nil || len(list) != want {
					t.Errorf("a page of %d has %d, %v", limit, len(list), err)
				}
			}
		})
	}
}

// TestValuesSurviveReopening: another process with the same folder reads them.
func TestValuesSurviveReopening(t *testing.T) {
	dir, id := t.TempDir(), ""
	for _, last := range []bool{false, true} {
		store, err := thread.Open(t.Context(), dir, thread.Options{})
		if err != nil {
			t.Fatal(err)
		}
		w := agenttest.New(t, store.Records(), agenttest.Script(), nil)
		if last {
			recalls(t, w.State(id), "k", `{"n":12345678901234567890}`)
			has(t, w.State(id), "TOKEN", "sesame")
		} else {
			id = w.Thread("helper")
			remember(t, w.State(id), "k", json.RawMessage(` { "n" : 12345678901234567890 } `))
			setEnv(t, w.State(id), "TOKEN", "sesame")
		}
		if err := store.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
