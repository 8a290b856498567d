package agent_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/ryeos/rye/internal/agenttest"
	"github.com/ryeos/rye/pkg/agent"
	"github.com/ryeos/rye/pkg/record"
)

func init() {
	conform("SA-5.6", testHandoff)
	conform("SA-5.7", testBlockingSubagent)
	conform("SA-6.6", testFailureReachesParent)
	conform("SA-7.0", testSubagentNeedsNoPerson)
	conform("SA-7.1", testParentLinkage)
	conform("SA-7.2", testRegistry)
	conform("SA-7.3", testLookup)
	conform("SA-7.4", testBuiltinsAreThereWhenUseful)
	conform("SA-7.5", testMaxInstances)
	conform("SA-7.6", testExplicitIsSilent)
	conform("SA-7.7", testOptional)
	conform("SA-7.11", testArgumentMapping)
	conform("SA-7.12", testCreateWantsName)
	conform("SA-7.13", testNameIsStored)
}

func testHandoff(t *testing.T, storage record.Storage) {
	w := family(t, storage, agent.Tool{Name: "clerk", InitMessage: "topic"}, casting{
		"helper": {agenttest.Use("clerk", `{"topic":"bills","number":12345678901234567890}`)}, "clerk": {agenttest.Say("About bills, then.")}})
	w.Catalog.Agents["clerk"] = &agent.Agent{Name: "clerk", SideA: agent.Side{Prompt: "advise"}}
	direct(w, "advise", "clerk")
	id := w.Thread("helper")
	if o := w.Say(id, "hello"); o.Text != "About bills, then." {
		t.Errorf("outcome %+v", o)
	}
	if got := loaded(w, id); got.Agent != "clerk" || got.Origin != "helper" || len(kids(w, id)) != 0 ||
		!strings.Contains(string(got.Arguments), `"number":12345678901234567890`) {
		t.Errorf("the thread after the handoff: %+v", got)
	}
	if r := w.Provider.Requests(); len(r) != 2 || r[1].System != "clerk" {
		t.Errorf("%d requests, the last of %q", len(r), r[len(r)-1].System)
	}
}

func testBlockingSubagent(t *testing.T, storage record.Storage) {
	w := family(t, storage, blockingWorker, casting{
		"helper": {agenttest.Use("worker", `{"task":"dig"}`), agenttest.Say("It is dug.")},
		"worker": {agenttest.Say("Deep?"), finish("a hole")}, "critic": {agenttest.Say("Yes, deep.")}})
	id := w.Thread("helper")
	if o := w.Say(id, "have it dug"); o.Text != "It is dug." {
		t.Errorf("outcome %+v", o)
	}
	child := onlyChild(w, id)
	same(t, "the child", transcript(w.Rows(child.Reference)), `user: {"task":"dig"}`, "assistant: Deep?", "user: Yes, deep.",
		`assistant:  [finish{"text":"a hole"}]`, "tool: The tool is done; it has nothing to say.")
	result := results(w, id)[0]
	if !strings.HasPrefix(result.Content, "a hole\n") || !strings.Contains(result.Content, child.Reference) || result.Subagent != child.Reference {
		t.Errorf("the parent got %q of %q", result.Content, result.Subagent)
	}
	if len(fromChild(w, id)) != 0 {
		t.Errorf("the result came as a message as well: %q", transcript(fromChild(w, id)))
	}
	if parent := loaded(w, id); parent.Spawned != 1 {
		t.Errorf("the parent made %d threads", parent.Spawned)
	}
}

func testFailureReachesParent(t *testing.T, storage record.Storage) {
	w := family(t, storage, blockingWorker, casting{
		"helper": {agenttest.Use("worker", `{}`), agenttest.Use("worker", `{}`), agenttest.Say("Too bad.")},
		"worker": {agenttest.Use("give_up", `{"why":"rock"}`), agenttest.Say("Hm.")}, "critic": {agenttest.Use()}})
	id := w.Thread("helper")
	w.Say(id, "dig")
	rows := results(w, id)
	if rows[0].ToolStatus != agent.ToolFailed || !strings.Contains(rows[0].Content, "rock") {
		t.Errorf("the first call: %s %q", rows[0].ToolStatus, rows[0].Content)
	}
	if rows[1].ToolStatus != agent.ToolFailed || !strings.Contains(rows[1].Content, string(agent.NoAction)) {
		t.Errorf("the second call does not say how the child stopped: %s %q", rows[1].ToolStatus, rows[1].Content)
	}
}

