package agent_test

import (
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/ryeos/rye/internal/agenttest"
	"github.com/ryeos/rye/pkg/agent"
	"github.com/ryeos/rye/pkg/record"
)

// casting gives each role its own replies: the system prompt of a request is the role.
type casting map[string][]agenttest.Reply

func (c casting) provider() *agenttest.Provider {
	var mu sync.Mutex
	said := map[string]int{}
	return &agenttest.Provider{Answer: func(_ int, r agent.Request) agenttest.Reply {
		mu.Lock()
		defer mu.Unlock()
		role := r.System
		if r.Purpose == agent.ForBootstrap {
			role = "bootstrap"
		}
		n := said[role]
		if said[role]++; n >= len(c[role]) {
			return agenttest.Reply{Err: fmt.Errorf("%q has %d replies, and this is request %d", role, len(c[role]), n+1)}
		}
		return c[role][n]
	}}
}

// family is a world in which the agent "helper" may use the agent "worker" by an entry. A worker ends with finish or give_up.
func family(t *testing.T, storage record.Storage, entry agent.Tool, cast casting) *agenttest.World {
	w := agenttest.New(t, storage, cast.provider(), tools{"finish": done(""), "give_up": done(""), "progress": done("")})
	direct(w, "helper", "helper", entry)
	direct(w, "work", "worker", agent.Tool{Name: "finish"}, agent.Tool{Name: "give_up"}, agent.Tool{Name: "progress"})
	direct(w, "criticize", "critic")
	w.Catalog.Agents["worker"] = &agent.Agent{Name: "worker", Kind: agent.Dual, Description: "It works.", SideB: agent.Side{Prompt: "criticize"},
		SideA: agent.Side{Prompt: "work", SessionStop: agent.Binding{Tool: "finish", Message: "text", Attachments: "files"},
			SessionFail: agent.Binding{Tool: "give_up", Message: "why"}, SessionStatus: agent.Binding{Tool: "progress", Message: "how"}}}
	return w
}

// direct makes a prompt for a role of a casting.
func direct(w *agenttest.World, name, role string, entries ...agent.Tool) *agent.Prompt {
	p := &agent.Prompt{Name: name, Parts: []agent.PromptPart{{Text: role}}, Model: "model", IncludeChat: true, IncludePastTools: true, Tools: entries}
	w.Catalog.Prompts[name] = p
	return p
}

// Entries for the worker.
var (
	blockingWorker   = agent.Tool{Name: "worker"}
	backgroundWorker = agent.Tool{Name: "worker", Subagent: &agent.Subagent{Background: true}}
)

func resumableWorker(r agent.Resumable) agent.Tool {
	if r.Receives == "" {
		r.Receives = "side_a"
	}
	return agent.Tool{Name: "worker", Subagent: &agent.Subagent{Background: true, Resumable: &r}}
}

func create(name, task string) agenttest.Reply {
	return agenttest.Use("subagent_create", fmt.Sprintf(`{"agent":"worker","name":%q,"message":%q,"attachments":[]}`, name, task))
}

func finish(text string) agenttest.Reply {
	return agenttest.Use("finish", fmt.Sprintf(`{"text":%q}`, text))
}

// kids is the registry of a thread.
func kids(w *agenttest.World, thread string) []agent.Child {
	w.T.Helper()
	list, err := w.State(thread).Children(w.T.Context())
	if err != nil {
		w.T.Fatal(err)
	}
	return list
}

func onlyChild(w *agenttest.World, thread string) agent.Child {
	w.T.Helper()
	list := kids(w, thread)
	if len(list) != 1 {
		w.T.Fatalf("thread %s has %d children, not 1: %+v", thread, len(list), list)
	}
	return list[0]
}

func loaded(w *agenttest.World, thread string) *agent.Thread {
	w.T.Helper()
	t, err := w.Runtime.Thread(w.T.Context(), thread)
	if err != nil {
		w.T.Fatal(err)
	}
	return t
}

// results are the rows of tools.
func results(w *agenttest.World, thread string) []agent.Message {
	return slices.DeleteFunc(w.Rows(thread), func(m agent.Message) bool { return m.Role != agent.ToolRole })
}

// fromChild are the messages that children have sent to a thread, taken or queued.
func fromChild(w *agenttest.World, thread string) []agent.Message {
	return slices.DeleteFunc(w.Rows(thread), func(m agent.Message) bool { return m.Role == agent.ToolRole || m.Subagent == "" })
}

// toolNames are those that a request offers.
func toolNames(r agent.Request) []string {
	var names []string
	for _, s := range r.Tools {
		names = append(names, s.Name)
	}
	return names
}
