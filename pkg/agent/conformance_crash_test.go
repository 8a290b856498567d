package agent_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/ryeos/rye/internal/agenttest"
	"github.com/ryeos/rye/pkg/agent"
	"github.com/ryeos/rye/pkg/record"
)

func init() {
	conform("SA-9.1", testQueueSurvives)
	conform("SA-9.5", testDeathAtEveryMoment)
	conform("X1", testNoWakeUpIsLost)
	conform("X2", testInterruptedCall)
}

func testQueueSurvives(t *testing.T, storage record.Storage) {
	w := mortalWorld(t, storage, agenttest.Script(agenttest.Say("done")), nil)
	id := w.Thread("helper")
	for _, text := range []string{"1", "2", "3"} {
		send(w.World, id, text)
	}
	w.probe.dieNext()
	w.runUntilDeath(id)
	w.resume(id)
	same(t, "the thread", transcript(w.Rows(id)), "user: 1", "user: 2", "user: 3", "assistant: done")
}

// journey is a thread with two steps of tools and an answer. A message comes when the first tools begin. The model answers
// by what it sees, so that it answers the same after a death.
type journey struct {
	*mortal
	id  string
	ran map[string]int
}

// stage is how far the thread is that a request is about, by the results that it shows.
func stage(r agent.Request) int {
	n := 0
	for _, e := range r.Messages {
		if e.Role == agent.ToolRole {
			n++
		}
	}
	return n
}

func newJourney(t *testing.T, storage record.Storage) *journey {
	j := &journey{ran: map[string]int{}}
	tool := func(_ context.Context, c agent.Call) agent.ToolResult {
		j.ran[c.Name]++
		return agent.ToolResult{Result: c.Name + " is done"}
	}
	p := &agenttest.Provider{Answer: func(_ int, r agent.Request) agenttest.Reply {
		switch stage(r) {
		case 0:
			return agenttest.Use("first", `{}`, "second", `{}`)
		case 2:
			return agenttest.Use("third", `{}`)
		}
		return agenttest.Say("arrived")
	}}
	j.mortal = mortalWorld(t, storage, p, tools{"first": tool, "second": tool, "third": tool})
	hurried := false
	j.Env.OnEvent = func(e agent.Event) {
		if e.Type == agent.ToolCallsStart && !hurried {
			hurried = true
			send(j.outside(), e.Thread, "hurry")
		}
	}
	j.id = j.Thread("helper")
	send(j.World, j.id, "go")
	return j
}

const interrupted = "tool: The tool failed: interrupted by restart: it may have done its work, or part of it"

// testDeathAtEveryMoment lets the process die before and after each of its transactions.
func testDeathAtEveryMoment(t *testing.T, storage record.Storage) {
	j := newJourney(t, storage)
	first := j.probe.updates
	if _, err := j.Run(t.Context(), j.id); err != nil {
		t.Fatal(err)
	}
	want, moments := whole(j.Rows(j.id)), j.probe.updates-first
	if len(want) != 8 || moments < 15 {
		t.Fatalf("undisturbed, in %d transactions: %q", moments, want)
	}
	every := 1
	if testing.Short() {
		every = 4
	}
	for n := 1; n <= moments; n += every {
		for _, after := range []bool{false, true} {
			what := fmt.Sprintf("dead before transaction %d", n)
			j := newJourney(t, storage)
			at := j.probe.updates + n
			strike := func(n int) {
				if n == at {
					j.probe.die()
				}
			}
			if j.probe.before = strike; after {
				j.probe.before, j.probe.after, what = nil, strike, fmt.Sprintf("dead after transaction %d", n)
			}
			t.Run(what, func(t *testing.T) { j.dieAndArrive(t, want) })
		}
	}
}

