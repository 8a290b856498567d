package agenttest

import (
	"context"
	"fmt"
	"strings"

	"github.com/ryeos/rye/pkg/agent"
	"github.com/ryeos/rye/pkg/record"
)

// Marathon runs one thread of many steps, each with a text, a call and a result as long as real ones are. It returns the
// rows. atStep is told when each begins.
func Marathon(storage record.Storage, steps int, atStep func(step int)) ([]agent.Message, error) {
	arguments := fmt.Sprintf(`{"path":"src/main.go","old":%q}`, strings.Repeat("x := compute(y) ", 17))
	text := strings.Repeat("Now I will look at the next file. ", 9)
	result := strings.Repeat("The quick brown fox jumps over the lazy dog, line after line.\n", 25)
	p := &Provider{Forget: true, Answer: func(n int, _ agent.Request) Reply {
		atStep(n)
		if n == steps {
			return Say("done")
		}
		return Reply{Text: text, Usage: agent.Usage{Input: 1000 + int64(n), Output: 300},
			Calls: []agent.ToolCall{{ID: "call", Name: "work", Arguments: arguments}}}
	}}
	tool := func(context.Context, agent.Call) agent.ToolResult { return agent.ToolResult{Result: result} }
	r, err := agent.New(agent.Config{Storage: storage, Provider: p, Definitions: catalog("work"), Clock: RealClock{},
		Env: &Env{Forget: true, Tools: map[string]Func{"work": tool}}})
	if err != nil {
		return nil, err
	}
	ctx := context.Background()
	thread, err := r.Create(ctx, agent.NewThread{Agent: "helper"})
	if err != nil {
		return nil, err
	}
	o, err := r.Deliver(ctx, thread.ID, agent.Outgoing{Content: "work"})
	if err != nil {
		return nil, err
	}
	if o.Text != "done" {
		return nil, fmt.Errorf("the marathon ended with %+v", o)
	}
	page, err := r.Messages(ctx, thread.ID, agent.PageOptions{Limit: 1 << 30, Silent: true})
	return page.Messages, err
}
