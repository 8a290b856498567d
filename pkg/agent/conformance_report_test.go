package agent_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/ryeos/rye/internal/agenttest"
	"github.com/ryeos/rye/pkg/agent"
	"github.com/ryeos/rye/pkg/record"
)

func init() {
	conform("SA-8.1", testAttachmentsToChild)
	conform("SA-8.2", testChildLocalPaths)
	conform("SA-8.3", testPayloadIsQueued)
	conform("SA-8.4", testAttachmentsToParent)
	conform("SA-8.5", testMessageNamesTheChild)
	conform("SA-8.6", testExplicitEscalates)
	conform("SA-8.7", testPathsMeanNothingElsewhere)
	conform("SA-8.8", testStatusOfChild)
	conform("SA-10.4", testTerminatedInRegistry)
	conform("SA-10.5", testDoneChildIsTerminated)
	conform("X5", testDeadChildIsSettled)
	conform("X7", testEndIsToldOnce)
	conform("SA-12.3", testMarksOfChildren)
}

func testAttachmentsToChild(t *testing.T, storage record.Storage) {
	w, parent, child, path := withPlan(t, storage)
	if found, err := w.State(parent).RemoveFile(t.Context(), "/attachments/plan.txt"); err != nil || !found {
		t.Fatal(found, err)
	}
	if data, err := w.ReadFile(t.Context(), child, path); err != nil || string(data) != "deep" {
		t.Errorf("the child reads %q, %v", data, err)
	}
}

func testChildLocalPaths(t *testing.T, storage record.Storage) {
	_, _, _, path := withPlan(t, storage)
	if path == "/attachments/plan.txt" || !strings.HasPrefix(path, "/attachments/plan-") {
		t.Errorf("the child's message names %s", path)
	}
}

func testPathsMeanNothingElsewhere(t *testing.T, storage record.Storage) {
	w, parent, child, path := withPlan(t, storage)
	if data, err := w.ReadFile(t.Context(), child, "/attachments/plan.txt"); err == nil {
		t.Errorf("the child reads the parent's path: %q", data)
	}
	if data, err := w.ReadFile(t.Context(), parent, path); err == nil {
		t.Errorf("the parent reads the child's path: %q", data)
	}
}

func testPayloadIsQueued(t *testing.T, storage record.Storage) {
	w, parent, child, told := withResult(t, storage, agenttest.Use("finish", `{"text":"a hole","files":["/attachments/hole.txt"]}`))
	if !strings.Contains(told.Content, "a hole") || !told.Silent || told.Subagent != child.Reference || told.Metadata["subagent_id"] != child.Reference {
		t.Errorf("the parent was told %+v", told)
	}
	if told.Metadata["queued"] != true || !slices.Contains(w.Env.Wakes(), parent) {
		t.Errorf("it is not queued, or the parent was not woken: %+v, %v", told.Metadata, w.Env.Wakes())
	}
	_, _, child, told = withResult(t, storage, agenttest.Use("give_up", `{"why":"rock"}`))
	if !strings.Contains(told.Content, "failed") || !strings.Contains(told.Content, "rock") || child.Status != "failed" {
		t.Errorf("of a failure the parent was told %q, and the entry is %s", told.Content, child.Status)
	}
}

func testAttachmentsToParent(t *testing.T, storage record.Storage) {
	w, parent, child, told := withResult(t, storage, agenttest.Use("finish", `{"text":"a hole","files":["/attachments/hole.txt"]}`))
	if _, err := w.State(child.Reference).RemoveFile(t.Context(), "/attachments/hole.txt"); err != nil {
		t.Fatal(err)
	}
	if len(told.Attachments) != 1 || told.Attachments[0].Path == "/attachments/hole.txt" {
		t.Fatalf("attachments %+v", told.Attachments)
	}
	if data, err := w.ReadFile(t.Context(), parent, told.Attachments[0].Path); err != nil || string(data) != "empty" {
		t.Errorf("the parent reads %q, %v", data, err)
	}
}