func testSubagentNeedsNoPerson(t *testing.T, storage record.Storage) {
	w := family(t, storage, backgroundWorker, casting{
		"helper": {agenttest.Use("worker", `{}`), agenttest.Say("It works."), agenttest.Say("It is done.")},
		"worker": {agenttest.Say("one"), agenttest.Say("two"), finish("three")}, "critic": {agenttest.Say("go on"), agenttest.Say("go on")}})
	id := w.Thread("helper")
	w.Say(id, "work")
	child := onlyChild(w, id)
	if !slices.Contains(w.Env.Wakes(), child.Reference) {
		t.Errorf("the child was not woken: %v", w.Env.Wakes())
	}
	if o := run(w, child.Reference); o.Reason != agent.SessionStop {
		t.Errorf("outcome of the child %+v", o)
	}
	if o := run(w, id); o.Text != "It is done." {
		t.Errorf("outcome of the parent %+v", o)
	}
}

func testParentLinkage(t *testing.T, storage record.Storage) {
	w := family(t, storage, blockingWorker, casting{"helper": {agenttest.Use("worker", `{}`), agenttest.Say("done")},
		"worker": {agenttest.Use("digger", `{}`), finish("all")}, "digger": {agenttest.Say("dug")}})
	w.Catalog.Agents["digger"] = &agent.Agent{Name: "digger", SideA: agent.Side{Prompt: "dig"}}
	direct(w, "dig", "digger")
	worker := w.Catalog.Prompts["work"]
	worker.Tools = append(worker.Tools, agent.Tool{Name: "digger", Subagent: &agent.Subagent{}})
	id := w.Thread("helper")
	w.Say(id, "work")
	child := loaded(w, onlyChild(w, id).Reference)
	grandchild := loaded(w, onlyChild(w, child.ID).Reference)
	if child.Parent != id || child.Root != id || child.Depth != 1 {
		t.Errorf("the child is linked to %q, %q at %d", child.Parent, child.Root, child.Depth)
	}
	if grandchild.Parent != child.ID || grandchild.Root != id || grandchild.Depth != 2 {
		t.Errorf("the grandchild is linked to %q, %q at %d", grandchild.Parent, grandchild.Root, grandchild.Depth)
	}
}

func testRegistry(t *testing.T, storage record.Storage) {
	w := family(t, storage, resumableWorker(agent.Resumable{}), casting{
		"helper": {create("Ann", "dig"), agenttest.Say("ok"), agenttest.Say("good")}, "worker": {finish("a hole"), finish("another")}})
	id := w.Thread("helper")
	w.Say(id, "work")
	c := onlyChild(w, id)
	if c.Agent != "worker" || c.Name != "Ann" || c.Status != "running" || c.Resumable == nil {
		t.Errorf("the entry at first: %+v", c)
	}
	run(w, c.Reference)
	if c = onlyChild(w, id); c.Status != "idle" || c.Terminated {
		t.Errorf("the entry at last: %+v", c)
	}
	same(t, "the notes", marks(w, id), "create", "return")
}

