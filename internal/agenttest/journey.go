package agenttest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ryeos/rye/pkg/agent"
)

// Journey counts what CheckKills did.
type Journey struct {
	Kills       int
	Interrupted int // calls that were running when their process died
}

const journeyThread = "journey"

// CheckKills runs a thread of steps with two tools each in a process of its own, which is killed by SIGKILL before and after
// each of its transactions, and is gone on with by a fresh one. No tool may run twice, no stored response may be asked for
// again, and but for the call that was interrupted the thread must be what it is without a death.
func CheckKills(dir string, steps int, start Start) (Journey, error) {
	whole := filepath.Join(dir, "whole")
	if err := live(whole, steps, 0, false, start); err != nil {
		return Journey{}, err
	}
	want, err := readJourney(whole)
	if err != nil {
		return Journey{}, err
	}
	var did Journey
	for at := 1; at <= want.updates; at++ {
		for _, after := range []bool{false, true} {
			life := filepath.Join(dir, fmt.Sprintf("%d-%t", at, after))
			if err := live(life, steps, at, after, start); err != nil {
				return did, fmt.Errorf("killed at update %d of %d, after: %t: %w", at, want.updates, after, err)
			}
			got, err := readJourney(life)
			if err == nil {
				err = got.compare(want)
			}
			if err != nil {
				return did, fmt.Errorf("killed at update %d of %d, after: %t: %w", at, want.updates, after, err)
			}
			did.Kills++
			did.Interrupted += got.interrupted
			if err := os.RemoveAll(life); err != nil {
				return did, err
			}
		}
	}
	return did, nil
}

// live runs the journey in a process that dies at an update, and then in others until it has arrived.
func live(dir string, steps, at int, after bool, start Start) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	const patience = 3
	for try := range patience {
		wait, err := start(roleVariable+"=journey", set("DIR", dir), set("STEPS", steps), set("AT", at), set("AFTER", after))
		if err != nil {
			return err
		}
		if err = wait(); err == nil {
			return nil
		}
		if at == 0 || try > 0 {
			return err
		}
		at = 0
	}
	return errors.New("the journey does not end")
}

// playJourney is the process of a journey: it sends the message if that has not been done, and runs the thread.
func playJourney() error {
	dir, steps := get("DIR"), number("STEPS")
	store, err := open(dir)
	if err != nil {
		return err
	}
	storage := &mortal{Storage: store.Records(), at: number("AT"), after: get("AFTER") == "true"}
	tool := func(_ context.Context, c agent.Call) agent.ToolResult {
		appendLine(filepath.Join(dir, "effects"), c.ID)
		return agent.ToolResult{Result: c.ID + " is done"}
	}
	p := &Provider{Answer: func(_ int, r agent.Request) Reply {
		n := 0
		for _, e := range r.Messages {
			if e.Role == agent.ToolRole {
				n++
			}
		}
		appendLine(filepath.Join(dir, "bill"), fmt.Sprint(n/2))
		if err := paired(r.Messages); err != nil {
			appendLine(filepath.Join(dir, "broken"), err.Error())
		}
		if n/2 == steps {
			return Say("arrived")
		}
		return Reply{Calls: []agent.ToolCall{{ID: fmt.Sprintf("a%d", n/2), Name: "work", Arguments: "{}"}, {ID: fmt.Sprintf("b%d", n/2), Name: "work", Arguments: "{}"}}}
	}}
	r, err := agent.New(agent.Config{Storage: storage, Provider: p, Definitions: catalog("work"), Clock: RealClock{}, Key: make([]byte, 32),
		Owner: fmt.Sprint(os.Getpid()), Env: &Env{Tools: map[string]Func{"work": tool}, OwnerAlive: func(string) bool { return false }}})
	if err != nil {
		return err
	}
	ctx := context.Background()
	if _, err := r.Thread(ctx, journeyThread); err != nil {
		if _, err := r.Create(ctx, agent.NewThread{ID: journeyThread, Agent: "helper"}); err != nil {
			return err
		}
	}
	page, err := r.Messages(ctx, journeyThread, agent.PageOptions{})
	if err == nil && page.Total == 0 {
		_, err = r.Send(ctx, journeyThread, agent.Outgoing{Content: "go"})
	}
	if err != nil {
		return err
	}
	o, err := r.Run(ctx, journeyThread)
	if err != nil {
		return err
	}
	appendLine(filepath.Join(dir, "updates"), fmt.Sprint(storage.number))
	if o.Text != "arrived" {
		return fmt.Errorf("the journey ended with %+v", o)
	}
	return store.Close()
}

