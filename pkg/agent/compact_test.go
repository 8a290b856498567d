package agent_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/ryeos/rye/internal/agenttest"
	"github.com/ryeos/rye/pkg/agent"
	"github.com/ryeos/rye/pkg/item"
	"github.com/ryeos/rye/pkg/record"
)

func init() {
	conform("CT-2.6", testCompaction)
}

// reader answers steps with replies and summaries with texts, one after another.
type reader struct {
	steps, summaries []agenttest.Reply
}

func (a *reader) provider() *agenttest.Provider {
	take := func(list *[]agenttest.Reply) agenttest.Reply {
		if len(*list) == 0 {
			return agenttest.Reply{Err: fmt.Errorf("there are no more replies")}
		}
		reply := (*list)[0]
		*list = (*list)[1:]
		return reply
	}
	return &agenttest.Provider{Answer: func(_ int, r agent.Request) agenttest.Reply {
		if r.Purpose == agent.ForSummary {
			return take(&a.summaries)
		}
		return take(&a.steps)
	}}
}

// purposes are what a provider was asked for.
func purposes(w *agenttest.World) []string {
	var list []string
	for _, r := range w.Provider.Requests() {
		list = append(list, string(r.Purpose))
	}
	return list
}

// last is the newest request for a purpose.
func last(t *testing.T, w *agenttest.World, p agent.Purpose) agent.Request {
	t.Helper()
	for _, r := range slices.Backward(w.Provider.Requests()) {
		if r.Purpose == p {
			return r
		}
	}
	t.Fatalf("there was no request for %s in %v", p, purposes(w))
	return agent.Request{}
}

func archivesOf(w *agenttest.World, thread string) []agent.Archive {
	w.T.Helper()
	list, err := w.Archives(w.T.Context(), thread)
	if err != nil {
		w.T.Fatal(err)
	}
	return list
}

func testCompaction(t *testing.T, storage record.Storage) {
	a := &reader{steps: []agenttest.Reply{agenttest.Use("note", `{"n":1}`), agenttest.Say("one"), agenttest.Say("two")}, summaries: []agenttest.Reply{agenttest.Say("They noted.")}}
	w := agenttest.New(t, storage, a.provider(), tools{"note": done("noted")})
	w.Catalog.Prompts["helper"].Tools = []agent.Tool{{Name: "note"}}
	id := w.Thread("helper")
	w.Say(id, "note it")
	w.Catalog.Agents["helper"].CompactAt = 8
	w.Say(id, "and now?")
	same(t, "the requests", purposes(w), "step", "step", "summary", "step")
	same(t, "the request behind the mark", asked(last(t, w, agent.ForStep)), "user: [What was said before, in short:]\nThey noted.", "user: and now?")
	same(t, "what the summary is made of", asked(last(t, w, agent.ForSummary))[1:],
		"user: note it", `assistant:  [note{"n":1}]`, "tool: noted", "assistant: one", "user: Write the memory now.")
	list, rows, thread := archivesOf(w, id), w.Rows(id), loaded(w, id)
	if len(list) != 1 || list[0].Summary != "They noted." || list[0].From != "" || list[0].To != rows[3].ID || thread.Mark != rows[3].ID || thread.Archive != list[0].Name {
		t.Errorf("archives %+v, thread %+v", list, thread)
	}
	if i := slices.IndexFunc(rows, func(m agent.Message) bool { return m.Metadata["archive"] == list[0].Name }); i < 0 || !rows[i].Silent || rows[i].Metadata["to"] != rows[3].ID {
		t.Errorf("no row tells of the mark: %v", kinds(rows))
	}
	if got := events(w.Env.Events()); !slices.Contains(got, string(agent.Compacted)) {
		t.Errorf("events %v", got)
	}
}

