package agent_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"

	"github.com/ryeos/rye/internal/agenttest"
	"github.com/ryeos/rye/pkg/agent"
	"github.com/ryeos/rye/pkg/record"
)

// atWork reports whether the storage says that somebody runs a thread.
func (w *mortal) atWork(thread string) (yes bool) {
	err := w.Storage.View(w.T.Context(), func(tx record.Reader) error {
		flow, err := tx.Get(record.Key{Thread: thread, Bucket: "flow", Name: "the"})
		yes = flow != nil
		return err
	})
	if err != nil {
		w.T.Error(err)
	}
	return yes
}

// What is sent while a flow gives itself up is nobody's but the sender's: the flow has looked at the queue for the last time.
func TestDeliverToThreadThatIsLeaving(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := mortalWorld(t, record.NewMemory(), agenttest.Script(agenttest.Say("one"), agenttest.Say("two")), nil)
		id := w.Thread("helper")
		second := make(chan *agent.Outcome, 1)
		w.probe.after = func(int) {
			if len(w.Provider.Requests()) == 0 || w.atWork(id) {
				return
			}
			w.probe.after = nil
			go func() { second <- w.Say(id, "2") }()
			synctest.Wait() // it has come as far as it can
		}
		if o := w.Say(id, "1"); o.Text != "one" {
			t.Errorf("outcome %+v", o)
		}
		if o := <-second; o == nil || o.Text != "two" {
			t.Errorf("outcome %+v", o)
		}
	})
}

// A Stop that a person has taken back before it reached anybody ends nothing.
func TestStopThatWasTakenBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := mortalWorld(t, record.NewMemory(), agenttest.Script(agenttest.Say("yes")), nil)
		id := w.Thread("helper")
		asking, answering := make(chan struct{}), make(chan struct{})
		answer := w.Provider.Answer
		w.Provider.Answer = func(n int, r agent.Request) agenttest.Reply {
			close(asking)
			<-answering
			return answer(n, r)
		}
		ended := make(chan *agent.Outcome, 1)
		w.probe.after = func(int) { // the Stop is stored, and nobody has been told
			w.probe.after = nil
			go func() { ended <- w.Say(id, "hello") }()
			<-asking
		}
		if err := w.Stop(t.Context(), id, "enough"); err != nil {
			t.Fatal(err)
		}
		close(answering)
		if o := <-ended; o.Text != "yes" {
			t.Errorf("outcome %+v", o)
		}
	})
}

// interrupting is a storage that is interrupted once, and says so in its own words.
type interrupting struct {
	record.Storage
	during func()
}

func (s *interrupting) View(ctx context.Context, f func(record.Reader) error) error {
	during := s.during
	if s.during = nil; during == nil {
		return s.Storage.View(ctx, f)
	}
	during()
	<-ctx.Done()
	return errors.New("interrupted")
}

// A Stop counts even if it comes while the storage is read.
func TestStopDuringRead(t *testing.T) {
	storage := &interrupting{Storage: record.NewMemory()}
	w := agenttest.New(t, storage, nil, nil)
	id := w.Thread("helper")
	w.Provider = &agenttest.Provider{Answer: func(int, agent.Request) agenttest.Reply {
		storage.during = func() {
			if err := w.Stop(t.Context(), id, "enough"); err != nil {
				t.Error(err)
			}
		}
		return agenttest.Say("never")
	}}
	w.Runtime = w.NewRuntime("owner")
	if o := w.Say(id, "hello"); o.Reason != agent.AbortedByUser || o.Status != agent.StatusStopped {
		t.Errorf("outcome %+v", o)
	}
}
