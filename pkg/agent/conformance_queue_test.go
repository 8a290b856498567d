package agent_test

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/ryeos/rye/internal/agenttest"
	"github.com/ryeos/rye/pkg/agent"
	"github.com/ryeos/rye/pkg/record"
)

func init() {
	conform("SA-9.2", testActiveThreadSeesQueue)
	conform("SA-9.3", testIdleThreadTakesTurn)
	conform("SA-9.4", testFirstComeFirstServed)
	conform("SA-11.1", testOneFlowPerThread)
	conform("SA-11.2", testThreadsBesideEachOther)
	conform("X4", testNoModelAnswers)
	conform("X6", testStoppedThread)
}

func testActiveThreadSeesQueue(t *testing.T, storage record.Storage) {
	w := steered(t, storage)
	w.Catalog.Prompts["helper"].IncludeChat, w.Catalog.Prompts["helper"].IncludePastTools = false, false
	id := w.Thread("helper")
	w.Say(id, "go")
	same(t, "the second request", asked(w.Provider.Requests()[1]), "user: go", "assistant:  [note{}]", "tool: noted", "user: hurry")
	if !slices.ContainsFunc(w.Env.Events(), func(e agent.Event) bool { return e.Type == agent.UserSteered && e.Text == "hurry" }) {
		t.Error("there is no event of the message")
	}
}

func testIdleThreadTakesTurn(t *testing.T, storage record.Storage) {
	for role, system := range map[agent.Role]string{agent.User: "You ask.", agent.Assistant: "You answer."} {
		w := talkers(t, storage, agenttest.Use("finish", `{}`))
		w.Catalog.Prompts["answerer"].Tools = []agent.Tool{{Name: "finish"}}
		w.Catalog.Agents["talkers"].SideB.SessionStop = agent.Binding{Tool: "finish"}
		id := w.Thread("talkers")
		for _, text := range []string{"1", "2"} {
			if _, err := w.Send(t.Context(), id, agent.Outgoing{Role: role, Content: text}); err != nil {
				t.Fatal(err)
			}
		}
		pending, err := w.Pending(t.Context())
		if err != nil || !slices.Contains(pending, id) || !slices.Contains(w.Env.Wakes(), id) {
			t.Errorf("pending %q, woken %q, %v", pending, w.Env.Wakes(), err)
		}
		if o := run(w, id); o.Reason != agent.SessionStop {
			t.Errorf("outcome %+v", o)
		}
		r := w.Provider.Requests()[0]
		same(t, "the request", append(asked(r), r.System), "user: 1", "user: 2", system)
		if pending, err = w.Pending(t.Context()); err != nil || slices.Contains(pending, id) {
			t.Errorf("still pending: %q, %v", pending, err)
		}
	}
}

func testFirstComeFirstServed(t *testing.T, storage record.Storage) {
	w := agenttest.New(t, storage, agenttest.Script(agenttest.Say("done")), nil)
	id := w.Thread("helper")
	senders := []*agent.Runtime{w.Runtime, w.NewRuntime("other")}
	var want []string
	for i := range 40 { // more than one digit in the base of names
		text := fmt.Sprint(i)
		if _, err := senders[i%2].Send(t.Context(), id, agent.Outgoing{Content: text}); err != nil {
			t.Fatal(err)
		}
		want = append(want, "user: "+text)
	}
	run(w, id)
	same(t, "the request", asked(w.Provider.Requests()[0]), want...)
}

func testOneFlowPerThread(t *testing.T, storage record.Storage) {
	t.Run("many processes", func(t *testing.T) { manyProcesses(t, storage) })
	t.Run("one that was asleep", func(t *testing.T) { sleepyProcess(t, storage) })
}

// sleepyProcess takes a thread over whose process is silent for too long, and then it wakes up.
func sleepyProcess(t *testing.T, storage record.Storage) {
	w, asking, release := blocked(t, storage, agenttest.Use("note", `{}`), agenttest.Say("taken over"))
	id := w.Thread("helper")
	send(w, id, "go")
	ended := make(chan error)
	go func() {
		_, err := w.Run(context.Background(), id)
		ended <- err
	}()
	<-asking
	other := w.NewRuntime("other")
	if _, err := other.Run(t.Context(), id); !errors.Is(err, agent.ErrBusy) {
		t.Errorf("a thread whose process lives was taken over: %v", err)
	}
	w.Env.OwnerAlive = func(owner string) bool { return owner != "owner" }
	if o, err := other.Run(t.Context(), id); err != nil || o.Text != "taken over" {
		t.Errorf("outcome %+v, %v", o, err)
	}
	before := w.Rows(id)
	release()
	if err := <-ended; err == nil || !strings.Contains(err.Error(), "another process has taken the thread over") {
		t.Errorf("the process that was asleep: %v", err)
	}
	if after := w.Rows(id); !reflect.DeepEqual(after, before) {
		t.Errorf("it has changed the thread from\n%q to\n%q", transcript(before), transcript(after))
	}
}