// TestCompactionKeepsTheTask compacts in the middle of a turn: what the user wants is not replaced, though it is older than
// the mark, and neither is what was said meanwhile.
func TestCompactionKeepsTheTask(t *testing.T) {
	a := &reader{summaries: []agenttest.Reply{agenttest.Say("first summary"), agenttest.Say("second summary")}}
	for range 8 {
		a.steps = append(a.steps, agenttest.Use("read", "{}"))
	}
	a.steps = append(a.steps, agenttest.Say("done"), agenttest.Say("again"))
	w := agenttest.New(t, record.NewMemory(), a.provider(), nil)
	w.Catalog.Prompts["helper"].Tools = []agent.Tool{{Name: "read"}}
	w.Catalog.Agents["helper"].CompactAt = 800
	id, n := w.Thread("helper"), 0
	w.Env.Tools = tools{"read": func(context.Context, agent.Call) agent.ToolResult {
		if n++; n == 2 {
			send(w, id, "Hurry up.")
		}
		return agent.ToolResult{Result: strings.Repeat("word ", 200)} // 250 tokens
	}}
	w.Say(id, "Count the words.")
	for _, r := range w.Provider.Requests() {
		if text := strings.Join(asked(r), "\n"); !strings.Contains(text, "user: Count the words.") {
			t.Errorf("a request for %s does not have the task: %s", r.Purpose, text)
		}
	}
	paired(t, w.Provider.Requests())
	same(t, "the requests", purposes(w), "step", "step", "step", "step", "summary", "step", "step", "step", "step", "summary", "step")
	second := asked(last(t, w, agent.ForSummary))
	same(t, "what the second summary begins with", second[1:4], "user: [What was said before, in short:]\nfirst summary", "user: Count the words.", "user: Hurry up.")
	same(t, "the last request", asked(last(t, w, agent.ForStep))[:3], "user: [What was said before, in short:]\nsecond summary", "user: Count the words.", "user: Hurry up.")
	list := archivesOf(w, id)
	if len(list) != 2 || list[1].From != list[0].To || len(list[1].Kept) != 2 {
		t.Errorf("archives %+v", list)
	}
	w.Catalog.Agents["helper"].CompactAt = -1
	w.Runtime = w.NewRuntime("heir")
	w.Say(id, "Thanks.")
	if got := asked(last(t, w, agent.ForStep)); got[1] != "user: Count the words." || got[len(got)-2] != "assistant: done" {
		t.Errorf("a new process sees %q", got)
	}
}

// TestAnswerIsNotFollowedByCompaction: what comes after an answer is the next message, however long the history is.
func TestAnswerIsNotFollowedByCompaction(t *testing.T) {
	a := &reader{steps: []agenttest.Reply{agenttest.Say(strings.Repeat("long ", 100)), agenttest.Say("short")}, summaries: []agenttest.Reply{agenttest.Say("sum")}}
	w := agenttest.New(t, record.NewMemory(), a.provider(), nil)
	w.Catalog.Agents["helper"].CompactAt = 10
	id := w.Thread("helper")
	w.Say(id, "hello")
	run(w, id)
	same(t, "the requests", purposes(w), "step")
	w.Say(id, "and?")
	same(t, "the requests", purposes(w), "step", "summary", "step")
}

// TestCompactionThreshold: what the model says of its context counts, else a quarter of the characters; of the agent's bound
// and nine tenths of the model's window the smaller.
func TestCompactionThreshold(t *testing.T) {
	long := strings.Repeat("word", 100) // 100 tokens
	for name, c := range map[string]struct {
		usage              agent.Usage
		compactAt, window  int
		compacts, noMemory bool
	}{
		"reported and reached":      {usage: agent.Usage{Input: 150, Output: 50}, compactAt: 200, compacts: true},
		"reported and not reached":  {usage: agent.Usage{Input: 10, Output: 10}, compactAt: 100},
		"estimated and reached":     {compactAt: 100, compacts: true},
		"estimated and not reached": {compactAt: 150},
		"window":                    {compactAt: 5000, window: 110, compacts: true},
		"larger window":             {compactAt: 5000, window: 120},
		"by default":                {usage: agent.Usage{Input: agent.DefaultCompactAt * 9 / 10, Output: agent.DefaultCompactAt / 10}},
		"never":                     {usage: agent.Usage{Input: 1 << 40}, compactAt: -1, window: 10},
		"without history":           {usage: agent.Usage{Input: 1 << 40}, compactAt: 1, noMemory: true},
	} {
		t.Run(name, func(t *testing.T) {
			a := &reader{steps: []agenttest.Reply{{Text: long, Usage: c.usage}, agenttest.Say("two")}, summaries: []agenttest.Reply{agenttest.Say("sum")}}
			w := agenttest.New(t, record.NewMemory(), a.provider(), nil)
			w.Catalog.Agents["helper"].CompactAt, w.Catalog.Models["model"].MaxContext = c.compactAt, c.window
			w.Catalog.Prompts["helper"].IncludeChat = !c.noMemory
			id := w.Thread("helper")
			w.Say(id, "1")
			w.Say(id, "2")
			if got := slices.Contains(purposes(w), "summary"); got != c.compacts {
				t.Errorf("requests %v", purposes(w))
			}
		})
	}
}

