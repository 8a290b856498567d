package agent

import (
	"context"
	"strings"

	"github.com/ryeos/rye/pkg/item"
	"github.com/ryeos/rye/pkg/record"
)

// Guest asks another agent in a thread (spec/agent-runtime B5): it sees the history and answers with one text, without tools.
// The thread's own agent is not asked, and will see who said it. The error wraps ErrBusy if the thread is at work.
func (r *Runtime) Guest(ctx context.Context, thread, guest string, o Outgoing) (*Message, error) {
	agent, err := r.definitions.Agent(guest)
	if err != nil {
		return nil, err
	}
	prompt, err := r.definitions.Prompt(agent.SideA.Prompt)
	if err != nil {
		return nil, err
	}
	model, err := r.definitions.Model(prompt.Model)
	if err != nil {
		return nil, err
	}
	if strings.TrimSpace(o.Content) == "" && len(o.Attachments) == 0 {
		return nil, item.Usagef("a message has a text or attachments")
	}
	f, err := r.acquire(ctx, thread)
	if err != nil {
		return nil, err
	}
	defer f.close()
	reply, err := f.guestTurn(agent, prompt, model, o)
	if err != nil {
		_, err = f.abandon(err)
		return nil, err
	}
	waiting := false
	err = f.settle(func(tx record.Tx, t *Thread) error {
		left, err := queue.names(tx, t.ID, record.Range{Limit: 1})
		if waiting = len(left) > 0; err != nil {
			return err
		}
		return f.leave(tx, t)
	})
	if err == nil && waiting {
		r.env.Wake(ctx, thread) // who sent it saw that the thread was at work
	}
	return reply, err
}

func (f *flow) guestTurn(agent *Agent, prompt *Prompt, model *Model, o Outgoing) (*Message, error) {
	if err := f.recover(); err != nil {
		return nil, err
	}
	row := &Message{Role: Assistant, Side: SideA, Agent: agent.Name, Prompt: prompt.Name, Status: Pending}
	log := &ModelLog{Purpose: ForGuest, Prompt: prompt.Name, Model: model.Name, Attempt: 1}
	err := f.update(func(tx record.Tx, t *Thread) error {
		asked := &Message{Role: User, Content: o.Content, Silent: o.Silent, Metadata: o.Metadata, Status: Completed, Created: f.now()}
		var err error
		if asked.Attachments, err = f.keep(tx, t.ID, o.Attachments); err != nil {
			return err
		}
		if err := appendMessage(tx, t.ID, asked); err != nil {
			return err
		}
		return f.refresh(tx, t, nil)
	})
	if err == nil {
		err = f.beginStep(row, log)
	}
	if err != nil {
		return nil, err
	}
	system, err := f.fill(agent, prompt, prompt.Parts, members(f.thread.Arguments), nil)
	if err != nil {
		return nil, err
	}
	all := *prompt
	all.IncludeChat, all.IncludePastTools, all.Tools = true, false, nil
	entries := perspective(SideA, &all, f.history, "")
	if err := f.attach(entries, &all, model); err != nil {
		return nil, err
	}
	if entries = pair(entries); f.archived != "" {
		entries = append([]Entry{{Role: User, Text: f.archived}}, entries...)
	}
	response, err := f.ask(Request{Thread: f.thread.ID, Purpose: ForGuest, Model: model, System: system,
		Messages: f.inject(Scope{Thread: f.thread.ID, Side: SideA, Agent: agent, Prompt: &all}, entries), ToolChoice: "none"}, log)
	if f.ctx.Err() != nil {
		return nil, context.Cause(f.ctx)
	}
	return row, f.endGuest(row, log, response, err)
}

func (f *flow) endGuest(row *Message, log *ModelLog, response *Response, failure error) error {
	row.Status, row.Ended = Completed, f.now()
	if failure == nil && strings.TrimSpace(response.Text) == "" {
		failure = item.Errorf(item.TypeUnavailable, "the guest %s said nothing", row.Agent)
	}
	err := f.update(func(tx record.Tx, t *Thread) error {
		if response != nil {
			row.Content, row.Reasoning = response.Text, response.Thinking
		}
		if failure != nil {
			row.Status, row.Content = Failed, failure.Error()
		}
		if err := f.closeLog(tx, t, log, response, failure); err != nil {
			return err
		}
		return storeMessage(tx, t.ID, row)
	})
	if err != nil {
		return err
	}
	return failure
}
