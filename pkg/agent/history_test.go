package agent_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/ryeos/rye/internal/agenttest"
	"github.com/ryeos/rye/pkg/agent"
	"github.com/ryeos/rye/pkg/record"
)

// chance is a thread in which everything happens at random: messages that come while tools run, tools that fail, summaries
// that fail, guests, new processes, messages that are deleted.
type chance struct {
	*agenttest.World
	*rand.Rand
	id         string
	said       int
	unanswered []string // texts that no answer has followed
	compacted  int
}

func newChance(t *testing.T, storage record.Storage, seed uint64) *chance {
	c := &chance{Rand: rand.New(rand.NewPCG(seed, 1))}
	p := &agenttest.Provider{Answer: func(_ int, r agent.Request) agenttest.Reply { return c.answer(r) }}
	c.World = agenttest.New(t, storage, p, tools{"work": c.work})
	c.Catalog.Agents["helper"].CompactAt = 40 + c.IntN(200)
	c.Catalog.Prompts["helper"].IncludePastTools = c.IntN(2) == 0
	direct(c.World, "doubt", "You doubt.")
	c.Catalog.Agents["doubter"] = &agent.Agent{Name: "doubter", SideA: agent.Side{Prompt: "doubt"}}
	c.id = c.Thread("helper")
	return c
}

func (c *chance) words() string { return strings.Repeat("word ", c.IntN(40)) }

// say queues a message of the user.
func (c *chance) say() {
	c.said++
	text := fmt.Sprintf("<message %d>%s", c.said, c.words())
	send(c.World, c.id, text)
	c.unanswered = append(c.unanswered, text)
}

func (c *chance) answer(r agent.Request) agenttest.Reply {
	switch {
	case r.Purpose == agent.ForGuest:
		return agenttest.Say("I doubt it. " + c.words())
	case r.Purpose == agent.ForSummary && c.IntN(4) == 0:
		return agenttest.Reply{Err: errors.New("no summary today")}
	case r.Purpose == agent.ForSummary:
		c.compacted++
		return agenttest.Say("summary " + c.words())
	}
	c.sees(r)
	if c.IntN(3) > 0 {
		reply := agenttest.Reply{Text: c.words()}
		for n := range 1 + c.IntN(3) {
			reply.Calls = append(reply.Calls, agent.ToolCall{ID: fmt.Sprint("call-", c.Uint32(), n), Name: "work", Arguments: "{}"})
		}
		return reply
	}
	c.unanswered = nil
	return agenttest.Say("answer " + c.words())
}

// sees checks that a request has each message that nobody has answered, once and in order.
func (c *chance) sees(r agent.Request) {
	at := 0
	all := strings.Join(asked(r), "\n")
	for _, text := range c.unanswered {
		i := strings.Index(all[at:], text)
		if i < 0 || strings.Count(all, text) != 1 {
			c.T.Errorf("the request does not have %.20q once, in its place: %s", text, all)
			return
		}
		at += i
	}
}

func (c *chance) work(_ context.Context, _ agent.Call) agent.ToolResult {
	if c.IntN(6) == 0 {
		c.say()
	}
	if c.IntN(5) == 0 {
		return agent.ToolResult{Error: fmt.Sprintf("%x failed", c.Uint64())}
	}
	return agent.ToolResult{Result: c.words()}
}

// round is what happens next.
func (c *chance) round() {
	switch c.IntN(8) {
	case 0:
		guest(c.World, c.id, "what do you say? "+c.words())
	case 1:
		c.Runtime = c.NewRuntime("owner") // forgets what it had in memory
	case 2:
		rows := c.Rows(c.id)
		if len(rows) == 0 {
			return
		}
		if m := rows[c.IntN(len(rows))]; m.Role != agent.User {
			if _, err := c.State(c.id).DeleteMessage(c.T.Context(), m.ID); err != nil {
				c.T.Error(err)
			}
		}
	default:
		for range 1 + c.IntN(2) {
			c.say()
		}
		run(c.World, c.id)
	}
}

// TestNothingIsLost: whatever happens in a thread, each request has all that was not answered, and calls with their results.
func TestNothingIsLost(t *testing.T) {
	compacted := 0
	for seed := range uint64(40) {
		c := newChance(t, record.NewMemory(), seed)
		for range 25 {
			c.round()
		}
		paired(t, c.Provider.Requests())
		compacted += c.compacted
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
	if compacted < 100 {
		t.Errorf("only %d compactions", compacted)
	}
}
