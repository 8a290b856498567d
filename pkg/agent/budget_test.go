package agent_test

import (
	"testing"

	"github.com/ryeos/rye/internal/agenttest"
	"github.com/ryeos/rye/pkg/agent"
	"github.com/ryeos/rye/pkg/record"
)

// TestChildrenAtWorkShareABudget runs two children that each could use all that is left of their parent's tokens.
func TestChildrenAtWorkShareABudget(t *testing.T) {
	costly := func(r agenttest.Reply) agenttest.Reply {
		r.Usage = agent.Usage{Input: 40}
		return r
	}
	w := family(t, record.NewMemory(), backgroundWorker, casting{
		"helper": {agenttest.Use("worker", `{}`, "worker", `{}`), agenttest.Say("ok")},
		"worker": {costly(agenttest.Use("none", `{}`)), costly(agenttest.Use("none", `{}`)), costly(agenttest.Use("none", `{}`)), finish("done")},
	})
	thread, err := w.Create(t.Context(), agent.NewThread{Agent: "helper", Limits: agent.Limits{Tokens: 100}})
	if err != nil {
		t.Fatal(err)
	}
	w.Say(thread.ID, "work")
	both := kids(w, thread.ID)
	if len(both) != 2 {
		t.Fatalf("%d children", len(both))
	}
	for _, child := range both {
		if _, err := w.Run(t.Context(), child.Reference); err != nil {
			t.Fatal(err)
		}
	}
	parent := loaded(w, thread.ID)
	if parent.Below.Input != 120 { // what was under way when the bound was reached is counted, and no more
		t.Errorf("the parent has used %+v and below %+v", parent.Usage, parent.Below)
	}
	if o := loaded(w, both[1].Reference).Session; o.Reason != agent.LimitExceeded || o.Steps != 0 {
		t.Errorf("the second child ended with %+v", o)
	}
}