func testMessageNamesTheChild(t *testing.T, storage record.Storage) {
	_, _, child, told := withResult(t, storage, finish("a hole"))
	for _, want := range []string{child.Reference, "Ann", "a hole"} {
		if !strings.Contains(told.Content, want) {
			t.Errorf("the message does not have %q: %s", want, told.Content)
		}
	}
}

func testExplicitEscalates(t *testing.T, storage record.Storage) {
	w := family(t, storage, resumableWorker(agent.Resumable{Explicit: true}), casting{
		"helper": {create("Ann", "dig"), agenttest.Say("ok"), agenttest.Say("I see.")}, "worker": {finish("a hole")}})
	id := w.Thread("helper")
	w.Say(id, "work")
	child := w.State(onlyChild(w, id).Reference)
	if err := child.NotifyParent(t.Context(), "There is gold."); err != nil {
		t.Fatal(err)
	}
	if err := child.SetStatus(t.Context(), "rich"); err != nil {
		t.Fatal(err)
	}
	if c := onlyChild(w, id); c.Status != "rich" {
		t.Errorf("the status is %q", c.Status)
	}
	run(w, id)
	requests := w.Provider.Requests()
	last := asked(requests[len(requests)-1])
	if said := last[len(last)-1]; !strings.Contains(said, "There is gold.") {
		t.Errorf("the parent's model saw last %q", said)
	}
	if err := child.NotifyParent(t.Context(), " "); err == nil {
		t.Error("an empty message was sent")
	}
	if err := w.State(id).NotifyParent(t.Context(), "hello?"); err != nil {
		t.Errorf("a thread without a parent: %v", err)
	}
}

func testStatusOfChild(t *testing.T, storage record.Storage) {
	w := family(t, storage, resumableWorker(agent.Resumable{}), casting{"helper": {create("Ann", "dig"), agenttest.Say("ok")},
		"worker": {agenttest.Use("progress", `{"how":"half way"}`), finish("a hole")}})
	id := w.Thread("helper")
	var meanwhile []string
	answer := w.Provider.Answer
	w.Provider.Answer = func(n int, r agent.Request) agenttest.Reply {
		if r.System == "worker" {
			meanwhile = append(meanwhile, onlyChild(w, id).Status)
		}
		return answer(n, r)
	}
	w.Say(id, "work")
	run(w, onlyChild(w, id).Reference)
	same(t, "the status before each step", meanwhile, "running", "half way")
}

func testTerminatedInRegistry(t *testing.T, storage record.Storage) {
	w := family(t, storage, resumableWorker(agent.Resumable{}), casting{"helper": {create("Ann", "dig"), agenttest.Say("ok")}})
	id := w.Thread("helper")
	w.Say(id, "work")
	reference := onlyChild(w, id).Reference
	for range 2 {
		if err := w.Terminate(t.Context(), reference, "enough"); err != nil {
			t.Fatal(err)
		}
	}
	if c := onlyChild(w, id); c.Status != "terminated" || !c.Terminated {
		t.Errorf("the entry: %+v", c)
	}
	if rows := fromChild(w, id); len(rows) != 1 || !strings.Contains(rows[0].Content, "enough") {
		t.Errorf("the parent, which waits for a result, was told %q", transcript(rows))
	}
}

