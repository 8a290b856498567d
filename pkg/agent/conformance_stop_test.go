package agent_test

import (
	"fmt"
	"testing"

	"github.com/ryeos/rye/internal/agenttest"
	"github.com/ryeos/rye/pkg/agent"
	"github.com/ryeos/rye/pkg/record"
)

func init() {
	conform("SA-6.1", testSessionToolsComeFirst)
	conform("SA-6.2", testStopToolComesSecond)
	conform("SA-6.3", testResponseComesThird)
	conform("SA-6.4", testLimitsComeLast)
	conform("SA-6.5", testKeepGoing)
	conform("X3", testFailedSessionTool)
}

// endless is a world whose model answers the same for ever.
func endless(t *testing.T, storage record.Storage, reply agenttest.Reply, side agent.Side) *agenttest.World {
	p := &agenttest.Provider{Answer: func(int, agent.Request) agenttest.Reply { return reply }}
	w := agenttest.New(t, storage, p, tools{"note": done("noted"), "finish": done(`{"said":"bye"}`), "stop": done("stopped"), "fail": done("failed")})
	side.Prompt = "helper"
	w.Catalog.Agents["helper"].SideA = side
	return w
}

// ends runs a thread and wants its session to end for a reason after so many requests.
func ends(t *testing.T, w *agenttest.World, name string, reason agent.Reason, requests int) *agent.Outcome {
	t.Helper()
	id := w.Thread(name)
	before := len(w.Provider.Requests())
	o := w.Say(id, "go")
	if n := len(w.Provider.Requests()) - before; o.Reason != reason || n != requests {
		t.Errorf("%d requests, outcome %+v, want %d and %s", n, o, requests, reason)
	}
	return o
}

func testSessionToolsComeFirst(t *testing.T, storage record.Storage) {
	side := agent.Side{SessionStop: agent.Binding{Tool: "finish"}, SessionFail: agent.Binding{Tool: "fail"}, StopTool: "stop", MaxSteps: 1}
	w := endless(t, storage, agenttest.Use("stop", `{}`, "finish", `{}`), side)
	if o := ends(t, w, "helper", agent.SessionStop, 1); o.Status != agent.StatusIdle {
		t.Errorf("outcome %+v", o)
	}
	w = endless(t, storage, agenttest.Use("stop", `{}`, "finish", `{}`, "fail", `{}`), side)
	if o := ends(t, w, "helper", agent.SessionFail, 1); o.Status != agent.StatusFailed {
		t.Errorf("outcome %+v", o)
	}
}

func testStopToolComesSecond(t *testing.T, storage record.Storage) {
	w := endless(t, storage, agenttest.Use("note", `{}`, "stop", `{"said":"so long"}`), agent.Side{StopTool: "stop", StopToolResponse: "said", MaxSteps: 1})
	if o := ends(t, w, "helper", agent.StopTool, 1); o.Text != "so long" {
		t.Errorf("outcome %+v", o)
	}
	w = endless(t, storage, agenttest.Use("finish", `{}`), agent.Side{StopTool: "finish", StopToolResponse: "said"})
	if o := ends(t, w, "helper", agent.StopTool, 1); o.Text != "bye" {
		t.Errorf("outcome %+v", o)
	}
}

func testResponseComesThird(t *testing.T, storage record.Storage) {
	w := endless(t, storage, agenttest.Say("hello"), agent.Side{StopTool: "stop", MaxSteps: 1})
	if o := ends(t, w, "helper", agent.StopOnResponse, 1); o.Text != "hello" {
		t.Errorf("outcome %+v", o)
	}
}

func testLimitsComeLast(t *testing.T, storage record.Storage) {
	calling := agenttest.Use("note", `{}`)
	ends(t, endless(t, storage, calling, agent.Side{MaxSteps: 3}), "helper", agent.MaxSideSteps, 3)

	w := endless(t, storage, calling, agent.Side{})
	w.Catalog.Agents["helper"].Limits = agent.Limits{HardSteps: 4}
	ends(t, w, "helper", agent.MaxTotalSteps, 4)

	for _, test := range []struct {
		limits   agent.Limits
		requests int
		message  string
	}{
		{agent.Limits{Steps: 2}, 2, "Limit exceeded: turns_exceeded (2/2)"},
		{agent.Limits{Tokens: 25}, 3, "Limit exceeded: tokens_exceeded (30/25)"},
		{agent.Limits{Spend: 7}, 4, "Limit exceeded: spend_exceeded (8/7)"},
	} {
		reply := calling
		reply.Usage = agent.Usage{Input: 8, Output: 2, Spend: 2}
		w := endless(t, storage, reply, agent.Side{})
		w.Catalog.Agents["helper"].Limits = test.limits
		if o := ends(t, w, "helper", agent.LimitExceeded, test.requests); o.Error != test.message || o.Status != agent.StatusFailed {
			t.Errorf("outcome %+v, want %s", o, test.message)
		}
	}

	w = talkers(t, storage)
	w.Provider.Answer = func(n int, _ agent.Request) agenttest.Reply { return agenttest.Say(fmt.Sprint(n)) }
	w.Catalog.Agents["talkers"].MaxSessionTurns = 3
	ends(t, w, "talkers", agent.MaxSessionTurns, 6)
}

func testKeepGoing(t *testing.T, storage record.Storage) {
	w := endless(t, storage, agenttest.Reply{}, agent.Side{KeepGoing: true, SessionStop: agent.Binding{Tool: "finish"}})
	w.Provider.Answer = agenttest.Script(agenttest.Say("I think"), agenttest.Say("and think"), agenttest.Use("finish", `{}`)).Answer
	ends(t, w, "helper", agent.SessionStop, 3)
	same(t, "the third request", asked(w.Provider.Requests()[2]), "user: go", "assistant: I think", "assistant: and think")
}

func testFailedSessionTool(t *testing.T, storage record.Storage) {
	for _, side := range []agent.Side{
		{SessionStop: agent.Binding{Tool: "finish"}}, {SessionFail: agent.Binding{Tool: "finish"}}, {StopTool: "finish"},
	} {
		w := endless(t, storage, agenttest.Reply{}, side)
		tries := 0
		w.Provider.Answer = func(n int, _ agent.Request) agenttest.Reply { return agenttest.Use("note", `{}`, "finish", `{}`) }
		w.Env.Tools["finish"] = failing("not yet")
		w.Env.At = func(p agent.Point, d *agent.PointData) error {
			if p == agent.AfterToolFailure {
				if tries++; tries == 2 {
					w.Env.Tools["finish"] = done("finished")
				}
			}
			return nil
		}
		reason := agent.StopTool
		switch {
		case side.SessionStop.Tool != "":
			reason = agent.SessionStop
		case side.SessionFail.Tool != "":
			reason = agent.SessionFail
		}
		ends(t, w, "helper", reason, 3)
	}
}
