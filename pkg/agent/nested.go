package agent

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/ryeos/rye/pkg/item"
	"github.com/ryeos/rye/pkg/record"
)

// promptTool is a call of a prompt: one request of its own in the same thread, with the tools it asks for. Its rows hang
// below the row of the call. It never sees the results of its own tools: it is asked once (spec/agent-runtime A5).
func (f *flow) promptTool(entry *Tool, prompt *Prompt) runner {
	return func(ctx context.Context, s Scope, c *Call, row *Message) ToolResult {
		response, results, err := f.askPrompt(s, entry, prompt, c, row)
		if err != nil {
			return ToolResult{Error: err.Error(), ErrorCode: "prompt_failed"}
		}
		var parts, failures []string
		if !entry.OmitText && response.Text != "" {
			parts = append(parts, response.Text)
		}
		for _, m := range results {
			switch {
			case m.ToolStatus == ToolFailed && !entry.OmitErrors:
				failures = append(failures, m.Name+": "+m.Content)
			case m.ToolStatus != ToolFailed && !entry.OmitCalls:
				parts = append(parts, m.Name+": "+m.Content)
			}
		}
		result := ToolResult{Result: strings.Join(parts, "\n")}
		for _, m := range results {
			if m.ToolStatus == ToolFailed {
				result.ErrorCode, result.Error = "nested_tool_failed", strings.Join(append(failures, parts...), "\n")
				if result.Error == "" {
					result.Error = "a tool of the prompt " + prompt.Name + " failed"
				}
			}
		}
		return result
	}
}

func (f *flow) askPrompt(s Scope, entry *Tool, prompt *Prompt, c *Call, row *Message) (*Response, []Message, error) {
	if over := f.limit(s.Agent); over != nil {
		return nil, nil, over
	}
	model, err := f.definitions.Model(prompt.Model)
	if err != nil {
		return nil, nil, err
	}
	if row.Depth >= maxPromptDepth {
		return nil, nil, item.Errorf(item.TypeLimit, "prompts call each other more than %d deep", maxPromptDepth)
	}
	system, err := f.fill(s.Agent, prompt, prompt.Parts, members(c.Arguments), nil)
	if err != nil {
		return nil, nil, err
	}
	inner := Scope{Thread: s.Thread, Side: s.Side, Agent: s.Agent, Prompt: prompt}
	request := Request{Thread: s.Thread, Purpose: ForPrompt, Model: model, System: system, Tools: f.schemas(inner), ToolChoice: prompt.ToolChoice,
		Parallel: prompt.Parallel, Reasoning: prompt.Reasoning, Options: prompt.ProviderOptions}
	if prompt.IncludeChat {
		request.Messages = f.withArchive(pair(perspective(s.Side, prompt, f.history, f.thread.Session.Since)))
	}
	request.Messages = append(request.Messages, Entry{Role: User, Text: initialMessage(entry, c.Arguments)})
	answer := &Message{Role: s.Side.role(), Side: s.Side, Prompt: prompt.Name, Parent: row.ID, Depth: row.Depth + 1, Status: Pending}
	log := &ModelLog{Purpose: ForPrompt, Prompt: prompt.Name, Model: model.Name, Attempt: 1}
	if err := f.beginStep(answer, log); err != nil {
		return nil, nil, err
	}
	response, err := f.ask(request, log)
	answer.Ended = f.now()
	if err != nil {
		answer.Status, answer.Content = Failed, err.Error()
	} else {
		answer.Status, answer.Content, answer.ToolCalls, answer.Reasoning = Completed, response.Text, response.Calls, response.Thinking
	}
	stored := f.update(func(tx record.Tx, t *Thread) error {
		if err := f.closeLog(tx, t, log, response, err); err != nil {
			return err
		}
		return storeMessage(tx, t.ID, answer)
	})
	if err == nil {
		err = stored
	}
	if err != nil {
		return nil, nil, err
	}
	results, err := f.nestedTools(inner, answer)
	return response, results, err
}

const maxPromptDepth = 8

// nestedTools runs the calls of a prompt that was called as a tool.
func (f *flow) nestedTools(s Scope, answer *Message) ([]Message, error) {
	results := []Message{}
	for _, call := range answer.ToolCalls {
		row := &Message{Role: ToolRole, Side: s.Side, Name: call.Name, ToolCallID: call.ID, Answers: answer.ID, Parent: answer.Parent, Depth: answer.Depth}
		if err := f.runTool(s.Agent, s.Prompt, call, row, nil); err != nil {
			return nil, err
		}
		results = append(results, *row)
	}
	return results, nil
}

// initialMessage is what a prompt or an agent is told when it is called: the argument that its entry names, or all of them.
func initialMessage(entry *Tool, arguments json.RawMessage) string {
	if entry != nil && entry.InitMessage != "" {
		if s, ok := property(string(arguments), entry.InitMessage); ok {
			return s
		}
	}
	return string(arguments)
}
