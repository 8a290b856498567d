//go:build unix

package agenttest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"syscall"
	"time"

	"github.com/ryeos/rye/pkg/agent"
	"github.com/ryeos/rye/pkg/record"
)

func init() { roles["fence"] = playFence }

const (
	fenceThread = "fence"
	fenceSpeed  = 100 // so that a heartbeat is missed soon
)

// CheckFence stops a process in the middle of a step until another one has taken its thread over, and lets it go on then:
// it must not be able to write, and the thread must be as if it had died.
func CheckFence(dir string, start Start) error {
	store, err := open(dir)
	if err != nil {
		return err
	}
	defer store.Close()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	r, err := fenceRuntime(store.Records(), Script(Say("the second")))
	if err != nil {
		return err
	}
	if _, err := r.Create(ctx, agent.NewThread{ID: fenceThread, Agent: "helper"}); err != nil {
		return err
	}
	if _, err := r.Send(ctx, fenceThread, agent.Outgoing{Content: "hello"}); err != nil {
		return err
	}
	wait, err := start(roleVariable+"=fence", set("DIR", dir))
	if err != nil {
		return err
	}
	pid, err := stoppedChild(ctx, filepath.Join(dir, "asking"))
	if err != nil {
		return errors.Join(err, wait())
	}
	outcome, takeover := takeOver(ctx, r)
	appendLine(filepath.Join(dir, "taken"), "by another")
	if err := syscall.Kill(pid, syscall.SIGCONT); err != nil {
		return errors.Join(takeover, err, wait())
	}
	if err := errors.Join(takeover, wait()); err != nil {
		return err
	}
	if outcome.Text != "the second" {
		return fmt.Errorf("the thread ended with %+v", outcome)
	}
	return checkFence(ctx, r)
}

func checkFence(ctx context.Context, r *agent.Runtime) error {
	page, err := r.Messages(ctx, fenceThread, agent.PageOptions{})
	if err != nil {
		return err
	}
	var whole []string
	for _, m := range page.Messages {
		if m.Status == agent.Completed {
			whole = append(whole, m.Content)
		}
	}
	if len(whole) != 2 || whole[1] != "the second" {
		return fmt.Errorf("the thread is %q", whole)
	}
	return nil
}

// stoppedChild waits until the child has said who it is and is stopped.
func stoppedChild(ctx context.Context, path string) (int, error) {
	for {
		said, err := lines(path)
		if err != nil || ctx.Err() != nil {
			return 0, errors.Join(err, ctx.Err())
		}
		if len(said) == 1 {
			return strconv.Atoi(said[0])
		}
		if err := (RealClock{}).Sleep(ctx, 5*time.Millisecond); err != nil {
			return 0, err
		}
	}
}

func takeOver(ctx context.Context, r *agent.Runtime) (*agent.Outcome, error) {
	for {
		o, err := r.Run(ctx, fenceThread)
		if !errors.Is(err, agent.ErrBusy) {
			return o, err
		}
		if err := (RealClock{}).Sleep(ctx, 20*time.Millisecond); err != nil {
			return nil, err
		}
	}
}

// playFence runs the thread and stops itself while its model is being asked. What it gets in the end is an error.
func playFence() error {
	dir := get("DIR")
	store, err := open(dir)
	if err != nil {
		return err
	}
	g := &gate{Storage: store.Records()}
	p := &Provider{Answer: func(int, agent.Request) Reply {
		g.mu.Lock() // who stops in a transaction holds everybody up, and that is not what is measured
		defer g.mu.Unlock()
		appendLine(filepath.Join(dir, "asking"), fmt.Sprint(os.Getpid()))
		_ = syscall.Kill(os.Getpid(), syscall.SIGSTOP)
		waitFor(filepath.Join(dir, "taken")) // a process does not stop at once
		return Say("the first")
	}}
	r, err := fenceRuntime(g, p)
	if err != nil {
		return err
	}
	if o, err := r.Run(context.Background(), fenceThread); err == nil {
		return fmt.Errorf("a process whose thread was taken over has written: %+v", o)
	}
	return nil
}

// waitFor returns when a file is there.
func waitFor(path string) {
	for {
		if said, err := lines(path); err != nil || len(said) > 0 {
			return
		}
		_ = RealClock{}.Sleep(context.Background(), 5*time.Millisecond) // its context never ends
	}
}

func fenceRuntime(storage record.Storage, p *Provider) (*agent.Runtime, error) {
	return agent.New(agent.Config{Storage: storage, Provider: p, Definitions: catalog(), Clock: RealClock{Factor: fenceSpeed}})
}

// gate is a storage that can be closed while none of its transactions runs.
type gate struct {
	record.Storage
	mu sync.RWMutex
}

// View implements record.Storage.
func (g *gate) View(ctx context.Context, f func(record.Reader) error) error {
	g.mu.RLock()
	defer g.mu.RUnlock()
	return g.Storage.View(ctx, f)
}

// Update implements record.Storage.
func (g *gate) Update(ctx context.Context, f func(record.Tx) error) error {
	g.mu.RLock()
	defer g.mu.RUnlock()
	return g.Storage.Update(ctx, f)
}
