package agent_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/ryeos/rye/internal/agenttest"
	"github.com/ryeos/rye/pkg/agent"
	"github.com/ryeos/rye/pkg/record"
)

func message(reference, text string) agenttest.Reply {
	return agenttest.Use("subagent_message", fmt.Sprintf(`{"referenceId":%q,"message":%q,"attachments":[]}`, reference, text))
}

// lastCall answers for the helper with a call of the child that is there.
func lastCall(w *agenttest.World, parent *string, text string, then agenttest.Reply) func(int, agent.Request) agenttest.Reply {
	called, answer := false, w.Provider.Answer
	return func(n int, r agent.Request) agenttest.Reply {
		switch {
		case r.System != "helper" || len(kids(w, *parent)) == 0:
			return answer(n, r)
		case called:
			return then
		}
		called = true
		return message(onlyChild(w, *parent).Reference, text)
	}
}

func TestSubagentMessage(t *testing.T) {
	for receives, want := range map[string]string{"side_a": "user: deeper", "side_b": "assistant: deeper"} {
		w := family(t, record.NewMemory(), resumableWorker(agent.Resumable{Receives: receives}), casting{
			"helper": {create("Ann", "dig")}, "worker": {finish("a hole"), finish("a well")}, "critic": {agenttest.Say("Go on.")}})
		id := w.Thread("helper")
		w.Provider.Answer = lastCall(w, &id, "deeper", agenttest.Say("ok"))
		w.Say(id, "work")
		child := onlyChild(w, id).Reference
		run(w, child)
		if got := strings.Join(transcript(w.Rows(child)), "\n"); !strings.Contains(got, want) {
			t.Errorf("%s: %s", receives, got)
		}
	}
}

func TestSubagentMessageWakesAnIdleChild(t *testing.T) {
	w := family(t, record.NewMemory(), resumableWorker(agent.Resumable{}), casting{
		"helper": {create("Ann", "dig"), agenttest.Say("ok"), agenttest.Say("fine")}, "worker": {finish("a hole"), finish("a well")}})
	id := w.Thread("helper")
	w.Say(id, "work")
	child := onlyChild(w, id).Reference
	run(w, child)
	run(w, id)
	w.Provider.Answer = lastCall(w, &id, "deeper", agenttest.Say("sent"))
	w.Say(id, "again")
	if c := onlyChild(w, id); !c.Running || c.Status != "running" {
		t.Errorf("the entry of a child with a new task: %+v", c)
	}
	w.Provider.Answer = casting{"worker": {finish("a well")}}.provider().Answer
	run(w, child)
	if rows := fromChild(w, id); len(rows) != 2 || !strings.Contains(rows[1].Content, "a well") {
		t.Errorf("the parent was told %q", transcript(rows))
	}
}

func TestSubagentMessageToNobody(t *testing.T) {
	w := family(t, record.NewMemory(), resumableWorker(agent.Resumable{}), casting{
		"helper": {create("Ann", "dig"), message("nobody", "hello"), agenttest.Say("ok")}})
	id := w.Thread("helper")
	w.Say(id, "work")
	refused := results(w, id)[1]
	if refused.Error == nil || refused.Error.ErrorCode != "unknown_subagent" || !strings.Contains(refused.Content, onlyChild(w, id).Reference) {
		t.Errorf("%q", refused.Content)
	}
}

func TestBlockingSingleInstanceIsContinued(t *testing.T) {
	entry := resumableWorker(agent.Resumable{MaxInstances: 1})
	entry.Subagent.Background = false
	w := family(t, record.NewMemory(), entry, casting{
		"helper": {create("Ann", "dig"), create("Ann", "deeper"), agenttest.Say("ok")}, "worker": {finish("a hole"), finish("a well")}})
	id := w.Thread("helper")
	w.Say(id, "work")
	child := onlyChild(w, id)
	rows := results(w, id)
	if len(rows) != 2 || !strings.HasPrefix(rows[0].Content, "a hole") || !strings.HasPrefix(rows[1].Content, "a well") {
		t.Errorf("results %q", transcript(rows))
	}
	if child.Status != "idle" || len(fromChild(w, id)) != 0 {
		t.Errorf("the entry is %+v, messages %q", child, transcript(fromChild(w, id)))
	}
}

