package agent_test

import (
	"context"
	"fmt"
	"log"
	"strings"

	"github.com/ryeos/rye/pkg/agent"
	"github.com/ryeos/rye/pkg/clock"
	"github.com/ryeos/rye/pkg/record"
)

// A model that only knows one way to help. A real one asks a server.
func model(_ context.Context, r agent.Request) (agent.Response, error) {
	switch last := r.Messages[len(r.Messages)-1]; last.Role {
	case agent.ToolRole:
		return agent.Response{Text: last.Text + ". Bring an umbrella!"}, nil
	default:
		city := strings.Fields(last.Text)[3]
		return agent.Response{Calls: []agent.ToolCall{
			{ID: "1", Name: "look_up", Arguments: `{"city":"` + city + `"}`}, {ID: "2", Name: "forecast", Arguments: `{"days":1}`},
		}}, nil
	}
}

func Example() {
	tools, err := agent.NewToolbox(agent.Function{
		Name: "look_up", Description: "Finds a city", Parameters: `{"type":"object","properties":{"city":{"type":"string"}}}`,
		Run: agent.Typed(func(_ context.Context, c agent.Call, in struct{ City string }) (string, error) {
			c.State.Scratch()["city"] = in.City
			return "found", nil
		}),
	}, agent.Function{
		Name: "forecast", Description: "Says what the weather will be", Parameters: `{"type":"object","properties":{"days":{"type":"integer"}}}`,
		Run: agent.Typed(func(_ context.Context, c agent.Call, in struct{ Days int }) (string, error) {
			return fmt.Sprintf("rain in %s in %d day", c.State.Scratch()["city"], in.Days), nil
		}),
	})
	if err != nil {
		log.Fatal(err)
	}
	runtime, err := agent.New(agent.Config{
		Storage:  record.NewMemory(),
		Provider: agent.ProviderFunc(model),
		Clock:    clock.System{},
		Env:      agent.HookEnv{Of: tools},
		Definitions: &agent.Catalog{
			Agents: map[string]*agent.Agent{"weatherman": {Name: "weatherman", SideA: agent.Side{Prompt: "weatherman"}}},
			Prompts: map[string]*agent.Prompt{"weatherman": {Name: "weatherman", Model: "small", IncludeChat: true,
				Parts: []agent.PromptPart{{Text: "You know the weather."}}, Tools: []agent.Tool{{Name: "look_up"}, {Name: "forecast"}}}},
			Models: map[string]*agent.Model{"small": {Name: "small"}},
		},
	})
	if err != nil {
		log.Fatal(err)
	}
	ctx := context.Background()
	thread, err := runtime.Create(ctx, agent.NewThread{Agent: "weatherman"})
	if err != nil {
		log.Fatal(err)
	}
	outcome, err := runtime.Deliver(ctx, thread.ID, agent.Outgoing{Content: "The weather in Bern tomorrow?"})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(outcome.Text)
	fmt.Println(outcome.Reason, "after", outcome.Steps, "steps")
	// Output:
	// rain in Bern in 1 day. Bring an umbrella!
	// stop_on_response after 2 steps
}