// TestCompactionFails: the history stays as it is, the step is done, and not every step asks for a summary again.
func TestCompactionFails(t *testing.T) {
	a := &reader{steps: []agenttest.Reply{agenttest.Say("one"), agenttest.Use("note", "{}"), agenttest.Use("note", "{}"), agenttest.Say("two")},
		summaries: []agenttest.Reply{{Text: "half a summ", Err: errDead}, {Text: "  "}, agenttest.Say("sum")}}
	w := agenttest.New(t, record.NewMemory(), a.provider(), tools{"note": done("noted")})
	w.Catalog.Prompts["helper"].Tools = []agent.Tool{{Name: "note"}}
	w.Catalog.Agents["helper"].CompactAt = 2
	id := w.Thread("helper")
	w.Say(id, "1")
	if o := w.Say(id, "2"); o.Text != "two" {
		t.Errorf("outcome %+v", o)
	}
	same(t, "the requests", purposes(w), "step", "summary", "step", "step", "step")
	same(t, "the last request", asked(last(t, w, agent.ForStep))[:3], "user: 1", "assistant: one", "user: 2")
	if list := archivesOf(w, id); len(list) != 0 {
		t.Errorf("archives %+v", list)
	}
	failed := slices.DeleteFunc(w.Env.Events(), func(e agent.Event) bool { return e.Type != agent.Compacted })
	if len(failed) != 1 || !strings.Contains(failed[0].Error, errDead.Error()) || failed[0].Text != "" {
		t.Errorf("events %+v", failed)
	}
}

// TestSummaryRequest: long results are cut, guests keep their names, files are named, nothing streams, and no tool is offered.
func TestSummaryRequest(t *testing.T) {
	long := strings.Repeat("ä", 1000) // 2000 bytes
	a := &reader{steps: []agenttest.Reply{agenttest.Use("read", "{}"), agenttest.Say("read"), agenttest.Say("I doubt it."), agenttest.Say("fine")},
		summaries: []agenttest.Reply{{Text: "sum", Usage: agent.Usage{Input: 70, Output: 7}}}}
	w := agenttest.New(t, record.NewMemory(), a.provider(), tools{"read": done(long)})
	w.Catalog.Prompts["helper"].Tools = []agent.Tool{{Name: "read"}}
	w.Catalog.Models["model"].Vision = true
	direct(w, "doubt", "You doubt.")
	w.Catalog.Agents["doubter"] = &agent.Agent{Name: "doubter", SideA: agent.Side{Prompt: "doubt"}}
	id := w.Thread("helper")
	o := agent.Outgoing{Content: "see", Attachments: []agent.Attachment{{Name: "cat.png", MIMEType: "image/png", Data: picture}}}
	if _, err := w.Deliver(t.Context(), id, o); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Guest(t.Context(), id, "doubter", agent.Outgoing{Content: "is it so?"}); err != nil {
		t.Fatal(err)
	}
	w.Catalog.Agents["helper"].CompactAt = 20
	w.Say(id, "well?")
	r := last(t, w, agent.ForSummary)
	path := w.Rows(id)[0].Attachments[0].Path
	same(t, "the summary's request", asked(r), "user: The agent's own instructions were:\n\nYou help.", "user: see\n[attachment "+path+" (image/png)]",
		"assistant:  [read{}]", "tool: "+strings.Repeat("ä", 512)+"… (976 bytes more)", "assistant: read", "user: is it so?",
		`assistant: <from agent="doubter">I doubt it.</from>`, "user: Write the memory now.")
	if len(r.Tools) != 0 || r.ToolChoice != "none" {
		t.Errorf("the request offers %+v, %s", r.Tools, r.ToolChoice)
	}
	for _, e := range w.Env.Events() {
		if e.Type == agent.TextDelta && e.Text == "sum" {
			t.Error("the summary was streamed as if it were an answer")
		}
	}
	if used := loaded(w, id).Usage; used.Total() != 77 {
		t.Errorf("the summary was not counted: %+v", used)
	}
}

