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

// A stop tool changes what the response says, and nothing else of the row: its tools may have changed it as well.
func TestStopToolKeepsChangesOfResponse(t *testing.T) {
	w := agenttest.New(t, record.NewMemory(), agenttest.Script(agenttest.Use("mark", `{}`, "secret", `{}`, "say", `{"text":"the end"}`)),
		tools{"secret": done("hidden"), "say": done("said"), "mark": func(ctx context.Context, c agent.Call) agent.ToolResult {
			page, err := c.State.Messages(ctx, agent.PageOptions{})
			if err == nil {
				err = c.State.UpdateMessage(ctx, page.Messages[1].ID, nil, agent.Metadata{"marked": true}, nil)
			}
			if err != nil {
				return agent.ToolResult{Error: err.Error()}
			}
			return agent.ToolResult{Result: "marked"}
		}})
	w.Catalog.Agents["helper"].SideA = agent.Side{Prompt: "helper", StopTool: "say", StopToolResponse: "text"}
	w.Env.At = func(p agent.Point, d *agent.PointData) error {
		d.Drop = p == agent.AfterToolSuccess && d.Call.Name == "secret"
		return nil
	}
	id := w.Thread("helper")
	if o := w.Say(id, "go"); o.Text != "the end" {
		t.Errorf("outcome %+v", o)
	}
	rows := w.Rows(id)
	same(t, "the thread", transcript(rows), "user: go", `assistant: the end [mark{}] [say{"text":"the end"}]`, "tool: marked", "tool: said")
	if rows[1].Metadata["marked"] != true {
		t.Errorf("the mark of a tool was lost: %+v", rows[1])
	}
}

// A model that two others fall back to is asked once.
func TestFallbacksAreAskedOnce(t *testing.T) {
	var asked []string
	w := agenttest.New(t, record.NewMemory(), nil, nil)
	for name, fallbacks := range map[string][]string{"model": {"second", "third"}, "second": {"third", "model"}, "third": {"second"}} {
		w.Catalog.Models[name] = &agent.Model{Name: name, Fallbacks: fallbacks}
	}
	w.Provider = &agenttest.Provider{Answer: func(_ int, r agent.Request) agenttest.Reply {
		asked = append(asked, r.Model.Name)
		return refusing("no")
	}}
	w.Runtime = w.NewRuntime("owner")
	if o := w.Say(w.Thread("helper"), "hi"); o.Reason != agent.StepError || !slices.Equal(asked, []string{"model", "second", "third"}) {
		t.Errorf("asked %q, outcome %+v", asked, o)
	}
}

// A call that waits for a child which it has sent a message gets the child's answer, whenever the process dies.
func TestDeathWhileMessagedChildWorks(t *testing.T) {
	begin := func() *household {
		h := &household{finished: map[string]int{}}
		p := &agenttest.Provider{Answer: func(_ int, r agent.Request) agenttest.Reply {
			if r.System == "worker" {
				return finish("result of " + r.Messages[len(r.Messages)-1].Text)
			}
			switch list := kids(h.outside(), h.id); {
			case len(list) == 0:
				return create("Ann", "one")
			case list[0].Told < 2 && !strings.Contains(fmt.Sprint(r.Messages), "tool failed"):
				return agenttest.Use("subagent_message", fmt.Sprintf(`{"referenceId":%q,"message":"two","attachments":[]}`, list[0].Reference))
			}
			return agenttest.Say("arrived")
		}}
		h.mortal = mortalWorld(t, record.NewMemory(), p, tools{"finish": done("")})
		entry := resumableWorker(agent.Resumable{})
		entry.Subagent.Background = false
		direct(h.World, "helper", "helper", entry)
		direct(h.World, "work", "worker", agent.Tool{Name: "finish"})
		h.Catalog.Agents["worker"] = &agent.Agent{Name: "worker", Kind: agent.Dual, SideB: agent.Side{Prompt: "work"},
			SideA: agent.Side{Prompt: "work", SessionStop: agent.Binding{Tool: "finish", Message: "text"}}}
		h.id = h.Thread("helper")
		send(h.World, h.id, "go")
		return h
	}
	h := begin()
	first := h.probe.updates
	h.settle(t)
	moments := h.probe.updates - first
	if told := h.told(kids(h.World, h.id)[0].Reference); told != 2 {
		t.Fatalf("undisturbed the parent hears %d results: %q", told, transcript(h.Rows(h.id)))
	}
	for n := 1; n <= moments; n++ {
		h := begin()
		at := h.probe.updates + n
		h.probe.after = func(n int) {
			if n == at {
				h.probe.die()
			}
		}
		h.liveUntilDeath()
		h.Storage = h.probe.Storage
		h.Env.OwnerAlive = func(owner string) bool { return owner == "heir" }
		h.Runtime = h.NewRuntime("heir")
		h.settle(t)
		for _, child := range kids(h.World, h.id) {
			if told := h.told(child.Reference); told != child.Told {
				t.Errorf("dead after transaction %d: %d results of %d sessions: %q", n, told, child.Told, transcript(h.Rows(h.id)))
			}
		}
	}
}