func manyProcesses(t *testing.T, storage record.Storage) {
	p := &agenttest.Provider{Answer: func(_ int, r agent.Request) agenttest.Reply {
		if last := r.Messages[len(r.Messages)-1]; last.Role == agent.User {
			return agenttest.Use("note", `{}`)
		}
		return agenttest.Say("done")
	}}
	w := agenttest.New(t, storage, p, tools{"note": done("noted")})
	id := w.Thread("helper")
	runtimes := []*agent.Runtime{w.Runtime, w.NewRuntime("second"), w.NewRuntime("third")}
	rounds := 50
	if testing.Short() {
		rounds = 10
	}
	for n := range rounds {
		var all sync.WaitGroup
		for _, r := range runtimes {
			all.Go(func() {
				if _, err := r.Deliver(t.Context(), id, agent.Outgoing{Content: fmt.Sprint(n)}); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
	}
	if _, err := w.Run(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	if n := p.Overlaps(); n != 0 {
		t.Errorf("%d requests of the thread while it was being answered", n)
	}
	sent := 0
	for _, m := range w.Rows(id) {
		if m.Role == agent.User {
			sent++
		}
	}
	if sent != rounds*len(runtimes) {
		t.Errorf("%d messages arrived of %d", sent, rounds*len(runtimes))
	}
	paired(t, p.Requests())
}

func testThreadsBesideEachOther(t *testing.T, storage record.Storage) {
	var meet sync.WaitGroup
	meet.Add(2)
	p := &agenttest.Provider{Answer: func(int, agent.Request) agenttest.Reply {
		reply := agenttest.Say("met")
		reply.Wait = func(context.Context) {
			meet.Done()
			meet.Wait()
		}
		return reply
	}}
	w := agenttest.New(t, storage, p, nil)
	first, second := say(w, w.Thread("helper"), "1"), say(w, w.Thread("helper"), "2")
	if a, b := <-first, <-second; a.Text != "met" || b.Text != "met" {
		t.Errorf("outcomes %+v, %+v", a, b)
	}
}

func testNoModelAnswers(t *testing.T, storage record.Storage) {
	w := agenttest.New(t, storage, nil, nil)
	busy := &agent.ProviderError{Type: "overloaded", Retry: true, Err: errors.New("too many requests")}
	w.Provider = agenttest.Script(agenttest.Reply{Err: busy}, agenttest.Reply{Err: busy}, agenttest.Reply{Err: busy}, agenttest.Reply{Err: busy}, agenttest.Say("yes"))
	w.Runtime = w.NewRuntime("owner")
	ctx, enough := context.WithCancel(t.Context())
	defer enough()
	go w.Clock.Pass(ctx)
	id := w.Thread("helper")
	script := w.Provider.Answer
	w.Provider.Answer = func(n int, r agent.Request) agenttest.Reply {
		if n == 0 {
			send(w, id, "are you there?")
		}
		return script(n, r)
	}
	o := w.Say(id, "hello")
	if o.Reason != agent.StepError || o.Status != agent.StatusFailed || o.Error != "too many requests" {
		t.Errorf("outcome %+v", o)
	}
	same(t, "the thread", transcript(w.Rows(id)), "user: hello", "assistant: too many requests (failed)", "user: are you there? (pending)")
	if pending, err := w.Pending(t.Context()); err != nil || !slices.Contains(pending, id) {
		t.Errorf("pending %q, %v", pending, err)
	}
	if o = run(w, id); o.Text != "yes" {
		t.Errorf("outcome %+v", o)
	}
	same(t, "the request", asked(w.Provider.Requests()[4]), "user: hello", "user: are you there?")
}

func testStoppedThread(t *testing.T, storage record.Storage) {
	w, asking, _ := blocked(t, storage, agenttest.Say("never"), agenttest.Say("yes"))
	id := w.Thread("helper")
	ended := say(w, id, "hello")
	<-asking
	other := w.NewRuntime("other")
	if err := other.Stop(t.Context(), id, "enough"); err != nil {
		t.Fatal(err)
	}
	ctx, enough := context.WithCancel(t.Context())
	defer enough()
	go w.Clock.Pass(ctx) // the flow looks once in a second
	if o := <-ended; o.Reason != agent.AbortedByUser || o.Status != agent.StatusStopped {
		t.Errorf("outcome %+v", o)
	}
	if _, err := other.State(id).Queue(t.Context(), agent.Outgoing{Content: "a tool says"}); err != nil {
		t.Fatal(err)
	}
	if o := run(w, id); o.Reason != agent.AbortedByUser || len(w.Provider.Requests()) != 1 {
		t.Errorf("a stopped thread ran: %+v", o)
	}
	if pending, err := w.Pending(t.Context()); err != nil || slices.Contains(pending, id) {
		t.Errorf("pending %q, %v", pending, err)
	}
	if o := w.Say(id, "go on"); o.Text != "yes" {
		t.Errorf("outcome %+v", o)
	}
	same(t, "the request", asked(w.Provider.Requests()[1]), "user: hello", "user: a tool says", "user: go on")
}