// TestCompactionIsWorthIt: a task that is longer than the bound is not summed up again and again.
func TestCompactionIsWorthIt(t *testing.T) {
	a := &reader{steps: []agenttest.Reply{agenttest.Use("note", "{}"), agenttest.Use("note", "{}"), agenttest.Say("done")}}
	w := agenttest.New(t, record.NewMemory(), a.provider(), tools{"note": done("noted")})
	w.Catalog.Prompts["helper"].Tools = []agent.Tool{{Name: "note"}}
	w.Catalog.Agents["helper"].CompactAt = 100
	w.Say(w.Thread("helper"), strings.Repeat("word", 1000))
	same(t, "the requests", purposes(w), "step", "step", "step")
}

// TestCompactionDies kills the process at each transaction around a compaction. There is never a mark without its summary, and
// the thread ends as if nothing had happened.
func TestCompactionDies(t *testing.T) {
	for n := 1; ; n++ {
		p := &agenttest.Provider{Answer: func(_ int, r agent.Request) agenttest.Reply {
			if r.Purpose == agent.ForSummary {
				return agenttest.Say("sum")
			}
			return agenttest.Say("answer to " + r.Messages[len(r.Messages)-1].Text)
		}}
		w := mortalWorld(t, record.NewMemory(), p, nil)
		id := w.Thread("helper")
		w.Say(id, "1")
		w.Catalog.Agents["helper"].CompactAt = 1
		send(w.World, id, "2")
		begin := w.probe.updates
		w.probe.before = func(at int) {
			if at == begin+n {
				w.probe.die()
			}
		}
		died := survives(w, id)
		other := w.outside()
		if mark := loaded(other, id).Mark; (mark != "") != (len(archivesOf(other, id)) == 1) {
			t.Errorf("death %d: the mark is %q, and there are archives %+v", n, mark, archivesOf(other, id))
		}
		if died {
			w.resume(id)
		}
		same(t, fmt.Sprintf("death %d: the thread", n), transcript(slices.DeleteFunc(other.Rows(id), func(m agent.Message) bool { return m.Status == agent.Failed })),
			"user: 1", "assistant: answer to 1", "user: 2", "assistant: answer to 2")
		same(t, fmt.Sprintf("death %d: the last request", n), asked(last(t, w.World, agent.ForStep)), "user: [What was said before, in short:]\nsum", "user: 2")
		if !died {
			if n < 5 {
				t.Errorf("only %d transactions", n)
			}
			return
		}
	}
}

// survives runs a thread and reports whether its process died of it.
func survives(w *mortal, id string) (died bool) {
	defer func() {
		if v := recover(); v != nil {
			if died = v == (death{}); !died {
				panic(v)
			}
		}
	}()
	_, err := w.Run(context.Background(), id)
	if err != nil {
		w.T.Fatal(err)
	}
	return false
}

func TestArchivesOfUnknownThread(t *testing.T) {
	w := agenttest.New(t, record.NewMemory(), nil, nil)
	if list, err := w.Archives(t.Context(), "nobody"); item.TypeOf(err) != item.TypeNotFound {
		t.Errorf("%v, %v", list, err)
	}
}

// TestContextLimitEndsSession: an agent that does without summaries ends when its history is too long, and a hook may let
// it go on.
func TestContextLimitEndsSession(t *testing.T) {
	w := agenttest.New(t, record.NewMemory(), agenttest.Script(agenttest.Say(strings.Repeat("word ", 40)), agenttest.Say("two")), nil)
	w.Catalog.Agents["helper"].CompactAt, w.Catalog.Agents["helper"].OnContextLimit = 20, agent.FailThere
	id := w.Thread("helper")
	w.Say(id, "talk")
	for range 2 { // it does not get shorter by itself
		o := w.Say(id, "and now?")
		if o.Reason != agent.LimitExceeded || o.Status != agent.StatusFailed || !strings.HasPrefix(o.Error, "Limit exceeded: context_exceeded (") {
			t.Errorf("outcome %+v", o)
		}
	}
	same(t, "the requests", purposes(w), "step")
	w.Env.At = func(p agent.Point, d *agent.PointData) error {
		if p == agent.AtLimit && d.Limit.Code == "context_exceeded" {
			d.Extend = 1000
		}
		return nil
	}
	if o := w.Say(id, "go on"); o.Text != "two" {
		t.Errorf("outcome %+v", o)
	}
	same(t, "the requests", purposes(w), "step", "step")
}
