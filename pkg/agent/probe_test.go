package agent_test

import (
	"context"
	"errors"
	"sync"
	"testing"

	"github.com/ryeos/rye/internal/agenttest"
	"github.com/ryeos/rye/pkg/agent"
	"github.com/ryeos/rye/pkg/record"
)

// probe is a storage that tells of its transactions, and that can die like the process that has it open: a panic leaves
// whatever is on the way, and nothing is written any more.
type probe struct {
	record.Storage
	before, after func(n int) // the n-th Update, from 1

	mu      sync.Mutex
	updates int
	dead    bool
}

type death struct{}

var errDead = errors.New("the process is dead")

func (p *probe) Update(ctx context.Context, f func(record.Tx) error) error {
	p.mu.Lock()
	if p.dead {
		p.mu.Unlock()
		return errDead
	}
	p.updates++
	n, before, after := p.updates, p.before, p.after
	p.mu.Unlock()
	if before != nil {
		before(n)
	}
	err := p.Storage.Update(ctx, f)
	if err == nil && after != nil {
		after(n)
	}
	return err
}

// die ends the process that has the storage open.
func (p *probe) die() {
	p.mu.Lock()
	p.dead = true
	p.mu.Unlock()
	panic(death{})
}

// dieNext makes the next Update the last thing that the process tries.
func (p *probe) dieNext() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.before = func(int) { p.die() }
}

// mortal is a world whose process can die.
type mortal struct {
	*agenttest.World
	probe *probe
}

func mortalWorld(t *testing.T, storage record.Storage, p *agenttest.Provider, fs tools) *mortal {
	t.Helper()
	probe := &probe{Storage: storage}
	return &mortal{agenttest.New(t, probe, p, fs), probe}
}

// outside is another process, which does not die.
func (w *mortal) outside() *agenttest.World {
	other := *w.World
	other.Storage = w.probe.Storage
	other.Runtime = other.NewRuntime("outside")
	return &other
}

// runUntilDeath runs a thread; the process has to die.
func (w *mortal) runUntilDeath(thread string) {
	w.T.Helper()
	defer func() {
		if v := recover(); v != nil && v != (death{}) {
			panic(v)
		}
		if !w.probe.dead {
			w.T.Fatal("the process lives")
		}
	}()
	_, _ = w.Run(context.Background(), thread) // a tool that died is an error of the storage
}

// resume runs a thread in a new process, which knows that the first is gone.
func (w *mortal) resume(thread string) *agent.Outcome {
	w.T.Helper()
	w.Storage = w.probe.Storage
	w.Env.OwnerAlive = func(owner string) bool { return owner == "heir" }
	w.Runtime = w.NewRuntime("heir")
	o, err := w.Run(context.Background(), thread)
	if err != nil {
		w.T.Fatal(err)
	}
	return o
}

// send queues a message of the user without running the thread.
func send(w *agenttest.World, thread, text string) {
	w.T.Helper()
	if _, err := w.Send(context.Background(), thread, agent.Outgoing{Content: text}); err != nil {
		w.T.Fatal(err)
	}
}