func TestLimitsOfChildren(t *testing.T) {
	for _, c := range []struct {
		name   string
		limits agent.Limits
		made   int
	}{
		{"depth", agent.Limits{Depth: 1}, 3}, // of the parent: its children may have none
		{"spawns", agent.Limits{Spawns: 2}, 2},
		{"concurrent", agent.Limits{Concurrent: 2}, 2},
		{"threads", agent.Limits{Threads: 2}, 1},
		{"turns_exceeded", agent.Limits{Steps: 2}, 1},
	} {
		w := family(t, record.NewMemory(), backgroundWorker, casting{
			"helper": {agenttest.Use("worker", `{}`), agenttest.Use("worker", `{}`), agenttest.Use("worker", `{}`), agenttest.Say("ok")}})
		thread, err := w.Create(t.Context(), agent.NewThread{Agent: "helper", Limits: c.limits})
		if err != nil {
			t.Fatal(err)
		}
		w.Say(thread.ID, "work")
		if n := len(kids(w, thread.ID)); n != c.made {
			t.Errorf("%s: %d children", c.name, n)
		}
		for i, m := range results(w, thread.ID) {
			if refused := m.ToolStatus == agent.ToolFailed; refused != (i >= c.made) || refused && !strings.Contains(m.Content, c.name) {
				t.Errorf("%s: call %d: %q", c.name, i, m.Content)
			}
		}
	}
}

func TestDepthOfChildren(t *testing.T) {
	w := family(t, record.NewMemory(), blockingWorker, casting{"helper": {agenttest.Use("worker", `{}`), agenttest.Say("ok")},
		"worker": {agenttest.Use("worker", `{}`), finish("alone")}})
	work := w.Catalog.Prompts["work"]
	work.Tools = append(work.Tools, blockingWorker)
	thread, err := w.Create(t.Context(), agent.NewThread{Agent: "helper", Limits: agent.Limits{Depth: 1}})
	if err != nil {
		t.Fatal(err)
	}
	w.Say(thread.ID, "work")
	child := onlyChild(w, thread.ID).Reference
	if refused := results(w, child)[0]; len(kids(w, child)) != 0 || !strings.Contains(refused.Content, "depth") {
		t.Errorf("the child's call: %q", refused.Content)
	}
}

func TestChildrenGetWhatIsLeft(t *testing.T) {
	spend := func(r agenttest.Reply, tokens int64) agenttest.Reply {
		r.Usage = agent.Usage{Input: tokens}
		return r
	}
	w := family(t, record.NewMemory(), blockingWorker, casting{
		"helper": {spend(agenttest.Use("worker", `{}`), 30), spend(agenttest.Use("worker", `{}`), 10)}, "worker": {spend(finish("a"), 50)}})
	thread, err := w.Create(t.Context(), agent.NewThread{Agent: "helper", Limits: agent.Limits{Tokens: 90, Steps: 10}})
	if err != nil {
		t.Fatal(err)
	}
	o := w.Say(thread.ID, "work")
	child, parent := loaded(w, onlyChild(w, thread.ID).Reference), loaded(w, thread.ID)
	if child.Limits.Tokens != 60 || child.Limits.Steps != 9 {
		t.Errorf("the child may use %+v", child.Limits)
	}
	if parent.Usage.Input != 40 || parent.Below.Input != 50 {
		t.Errorf("the parent has used %+v and below %+v", parent.Usage, parent.Below)
	}
	if refused := results(w, thread.ID)[1]; !strings.Contains(refused.Content, "tokens_exceeded") || o.Reason != agent.LimitExceeded {
		t.Errorf("after that: %q, %+v", refused.Content, o)
	}
}