func testDoneChildIsTerminated(t *testing.T, storage record.Storage) {
	w := family(t, storage, backgroundWorker, casting{"helper": {agenttest.Use("worker", `{}`), agenttest.Say("ok")}, "worker": {finish("a hole")}})
	id := w.Thread("helper")
	w.Say(id, "work")
	reference := onlyChild(w, id).Reference
	if o := run(w, reference); o.Reason != agent.SessionStop || o.Status != agent.StatusTerminated {
		t.Errorf("outcome %+v", o)
	}
	if child := loaded(w, reference); child.Terminated.IsZero() || onlyChild(w, id).Status != "terminated" {
		t.Errorf("the child is %+v, its entry %+v", child, onlyChild(w, id))
	}
	if rows := fromChild(w, id); len(rows) != 1 || !strings.Contains(rows[0].Content, "a hole") {
		t.Errorf("the parent was told %q", transcript(rows))
	}
	if _, err := w.Send(t.Context(), reference, agent.Outgoing{Content: "more"}); err == nil {
		t.Error("a terminated child takes a message")
	}
}

func testDeadChildIsSettled(t *testing.T, storage record.Storage) {
	w := family(t, storage, resumableWorker(agent.Resumable{}), casting{"helper": {create("Ann", "dig"), agenttest.Say("ok")}, "worker": {finish("a hole")}})
	id := w.Thread("helper")
	w.Say(id, "work")
	reference := onlyChild(w, id).Reference
	dies(t, w, reference)
	for range 2 {
		if settled, err := w.Reconcile(t.Context(), id); err != nil || len(settled) != 0 {
			t.Fatalf("a child that can go on was settled: %v, %v", settled, err)
		}
	}
	if wakes := w.Env.Wakes(); !slices.Contains(wakes[1:], reference) {
		t.Fatalf("the child was not woken: %v", wakes)
	}
	run(w, reference)
	if c := onlyChild(w, id); c.Status != "idle" || len(fromChild(w, id)) != 1 {
		t.Errorf("the entry is %+v, and the parent was told %q", c, transcript(fromChild(w, id)))
	}
}

func testEndIsToldOnce(t *testing.T, storage record.Storage) {
	w := family(t, storage, resumableWorker(agent.Resumable{}), casting{"helper": {create("Ann", "dig"), agenttest.Say("ok")}, "worker": {finish("a hole")}})
	id := w.Thread("helper")
	w.Say(id, "work")
	reference := onlyChild(w, id).Reference
	var racing sync.WaitGroup
	for i := range 8 {
		r := w.NewRuntime(fmt.Sprint("reconciler ", i))
		racing.Add(1)
		go func() {
			defer racing.Done()
			for range 10 {
				if _, err := r.Reconcile(t.Context(), id); err != nil {
					t.Error(err)
				}
			}
		}()
	}
	run(w, reference)
	racing.Wait()
	if rows := fromChild(w, id); len(rows) != 1 {
		t.Errorf("the parent was told %d times: %q", len(rows), transcript(rows))
	}
	// A registry that has missed the end, as if the transaction of the end had not reached it, learns of it once.
	forget(t, storage, id, reference)
	for range 3 {
		if _, err := w.Reconcile(t.Context(), id); err != nil {
			t.Fatal(err)
		}
	}
	if rows := fromChild(w, id); len(rows) != 2 {
		t.Errorf("the parent was told %d times after its registry was behind", len(rows))
	}
	if c := onlyChild(w, id); c.Running || c.Status != "idle" {
		t.Errorf("the entry: %+v", c)
	}
}

// withPlan is a parent that has sent a file to a child, and the path there.
func withPlan(t *testing.T, storage record.Storage) (w *agenttest.World, parent, child, path string) {
	w = family(t, storage, resumableWorker(agent.Resumable{}), casting{
		"helper": {agenttest.Use("subagent_create", `{"agent":"worker","name":"Ann","message":"dig","attachments":["/attachments/plan.txt"]}`), agenttest.Say("ok")}})
	parent = w.Thread("helper")
	if err := w.State(parent).WriteFile(t.Context(), "/attachments/plan.txt", []byte("deep"), "text/plain"); err != nil {
		t.Fatal(err)
	}
	w.Say(parent, "work")
	child = onlyChild(w, parent).Reference
	rows := w.Rows(child)
	if last := rows[len(rows)-1]; len(last.Attachments) == 1 {
		return w, parent, child, last.Attachments[0].Path
	}
	t.Fatalf("the child begins with %+v", rows)
	return nil, "", "", ""
}

