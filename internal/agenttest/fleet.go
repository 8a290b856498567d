package agenttest

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/ryeos/rye/pkg/agent"
)

// Fleet is several processes that send to the same threads and run them, all on one database.
type Fleet struct {
	Dir       string
	Processes int
	Threads   int
	Messages  int // of all processes together
}

// Run lets the fleet work and looks at what it left: each message is there once, in the order of its sender; every one was
// answered; no thread was run by two at a time. It returns how long the processes took.
func (f Fleet) Run(start Start) (time.Duration, error) {
	store, err := open(f.Dir)
	if err != nil {
		return 0, err
	}
	defer store.Close()
	r, err := agent.New(agent.Config{Storage: store.Records(), Provider: Script(), Definitions: catalog(), Clock: RealClock{}})
	if err != nil {
		return 0, err
	}
	ctx := context.Background()
	for n := range f.Threads {
		if _, err := r.Create(ctx, agent.NewThread{ID: shipName(n), Agent: "helper"}); err != nil {
			return 0, err
		}
	}
	began := time.Now()
	var waits []func() error
	for n := range f.Processes {
		wait, err := start(roleVariable+"=fleet", set("DIR", f.Dir), set("SHIP", n), set("THREADS", f.Threads), set("MESSAGES", f.Messages/f.Processes))
		if err != nil {
			return 0, err
		}
		waits = append(waits, wait)
	}
	var failed error
	for _, wait := range waits {
		failed = errors.Join(failed, wait())
	}
	took := time.Since(began)
	if failed != nil {
		return took, failed
	}
	return took, f.check(ctx, r)
}

func shipName(n int) string { return fmt.Sprintf("thread-%d", n) }

// playFleet sends its share and runs every thread that it meets, until nothing is left to do.
func playFleet() error {
	dir, ship, threads, share := get("DIR"), number("SHIP"), number("THREADS"), number("MESSAGES")
	store, err := open(dir)
	if err != nil {
		return err
	}
	p := &Provider{Answer: func(_ int, r agent.Request) Reply { return answerAlone(dir, r) }}
	r, err := agent.New(agent.Config{Storage: store.Records(), Provider: p, Definitions: catalog(), Clock: RealClock{}, Owner: fmt.Sprint("ship-", ship)})
	if err != nil {
		return err
	}
	ctx := context.Background()
	dice := rand.New(rand.NewPCG(uint64(ship), 1))
	for n := range share {
		if _, err := r.Deliver(ctx, shipName(dice.IntN(threads)), agent.Outgoing{Content: fmt.Sprintf("%d/%d", ship, n)}); err != nil {
			return err
		}
	}
	for {
		pending, err := r.Pending(ctx)
		if err != nil || len(pending) == 0 {
			return err
		}
		for _, id := range pending {
			if _, err := r.Run(ctx, id); err != nil && !errors.Is(err, agent.ErrBusy) {
				return err
			}
		}
	}
}

// answerAlone notes when two processes ask for one thread at a time.
func answerAlone(dir string, r agent.Request) Reply {
	lock := filepath.Join(dir, r.Thread+".asking")
	file, err := os.OpenFile(lock, os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		appendLine(filepath.Join(dir, "collisions"), err.Error())
		return Say("collided")
	}
	defer os.Remove(lock)
	defer file.Close()
	last := r.Messages[len(r.Messages)-1]
	return Say("heard " + last.Text)
}

func (f Fleet) check(ctx context.Context, r *agent.Runtime) error {
	if collisions, err := lines(filepath.Join(f.Dir, "collisions")); err != nil || len(collisions) > 0 {
		return errors.Join(err, fmt.Errorf("two flows of one thread: %q", collisions))
	}
	if pending, err := r.Pending(ctx); err != nil || len(pending) > 0 {
		return errors.Join(err, fmt.Errorf("still pending: %v", pending))
	}
	seen := map[string]bool{}
	for n := range f.Threads {
		page, err := r.Messages(ctx, shipName(n), agent.PageOptions{Limit: 1 << 30, Silent: true})
		if err != nil {
			return err
		}
		if err := checkShip(page.Messages, seen); err != nil {
			return fmt.Errorf("%s: %w", shipName(n), err)
		}
	}
	if sent := f.Messages / f.Processes * f.Processes; len(seen) != sent {
		return fmt.Errorf("%d messages arrived, of %d", len(seen), sent)
	}
	return nil
}

func checkShip(rows []agent.Message, seen map[string]bool) error {
	last := map[int]int{}
	answered := true
	for _, m := range rows {
		if m.Role != agent.User {
			answered = answered || m.Status == agent.Completed && strings.HasPrefix(m.Content, "heard ")
			continue
		}
		answered = false
		var ship, n int
		if _, err := fmt.Sscanf(m.Content, "%d/%d", &ship, &n); err != nil {
			return err
		}
		if before, ok := last[ship]; ok && n <= before {
			return fmt.Errorf("message %d of process %d came after its message %d", n, ship, before)
		}
		if last[ship] = n; seen[m.Content] {
			return fmt.Errorf("the message %s is there twice", m.Content)
		}
		seen[m.Content] = true
	}
	if !answered {
		return errors.New("the last message was not answered")
	}
	return nil
}
