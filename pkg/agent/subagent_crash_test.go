package agent_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/ryeos/rye/internal/agenttest"
	"github.com/ryeos/rye/pkg/agent"
	"github.com/ryeos/rye/pkg/record"
)

// household is a parent with a child that it waits for and one that it does not, in a process that can die.
type household struct {
	*mortal
	id       string
	finished map[string]int // by thread
}

func newHousehold(t *testing.T) *household {
	t.Helper()
	h := &household{finished: map[string]int{}}
	p := &agenttest.Provider{Answer: func(_ int, r agent.Request) agenttest.Reply {
		if r.System == "worker" {
			return finish("result of " + r.Messages[0].Text)
		}
		results := 0
		for _, e := range r.Messages {
			if e.Role == agent.ToolRole {
				results++
			}
		}
		return []agenttest.Reply{agenttest.Use("worker", `{"n":1}`), agenttest.Use("servant", `{"n":2}`), agenttest.Say("arrived")}[min(results, 2)]
	}}
	h.mortal = mortalWorld(t, record.NewMemory(), p, tools{"finish": func(_ context.Context, c agent.Call) agent.ToolResult {
		h.finished[c.Thread]++
		return agent.ToolResult{}
	}})
	direct(h.World, "helper", "helper", blockingWorker, agent.Tool{Name: "servant", Subagent: &agent.Subagent{Background: true}})
	direct(h.World, "work", "worker", agent.Tool{Name: "finish"})
	for _, name := range []string{"worker", "servant"} {
		h.Catalog.Agents[name] = &agent.Agent{Name: name, Kind: agent.Dual, SideB: agent.Side{Prompt: "work"},
			SideA: agent.Side{Prompt: "work", SessionStop: agent.Binding{Tool: "finish", Message: "text"}}}
	}
	h.id = h.Thread("helper")
	send(h.World, h.id, "go")
	return h
}

// settle runs everything that is to be run, as a host does when it starts.
func (h *household) settle(t *testing.T) {
	t.Helper()
	for range 20 {
		if _, err := h.Reconcile(t.Context(), h.id); err != nil {
			t.Fatal(err)
		}
		pending, err := h.Pending(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if len(pending) == 0 {
			return
		}
		for _, thread := range pending {
			if _, err := h.Run(t.Context(), thread); err != nil {
				t.Fatal(err)
			}
		}
	}
	t.Fatal("there is always something to do")
}

// told counts how often the parent has heard the result of a child.
func (h *household) told(child string) int {
	n := 0
	for _, m := range h.Rows(h.id) {
		if m.Subagent == child && strings.Contains(m.Content, "result of") {
			n++
		}
	}
	return n
}

func TestDeathWithChildrenAtEveryMoment(t *testing.T) {
	h := newHousehold(t)
	first := h.probe.updates
	h.settle(t)
	moments := h.probe.updates - first
	h.check(t)
	if len(kids(h.World, h.id)) != 2 || moments < 30 {
		t.Fatalf("undisturbed there are %d children in %d transactions", len(kids(h.World, h.id)), moments)
	}
	for n := 1; n <= moments; n++ {
		for _, when := range []string{"before", "after"} {
			t.Run(fmt.Sprintf("dead %s transaction %d", when, n), func(t *testing.T) {
				h := newHousehold(t)
				at := h.probe.updates + n
				strike := func(n int) {
					if n == at {
						h.probe.die()
					}
				}
				if h.probe.before = strike; when == "after" {
					h.probe.before, h.probe.after = nil, strike
				}
				h.liveUntilDeath()
				if !h.probe.dead {
					t.Fatal("the process lives")
				}
				h.Storage = h.probe.Storage
				h.Env.OwnerAlive = func(owner string) bool { return owner == "heir" }
				h.Runtime = h.NewRuntime("heir")
				h.settle(t)
				h.check(t)
			})
		}
	}
}

// liveUntilDeath runs the family as settle does, in a process that dies on the way.
func (h *household) liveUntilDeath() {
	defer func() {
		if v := recover(); v != nil && v != (death{}) {
			panic(v)
		}
	}()
	for range 20 {
		if _, err := h.Reconcile(context.Background(), h.id); err != nil {
			return
		}
		pending, err := h.Pending(context.Background())
		if err != nil || len(pending) == 0 {
			return
		}
		for _, thread := range pending {
			if _, err := h.Run(context.Background(), thread); err != nil {
				return
			}
		}
	}
}

func (h *household) check(t *testing.T) {
	t.Helper()
	for _, c := range kids(h.World, h.id) {
		if n := h.told(c.Reference); n != 1 || c.Running || c.Status != "terminated" {
			t.Errorf("the parent heard %d times of %s, whose entry is %+v:\n%s", n, c.Reference, c, strings.Join(transcript(h.Rows(h.id)), "\n"))
		}
		if n := h.finished[c.Reference]; n > 2 { // the model calls it again if it was interrupted
			t.Errorf("%s ended %d times", c.Reference, n)
		}
	}
	o := loaded(h.World, h.id)
	if o.Session.Active || o.Session.Text != "arrived" {
		t.Errorf("the parent is %+v", o)
	}
	paired(t, h.Provider.Requests())
}