// paired makes sure that each call is followed by exactly one result.
func paired(entries []agent.Entry) error {
	open := map[string]bool{}
	for i, e := range entries {
		switch {
		case e.Role == agent.ToolRole && !open[e.CallID]:
			return fmt.Errorf("entry %d is a result of %q, which nobody called", i, e.CallID)
		case e.Role == agent.ToolRole:
			delete(open, e.CallID)
			continue
		case len(open) > 0:
			return fmt.Errorf("entry %d comes before the results of %v", i, open)
		}
		for _, call := range e.Calls {
			open[call.ID] = true
		}
	}
	if len(open) > 0 {
		return fmt.Errorf("%v have no result", open)
	}
	return nil
}

// landscape is what a journey left.
type landscape struct {
	rows        []string
	interrupted int
	updates     int
	effects     []string
	bill        []string
}

func readJourney(dir string) (*landscape, error) {
	l := &landscape{}
	broken, err := lines(filepath.Join(dir, "broken"))
	if err != nil || len(broken) > 0 {
		return nil, errors.Join(err, fmt.Errorf("requests were broken: %q", broken))
	}
	if l.effects, err = lines(filepath.Join(dir, "effects")); err != nil {
		return nil, err
	}
	if l.bill, err = lines(filepath.Join(dir, "bill")); err != nil {
		return nil, err
	}
	counted, err := lines(filepath.Join(dir, "updates"))
	if err != nil || len(counted) != 1 {
		return nil, errors.Join(err, fmt.Errorf("the end was reached %d times", len(counted)))
	}
	fmt.Sscan(counted[0], &l.updates)
	return l, l.readThread(dir)
}

func (l *landscape) readThread(dir string) error {
	store, err := open(dir)
	if err != nil {
		return err
	}
	defer store.Close()
	r, err := agent.New(agent.Config{Storage: store.Records(), Provider: Script(), Definitions: catalog(), Clock: RealClock{}})
	if err != nil {
		return err
	}
	ctx := context.Background()
	if pending, err := r.Pending(ctx); err != nil || len(pending) > 0 {
		return errors.Join(err, fmt.Errorf("still pending: %v", pending))
	}
	page, err := r.Messages(ctx, journeyThread, agent.PageOptions{Limit: 1 << 30})
	for _, m := range page.Messages {
		row := fmt.Sprintf("%s %s %s", m.Role, m.ToolCallID, m.Content)
		switch {
		case m.Status == agent.Failed:
			continue // a response that was being asked for
		case m.Error != nil && m.Error.ErrorCode == "interrupted":
			l.interrupted++
			row = fmt.Sprintf("%s %s %s is done", m.Role, m.ToolCallID, m.ToolCallID)
		}
		l.rows = append(l.rows, row)
	}
	return err
}

// compare holds a journey with a death against one without.
func (l *landscape) compare(want *landscape) error {
	if !slices.Equal(l.rows, want.rows) {
		return fmt.Errorf("the thread is\n  %s\nnot\n  %s", strings.Join(l.rows, "\n  "), strings.Join(want.rows, "\n  "))
	}
	if l.interrupted > 1 {
		return fmt.Errorf("%d calls were interrupted by one death", l.interrupted)
	}
	seen := map[string]bool{}
	for _, id := range l.effects {
		if seen[id] {
			return fmt.Errorf("the tool ran twice for call %s", id)
		}
		seen[id] = true
	}
	if missing := len(want.effects) - len(l.effects); missing > l.interrupted {
		return fmt.Errorf("%d calls never ran, and %d are said to be interrupted", missing, l.interrupted)
	}
	if extra := len(l.bill) - len(want.bill); extra > 1 {
		return fmt.Errorf("one death cost %d requests", extra)
	}
	return nil
}
