package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"runtime/debug"
	"strings"

	"github.com/ryeos/rye/pkg/record"
)

// tools runs the calls of a response one after another, in their order, and then what was queued meanwhile. Each is marked
// before it runs and stored before the next begins. Calls that have a result already are left alone: the response may be
// one that a dead process left.
func (f *flow) tools(agent *Agent, prompt *Prompt, response *Message) ([]Message, error) {
	done, err := f.answers(response)
	if err != nil {
		return nil, err
	}
	if len(response.ToolCalls) > 0 {
		f.stage(StageTools)
		f.emit(Event{Type: ToolCallsStart, Calls: response.ToolCalls})
	}
	results := []Message{}
	for _, call := range response.ToolCalls {
		row, ok := done[call.ID]
		if !ok {
			row = &Message{Role: ToolRole, Side: f.thread.Session.Side, Name: call.Name, ToolCallID: call.ID, Answers: response.ID}
			if err := f.runTool(agent, prompt, call, row, nil); err != nil {
				return nil, err
			}
		}
		results = append(results, *row)
	}
	if len(response.ToolCalls) > 0 {
		f.emit(Event{Type: ToolCallsComplete})
		f.stage(StageResults)
	}
	return results, f.queuedTools()
}

// answers are the results that a response has, by the id of the call.
func (f *flow) answers(response *Message) (map[string]*Message, error) {
	found := map[string]*Message{}
	err := f.storage.View(f.ctx, func(tx record.Reader) error {
		rows, err := messages.list(tx, f.thread.ID, record.Range{After: response.ID})
		for i := range rows {
			if m := &rows[i]; m.Role == ToolRole && m.Answers == response.ID && m.Status == Completed {
				found[m.ToolCallID] = m
			}
		}
		return err
	})
	return found, err
}

// queuedTools runs the tools in the queue, each with a row that makes it a call of the thread like every other.
func (f *flow) queuedTools() error {
	for {
		if empty, err := f.emptyQueue(); err != nil || empty {
			return err
		}
		var call *ToolCall
		asked, row := &Message{}, &Message{}
		err := f.update(func(tx record.Tx, t *Thread) error {
			rows, err := queue.list(tx, t.ID, record.Range{})
			call = nil
			for _, q := range rows {
				if q.Tool == nil {
					continue
				}
				call = q.Tool
				side := t.Session.Side
				if side == "" {
					side = SideA
				}
				*asked = Message{Role: side.role(), Side: side, ToolCalls: []ToolCall{*call}, Status: Completed, Created: f.now(),
					Metadata: Metadata{"queued_tool": true}}
				if err := appendMessage(tx, t.ID, asked); err != nil {
					return err
				}
				*row = Message{Role: ToolRole, Side: side, Name: call.Name, ToolCallID: call.ID, Answers: asked.ID, Status: Pending, Created: f.now()}
				if err := appendMessage(tx, t.ID, row); err != nil {
					return err
				}
				return queue.delete(tx, t.ID, q.ID)
			}
			return err
		})
		if err != nil || call == nil {
			return err
		}
		f.history = append(f.history, *asked)
		agent, prompt, err := f.speaker()
		if err != nil {
			agent, prompt = &Agent{Name: f.thread.Agent}, &Prompt{}
		}
		if err := f.runTool(agent, prompt, *call, row, asked); err != nil {
			return err
		}
	}
}

func (f *flow) emptyQueue() (empty bool, err error) {
	err = f.storage.View(f.ctx, func(tx record.Reader) error {
		names, err := queue.names(tx, f.thread.ID, record.Range{Limit: 1})
		empty = len(names) == 0
		return err
	})
	return empty, err
}

// runTool marks a call as running, runs it and stores its result. row is stored already if the call was queued, by asked.
func (f *flow) runTool(agent *Agent, prompt *Prompt, call ToolCall, row, asked *Message) error {
	if row.ID == "" {
		err := f.update(func(tx record.Tx, t *Thread) error {
			row.Status, row.Created = Pending, f.now()
			return appendMessage(tx, t.ID, row)
		})
		if err != nil {
			return err
		}
	}
	scope := Scope{Thread: f.thread.ID, Side: row.Side, Agent: agent, Prompt: prompt}
	c := Call{ID: call.ID, Name: call.Name, Agent: agent.Name, Sender: f.thread.Sender, Thread: f.thread.ID, State: f.state(f.thread.ID, f)}
	f.hook(ToolCallStarted, &PointData{Scope: scope, Call: &c})
	result := f.perform(scope, &c, call, row, asked != nil)
	f.checkBound(scope, &c, call, &result, row)
	if err := context.Cause(f.ctx); err != nil && result.Failed() {
		return err // which is why it failed
	}
	return f.storeResult(scope, &c, &result, row)
}

// perform finds out what a call means and does it. Whatever goes wrong is a result: nothing a model asks for ends a flow.
func (f *flow) perform(scope Scope, c *Call, call ToolCall, row *Message, queued bool) (result ToolResult) {
	defer func() {
		if p := recover(); p != nil {
			result = ToolResult{Error: fmt.Sprintf("the tool %s crashed: %v", call.Name, p), ErrorCode: "panic"}
			f.emit(Event{Type: HookFailed, Error: fmt.Sprintf("%v\n%s", p, debug.Stack())})
		}
	}()
	arguments := strings.TrimSpace(call.Arguments)
	if arguments == "" {
		arguments = "{}"
	}
	var object map[string]json.RawMessage
	if err := json.Unmarshal([]byte(arguments), &object); err != nil || object == nil {
		return ToolResult{Error: fmt.Sprintf("the arguments of %s are not a JSON object: %s", call.Name, problem(err)), ErrorCode: "invalid_arguments"}
	}
	c.Arguments = json.RawMessage(arguments)
	run, refusal := f.resolve(scope, call.Name, queued)
	if run == nil {
		return refusal
	}
	return run(f.ctx, scope, c, row)
}

func problem(err error) string {
	if err == nil {
		return "they are null"
	}
	return err.Error()
}