func (j *journey) dieAndArrive(t *testing.T, want []string) {
	j.runUntilDeath(j.id)
	stored, died := len(answered(j.Rows(j.id))), len(j.Provider.Requests())
	o := j.resume(j.id)
	got := whole(j.Rows(j.id))
	broken := 0
	for i := range got {
		if i < len(want) && got[i] == interrupted {
			broken++
			got[i] = want[i]
		}
	}
	if o.Text != "arrived" || !slices.Equal(got, want) || broken > 1 {
		t.Errorf("%d interrupted calls, outcome %+v:\n  %s", broken, o, strings.Join(whole(j.Rows(j.id)), "\n  "))
	}
	never := 0
	for _, name := range []string{"first", "second", "third"} {
		switch n := j.ran[name]; {
		case n > 1:
			t.Errorf("%s ran %d times", name, n)
		case n == 0:
			never++
		}
	}
	if never > broken {
		t.Errorf("%d tools never ran, and %d were interrupted", never, broken)
	}
	requests := j.Provider.Requests()
	for _, r := range requests[died:] {
		if again := []int{0: 0, 2: 1, 3: 2}[stage(r)]; again < stored {
			t.Errorf("answer %d was stored, and asked for again", again)
		}
	}
	paired(t, requests)
	if pending, err := j.Pending(t.Context()); err != nil || slices.Contains(pending, j.id) {
		t.Errorf("still pending: %q, %v", pending, err)
	}
}

// whole are the lines of rows that are not those of failed attempts.
func whole(rows []agent.Message) []string {
	return transcript(slices.DeleteFunc(rows, func(m agent.Message) bool { return m.Status != agent.Completed }))
}

// answered are the stored answers of models.
func answered(rows []agent.Message) []agent.Message {
	return slices.DeleteFunc(rows, func(m agent.Message) bool { return m.Role != agent.Assistant || m.Status != agent.Completed })
}

// testNoWakeUpIsLost sends a message right before each transaction of a run, the one that gives the flow up included.
func testNoWakeUpIsLost(t *testing.T, storage record.Storage) {
	for n := 1; ; n++ {
		w := mortalWorld(t, storage, &agenttest.Provider{Answer: func(int, agent.Request) agenttest.Reply { return agenttest.Say("yes") }}, nil)
		id := w.Thread("helper")
		send(w.World, id, "hello")
		at, sent := w.probe.updates+n, false
		w.probe.before = func(n int) {
			if n == at {
				send(w.outside(), id, "are you there?")
				sent = true
			}
		}
		if _, err := w.Run(t.Context(), id); err != nil {
			t.Fatal(err)
		}
		if !sent {
			if n < 6 {
				t.Errorf("a run has %d transactions", n-1)
			}
			return
		}
		rows := transcript(w.Rows(id))
		if rows[len(rows)-1] != "assistant: yes" {
			t.Errorf("a message before transaction %d: %q", n, rows)
		}
	}
}

func testInterruptedCall(t *testing.T, storage record.Storage) {
	w := mortalWorld(t, storage, agenttest.Script(agenttest.Use("mail", `{}`), agenttest.Say("I am not sure")), nil)
	sent := 0
	w.Env.Tools = tools{"mail": func(context.Context, agent.Call) agent.ToolResult {
		sent++
		w.probe.dieNext()
		return agent.ToolResult{Result: "sent"}
	}}
	w.Catalog.Prompts["helper"].Tools = []agent.Tool{{Name: "mail"}}
	id := w.Thread("helper")
	send(w.World, id, "go")
	w.runUntilDeath(id)
	w.resume(id)
	if sent != 1 {
		t.Errorf("the tool ran %d times", sent)
	}
	same(t, "what the model is told", asked(w.Provider.Requests()[1]), "user: go", "assistant:  [mail{}]", interrupted)
	rows := w.Rows(id)
	if i := slices.IndexFunc(rows, func(m agent.Message) bool { return m.Role == agent.ToolRole }); i < 0 ||
		rows[i].ToolStatus != agent.ToolFailed || rows[i].Error == nil || rows[i].Error.ErrorCode != "interrupted" {
		t.Errorf("rows %+v", rows)
	}
}