// withResult is a parent that a background child has told its result.
func withResult(t *testing.T, storage record.Storage, replies ...agenttest.Reply) (w *agenttest.World, parent string, child agent.Child, told agent.Message) {
	w = family(t, storage, resumableWorker(agent.Resumable{}), casting{"helper": {create("Ann", "dig"), agenttest.Say("ok")}, "worker": replies})
	parent = w.Thread("helper")
	w.Say(parent, "work")
	child = onlyChild(w, parent)
	if err := w.State(child.Reference).WriteFile(t.Context(), "/attachments/hole.txt", []byte("empty"), "text/plain"); err != nil {
		t.Fatal(err)
	}
	run(w, child.Reference)
	rows := fromChild(w, parent)
	if len(rows) != 1 {
		t.Fatalf("the parent was told %q", transcript(w.Rows(parent)))
	}
	return w, parent, onlyChild(w, parent), rows[0]
}

// dies leaves the child as a process that is killed in the middle of a step does.
func dies(t *testing.T, w *agenttest.World, child string) {
	t.Helper()
	corpse := w.NewRuntime("dead")
	w.Env.OwnerAlive = func(owner string) bool { return owner != "dead" }
	answer := w.Provider.Answer
	w.Provider.Answer = func(int, agent.Request) agenttest.Reply { panic("killed") }
	func() {
		defer func() { _ = recover() }()
		_, _ = corpse.Run(t.Context(), child)
	}()
	w.Provider.Answer = answer
}

// forget takes a registry back to where the child had just begun.
func forget(t *testing.T, storage record.Storage, parent, child string) {
	t.Helper()
	key := record.Key{Thread: parent, Bucket: "child", Name: child}
	err := storage.Update(t.Context(), func(tx record.Tx) error {
		document, err := tx.Get(key)
		if err != nil {
			return err
		}
		var c agent.Child
		if err := json.Unmarshal(document, &c); err != nil {
			return err
		}
		c.Told, c.Running, c.Status = 0, true, "running"
		if document, err = json.Marshal(&c); err != nil {
			return err
		}
		return tx.Put(key, document)
	})
	if err != nil {
		t.Fatal(err)
	}
}

// marks are what is noted of the children of a thread.
func marks(w *agenttest.World, thread string) []string {
	var happened []string
	for _, m := range w.Rows(thread) {
		if m.Metadata["status_kind"] == "subagent_event" {
			happened = append(happened, fmt.Sprint(m.Metadata["subagent_event"]))
		}
	}
	return happened
}

func testMarksOfChildren(t *testing.T, storage record.Storage) {
	w := family(t, storage, resumableWorker(agent.Resumable{}), casting{"helper": {create("Ann", "dig"), agenttest.Say("ok")},
		"worker": {agenttest.Use("progress", `{"how":"half way"}`), finish("a hole"), agenttest.Use("give_up", `{"why":"rock"}`)}})
	id := w.Thread("helper")
	w.Say(id, "work")
	child := onlyChild(w, id).Reference
	run(w, child)
	w.Provider.Answer = lastCall(w, &id, "deeper", agenttest.Say("sent"))
	run(w, id)
	w.Provider.Answer = casting{"worker": {agenttest.Use("give_up", `{"why":"rock"}`)}}.provider().Answer
	run(w, child)
	if err := w.Terminate(t.Context(), child, "enough"); err != nil {
		t.Fatal(err)
	}
	same(t, "the marks", marks(w, id), "create", "status", "return", "message", "failure", "terminated")
	changes := 0
	for _, e := range w.Env.Events() {
		if e.Type == agent.SubagentChanged && e.Child == child && e.Thread == id {
			changes++
		}
	}
	if changes != 6 {
		t.Errorf("listeners heard of %d changes", changes)
	}
}