func TestTerminalToolWithMissingFile(t *testing.T) {
	w := family(t, record.NewMemory(), blockingWorker, casting{"helper": {agenttest.Use("worker", `{}`), agenttest.Say("ok")},
		"worker": {agenttest.Use("finish", `{"text":"a","files":["/attachments/none.txt"]}`), agenttest.Use("finish", `{"text":"b","files":"none"}`), finish("c")}})
	id := w.Thread("helper")
	w.Say(id, "work")
	rows := results(w, onlyChild(w, id).Reference)
	if len(rows) != 3 || rows[0].ToolStatus != agent.ToolFailed || rows[1].ToolStatus != agent.ToolFailed || !strings.Contains(rows[0].Content, "/attachments/none.txt") {
		t.Errorf("the child's calls: %q", transcript(rows))
	}
	if got := results(w, id)[0].Content; !strings.HasPrefix(got, "c\n") {
		t.Errorf("the parent got %q", got)
	}
}

func TestChildThatDoesNotUseItsTool(t *testing.T) {
	w := family(t, record.NewMemory(), blockingWorker, casting{"helper": {agenttest.Use("worker", `{}`), agenttest.Say("ok")},
		"worker": {agenttest.Say("I am done.")}})
	w.Catalog.Agents["worker"].Kind = agent.Human
	w.Catalog.Prompts["helper"].Tools[0].Subagent = &agent.Subagent{}
	id := w.Thread("helper")
	w.Say(id, "work")
	if m := results(w, id)[0]; m.ToolStatus != agent.ToolFailed || !strings.Contains(m.Content, "stop_on_response") || !strings.Contains(m.Content, "I am done.") {
		t.Errorf("%q", m.Content)
	}
}

// working is a parent with a child that waits in its first answer; ended gets the outcome of the parent.
func working(t *testing.T, entry agent.Tool) (w *agenttest.World, id string, ended chan *agent.Outcome) {
	t.Helper()
	asking := make(chan struct{})
	w = family(t, record.NewMemory(), entry, casting{"helper": {agenttest.Use("worker", `{}`), agenttest.Say("ok")},
		"worker": {{Text: "never", Wait: func(ctx context.Context) { close(asking); <-ctx.Done() }}}})
	id = w.Thread("helper")
	ended = say(w, id, "work")
	<-asking
	return w, id, ended
}

func TestStopReachesTheRunningChild(t *testing.T) {
	w, id, ended := working(t, blockingWorker)
	if err := w.Stop(t.Context(), id, "enough"); err != nil {
		t.Fatal(err)
	}
	if o := <-ended; o.Reason != agent.AbortedByUser {
		t.Errorf("the parent: %+v", o)
	}
	child := loaded(w, onlyChild(w, id).Reference)
	if child.Terminated.IsZero() || child.Session.Active || child.Session.Reason != agent.WasTerminated {
		t.Errorf("the child: %+v", child)
	}
	if c := onlyChild(w, id); c.Running || !c.Terminated || len(fromChild(w, id)) != 0 {
		t.Errorf("the entry: %+v, messages %q", c, transcript(fromChild(w, id)))
	}
	if m := results(w, id)[0]; m.ToolStatus != agent.ToolFailed {
		t.Errorf("the call: %q", m.Content)
	}
}

func TestTerminateReachesTheTree(t *testing.T) {
	w, id, ended := working(t, blockingWorker)
	if err := w.NewRuntime("another process").Terminate(t.Context(), id, "enough"); err != nil {
		t.Fatal(err)
	}
	for len(ended) == 0 {
		w.Clock.Advance(agent.Heartbeat / 10) // the flows look what others want
		runtime.Gosched()
	}
	if o := <-ended; o.Reason != agent.WasTerminated {
		t.Errorf("the parent: %+v", o)
	}
	child := loaded(w, onlyChild(w, id).Reference)
	if child.Terminated.IsZero() || child.Session.Active {
		t.Errorf("the child: %+v", child)
	}
	if pending, err := w.Pending(t.Context()); err != nil || len(pending) != 0 {
		t.Errorf("pending %v, %v", pending, err)
	}
}