func testLookup(t *testing.T, storage record.Storage) {
	w := family(t, storage, blockingWorker, casting{"helper": {agenttest.Use("worker", `{}`), agenttest.Say("ok")}, "worker": {finish("x")}})
	id, stranger := w.Thread("helper"), w.Thread("helper")
	w.Say(id, "work")
	reference := onlyChild(w, id).Reference
	child, err := w.State(id).Child(t.Context(), reference)
	if err != nil || child == nil || child.ID() != reference {
		t.Fatalf("the child is %v, %v", child, err)
	}
	if parent, err := child.Parent(t.Context()); err != nil || parent == nil || parent.ID() != id {
		t.Errorf("the parent is %v, %v", parent, err)
	}
	for _, s := range []*agent.State{w.State(stranger), w.State(reference)} {
		if other, err := s.Child(t.Context(), reference); err != nil || other != nil {
			t.Errorf("thread %s finds %v, %v", s.ID(), other, err)
		}
	}
	if none, err := w.State(id).Parent(t.Context()); err != nil || none != nil {
		t.Errorf("the root has the parent %v, %v", none, err)
	}
}

func testBuiltinsAreThereWhenUseful(t *testing.T, storage record.Storage) {
	w := family(t, storage, resumableWorker(agent.Resumable{}), casting{
		"helper": {agenttest.Use("subagent_message", `{"referenceId":"x","message":"m","attachments":[]}`), create("Ann", "dig"), agenttest.Say("ok"), agenttest.Say("bye")},
		"worker": {finish("a hole")}})
	id := w.Thread("helper")
	w.Say(id, "work")
	requests := w.Provider.Requests()
	same(t, "tools before", toolNames(requests[0]), "subagent_create")
	same(t, "tools with a child", toolNames(requests[2]), "subagent_create", "subagent_message")
	if first := results(w, id)[0]; first.Error == nil || first.Error.ErrorCode != "not_available" {
		t.Errorf("a message to nobody: %q", first.Content)
	}
	if err := w.Terminate(t.Context(), onlyChild(w, id).Reference, "enough"); err != nil {
		t.Fatal(err)
	}
	run(w, id)
	same(t, "tools after", toolNames(w.Provider.Requests()[3]), "subagent_create")

	w = family(t, storage, backgroundWorker, casting{"helper": {create("Ann", "dig"), agenttest.Say("no")}})
	id = w.Thread("helper")
	w.Say(id, "work")
	same(t, "tools without resumable ones", toolNames(w.Provider.Requests()[0]), "worker")
	if results(w, id)[0].ToolStatus != agent.ToolFailed {
		t.Error("subagent_create made a subagent that is not resumable")
	}
}

func testMaxInstances(t *testing.T, storage record.Storage) {
	w := family(t, storage, resumableWorker(agent.Resumable{MaxInstances: 2}), casting{
		"helper": {create("Ann", "dig"), create("Bob", "dig"), create("Cid", "dig"), agenttest.Say("ok")}})
	id := w.Thread("helper")
	w.Say(id, "work")
	refused := results(w, id)[2]
	if refused.ToolStatus != agent.ToolFailed || len(kids(w, id)) != 2 {
		t.Fatalf("the third was made: %q", refused.Content)
	}
	for _, want := range []string{"2", "subagent_message", kids(w, id)[0].Reference, kids(w, id)[1].Reference, "Ann", "Bob"} {
		if !strings.Contains(refused.Content, want) {
			t.Errorf("the advice does not have %q: %s", want, refused.Content)
		}
	}
}

func testExplicitIsSilent(t *testing.T, storage record.Storage) {
	w := family(t, storage, resumableWorker(agent.Resumable{Explicit: true}), casting{
		"helper": {create("Ann", "dig"), agenttest.Say("ok")}, "worker": {finish("a hole")}})
	id := w.Thread("helper")
	w.Say(id, "work")
	run(w, onlyChild(w, id).Reference)
	if c := onlyChild(w, id); c.Status != "idle" || c.Running {
		t.Errorf("the entry: %+v", c)
	}
	if rows := fromChild(w, id); len(rows) != 0 || slices.Contains(w.Env.Wakes(), id) {
		t.Errorf("the parent was told %q", transcript(rows))
	}
}

