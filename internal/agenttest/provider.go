// Package agenttest has what tests of the agent runtime need instead of a world: a provider that plays a script, a clock
// that stands still, and tools that are functions.
package agenttest

import (
	"context"
	"fmt"
	"iter"
	"sync"

	"github.com/ryeos/rye/pkg/agent"
)

// Provider answers by a function and remembers what it was asked. It notices when a thread asks twice at a time.
type Provider struct {
	Answer func(n int, r agent.Request) Reply // n counts the requests from 0
	Forget bool                               // what it was asked

	mu       sync.Mutex
	asked    int
	requests []agent.Request
	inFlight map[string]int
	overlaps int
}

// Reply is an answer of a model.
type Reply struct {
	Text     string
	Thinking string
	Calls    []agent.ToolCall
	Chunks   []agent.Chunk // instead of the others: piece by piece
	Usage    agent.Usage
	Err      error                     // after what was said
	Wait     func(ctx context.Context) // before anything is said
}

// Script plays replies one after another, and fails when there are no more.
func Script(replies ...Reply) *Provider {
	return &Provider{Answer: func(n int, _ agent.Request) Reply {
		if n >= len(replies) {
			return Reply{Err: fmt.Errorf("the script has %d replies, and this is request %d", len(replies), n+1)}
		}
		return replies[n]
	}}
}

// Say is a reply of text.
func Say(text string) Reply { return Reply{Text: text} }

// Use is a reply that calls tools: name, arguments, name, arguments, …
func Use(pairs ...string) Reply {
	var calls []agent.ToolCall
	for i := 0; i+1 < len(pairs); i += 2 {
		calls = append(calls, agent.ToolCall{ID: fmt.Sprintf("call-%d", i/2+1), Name: pairs[i], Arguments: pairs[i+1]})
	}
	return Reply{Calls: calls}
}

// Requests are those that were made so far.
func (p *Provider) Requests() []agent.Request {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]agent.Request{}, p.requests...)
}

// Overlaps counts the requests that a thread made while another one of it was being answered.
func (p *Provider) Overlaps() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.overlaps
}

// Stream implements agent.Provider.
func (p *Provider) Stream(ctx context.Context, r agent.Request) iter.Seq2[agent.Chunk, error] {
	return func(yield func(agent.Chunk, error) bool) {
		p.mu.Lock()
		n := p.asked
		if p.asked++; !p.Forget {
			p.requests = append(p.requests, r)
		}
		if p.inFlight == nil {
			p.inFlight = map[string]int{}
		}
		if p.inFlight[r.Thread]++; p.inFlight[r.Thread] > 1 {
			p.overlaps++
		}
		p.mu.Unlock()
		defer func() {
			p.mu.Lock()
			p.inFlight[r.Thread]--
			p.mu.Unlock()
		}()
		reply := p.Answer(n, r)
		if reply.Wait != nil {
			if reply.Wait(ctx); ctx.Err() != nil {
				yield(agent.Chunk{}, context.Cause(ctx))
				return
			}
		}
		for _, c := range reply.chunks() {
			if !yield(c, nil) {
				return
			}
		}
		if reply.Err != nil {
			yield(agent.Chunk{}, reply.Err)
		}
	}
}

func (r Reply) chunks() []agent.Chunk {
	if r.Chunks != nil {
		return r.Chunks
	}
	var list []agent.Chunk
	if r.Thinking != "" {
		list = append(list, agent.Chunk{Thinking: r.Thinking})
	}
	if r.Text != "" {
		list = append(list, agent.Chunk{Text: r.Text})
	}
	for i, call := range r.Calls {
		list = append(list, agent.Chunk{Calls: []agent.CallDelta{{Index: i, ID: call.ID, Name: call.Name, Arguments: call.Arguments}}})
	}
	if r.Usage != (agent.Usage{}) {
		list = append(list, agent.Chunk{Usage: &r.Usage})
	}
	return list
}