func TestFailedParentTakesItsChildrenAlong(t *testing.T) {
	w := family(t, record.NewMemory(), resumableWorker(agent.Resumable{}), casting{
		"helper": {create("Ann", "dig"), agenttest.Say("ok"), create("Bob", "dig"), {Err: errors.New("no")}}, "worker": {finish("a hole")}})
	id := w.Thread("helper")
	w.Say(id, "work")
	ann := onlyChild(w, id).Reference
	run(w, ann)
	if o := run(w, id); o.Status != agent.StatusFailed {
		t.Fatalf("the parent: %+v", o)
	}
	for _, c := range kids(w, id) {
		if c.Terminated != (c.Name == "Bob") || c.Running {
			t.Errorf("%s: %+v", c.Name, c)
		}
		if child := loaded(w, c.Reference); child.Terminated.IsZero() != (c.Name == "Ann") {
			t.Errorf("the thread of %s: %+v", c.Name, child)
		}
	}
	if pending, err := w.Pending(t.Context()); err != nil || len(pending) != 0 {
		t.Errorf("pending %v, %v", pending, err)
	}
}

func TestChildOutlivesTheSessionOfItsParent(t *testing.T) {
	w := family(t, record.NewMemory(), backgroundWorker, casting{"helper": {agenttest.Use("worker", `{}`), agenttest.Say("ok"), agenttest.Say("thanks")}, "worker": {finish("a hole")}})
	id := w.Thread("helper")
	if o := w.Say(id, "work"); o.Reason != agent.StopOnResponse {
		t.Fatalf("the parent: %+v", o)
	}
	run(w, onlyChild(w, id).Reference)
	if o := run(w, id); o.Text != "thanks" {
		t.Errorf("the parent: %+v", o)
	}
}

func TestInterruptedParentHearsOfItsChildLater(t *testing.T) {
	asking, ctx := make(chan struct{}), t.Context()
	w := family(t, record.NewMemory(), blockingWorker, casting{"helper": {agenttest.Use("worker", `{}`), agenttest.Say("Where is it?"), agenttest.Say("There.")},
		"worker": {{Text: "never", Wait: func(ctx context.Context) { close(asking); <-ctx.Done() }}, finish("a hole")}})
	id := w.Thread("helper")
	send(w, id, "work")
	host, cancel := context.WithCancel(ctx)
	failed := make(chan error)
	go func() {
		_, err := w.Run(host, id)
		failed <- err
	}()
	<-asking
	cancel()
	if err := <-failed; err == nil {
		t.Fatal("a run that was interrupted has an outcome")
	}
	child := onlyChild(w, id)
	if !child.Running || !loaded(w, child.Reference).Session.Active {
		t.Fatalf("the interrupted child: %+v", child)
	}
	run(w, id)
	run(w, child.Reference)
	if o := run(w, id); o.Text != "There." {
		t.Errorf("the parent: %+v", o)
	}
	if rows := fromChild(w, id); len(rows) != 1 || !strings.Contains(rows[0].Content, "a hole") {
		t.Errorf("the parent was told %q", transcript(rows))
	}
}

func TestReconcileGivesUpWhatIsGone(t *testing.T) {
	storage := record.NewMemory()
	w := family(t, storage, resumableWorker(agent.Resumable{}), casting{"helper": {create("Ann", "dig"), agenttest.Say("ok")}})
	id := w.Thread("helper")
	w.Say(id, "work")
	reference := onlyChild(w, id).Reference
	err := storage.Update(t.Context(), func(tx record.Tx) error {
		return tx.Delete(record.Key{Thread: reference, Bucket: "thread", Name: "the"})
	})
	if err != nil {
		t.Fatal(err)
	}
	for i := range 2 {
		settled, err := w.Reconcile(t.Context(), id)
		if err != nil || len(settled) != 1-i {
			t.Errorf("round %d settled %v, %v", i, settled, err)
		}
	}
	if rows := fromChild(w, id); len(rows) != 1 || !strings.Contains(rows[0].Content, "gone") {
		t.Errorf("the parent was told %q", transcript(rows))
	}
}