func testOptional(t *testing.T, storage record.Storage) {
	for value, on := range map[string]bool{"TRUE": true, "1": true, "Yes": true, " yes ": true, "0": false, "on": false, "": false, "false": false} {
		entry := agent.Tool{Name: "worker", Subagent: &agent.Subagent{Optional: "WITH_WORKER"}}
		w := family(t, storage, entry, casting{"helper": {agenttest.Use("worker", `{}`), agenttest.Say("ok")}, "worker": {finish("x")}})
		id := w.Thread("helper")
		if value != "" {
			if err := w.State(id).SetEnv(t.Context(), "WITH_WORKER", value, false); err != nil {
				t.Fatal(err)
			}
		}
		w.Say(id, "work")
		if shown := len(w.Provider.Requests()[0].Tools) == 1; shown != on {
			t.Errorf("%q: shown %v", value, shown)
		}
		if ran := len(kids(w, id)) == 1; ran != on {
			t.Errorf("%q: ran %v: %q", value, ran, results(w, id)[0].Content)
		}
	}
}

func testArgumentMapping(t *testing.T, storage record.Storage) {
	entry := agent.Tool{Name: "worker", InitMessage: "task", InitAttachments: "plans", InitName: "who", Subagent: &agent.Subagent{Background: true}}
	w := family(t, storage, entry, casting{
		"helper": {agenttest.Use("worker", `{"task":"dig","who":"Ann","plans":["/attachments/plan.txt"]}`), agenttest.Use("worker", `{"other":1}`), agenttest.Say("ok")}})
	id := w.Thread("helper")
	if err := w.State(id).WriteFile(t.Context(), "/attachments/plan.txt", []byte("deep"), "text/plain"); err != nil {
		t.Fatal(err)
	}
	w.Say(id, "work")
	for _, c := range kids(w, id) {
		rows := w.Rows(c.Reference)
		first := rows[len(rows)-1]
		switch c.Name {
		case "Ann":
			if first.Content != "dig" || len(first.Attachments) != 1 {
				t.Errorf("with a mapping the child begins with %q, %v", first.Content, first.Attachments)
			}
		case "":
			if first.Content != `{"other":1}` {
				t.Errorf("without one it begins with %q", first.Content)
			}
		default:
			t.Errorf("a child is called %q", c.Name)
		}
		if !rows[0].Silent || rows[0].Metadata["subagentInitialArguments"] == nil {
			t.Errorf("the first row of the child does not have its arguments: %+v", rows[0])
		}
	}
}

func testCreateWantsName(t *testing.T, storage record.Storage) {
	for arguments, want := range map[string]string{
		`{"agent":"worker","message":"m","attachments":[]}`:                                    `"name"`,
		`{"agent":"worker","message":"m","attachments":[],"name":"  "}`:                        `"name"`,
		`{"agent":"worker","name":"n","attachments":[]}`:                                       `"message"`,
		`{"agent":"worker","name":"n","message":"m"}`:                                          `"attachments"`,
		`{"agent":"nobody","name":"n","message":"m","attachments":[]}`:                         `"agent"`,
		`{"agent":"worker","name":"n","message":"m","attachments":["/attachments/none"]}`:      "/attachments/none",
		`{"agent":"worker","name":"n","message":"m","attachments":[],"arguments":"no object"}`: "arguments",
	} {
		w := family(t, storage, resumableWorker(agent.Resumable{}), casting{"helper": {agenttest.Use("subagent_create", arguments), agenttest.Say("ok")}})
		id := w.Thread("helper")
		w.Say(id, "work")
		if m := results(w, id)[0]; m.ToolStatus != agent.ToolFailed || !strings.Contains(m.Content, want) || len(kids(w, id)) != 0 {
			t.Errorf("%s: %q", arguments, m.Content)
		}
	}
}

func testNameIsStored(t *testing.T, storage record.Storage) {
	w := family(t, storage, resumableWorker(agent.Resumable{}), casting{"helper": {create("Ann", "dig"), agenttest.Say("ok")}})
	id := w.Thread("helper")
	w.Say(id, "work")
	child, err := w.NewRuntime("another process").Thread(t.Context(), onlyChild(w, id).Reference)
	if err != nil || child.Name != "Ann" {
		t.Errorf("the child is called %q, %v", child.Name, err)
	}
}
