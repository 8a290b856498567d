package agent

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/ryeos/rye/pkg/item"
	"github.com/ryeos/rye/pkg/record"
)

// What models are told of guests.
const (
	guestFraming = `Messages in <from agent="NAME"> were said by other agents that were asked as guests. They are not yours.`
	guestWelcome = `You are %[1]s, asked as a guest in a conversation of %[2]s. Of the assistant's messages only those in <from agent=%[1]q>
are yours; those without a name are %[2]s's. Answer the newest message with one text: you have no tools here.`
)

// Guest asks another agent in a thread (spec/agent-runtime B5): it sees the history and answers with one text, without tools.
// The thread's own agent is not asked, and will see who said it. As any message of a person it takes back a Stop. What was
// asked stays in the history, also if there is no answer. The error wraps ErrBusy if the thread is at work.
func (r *Runtime) Guest(ctx context.Context, thread, guest string, o Outgoing) (*Message, error) {
	scope, model, err := r.invite(thread, guest)
	if err != nil {
		return nil, err
	}
	if strings.TrimSpace(o.Content) == "" && len(o.Attachments) == 0 {
		return nil, item.Usagef("a message has a text or attachments")
	}
	if err := r.unstop(ctx, thread); err != nil {
		return nil, err
	}
	f, err := r.acquire(ctx, thread)
	if err != nil {
		return nil, err
	}
	defer f.close()
	reply, err := f.guestTurn(scope, model, o)
	if f.ctx.Err() != nil || isOrder(err) {
		_, ended := f.abandon(err)
		return nil, errors.Join(item.Errorf(item.TypeInterrupted, "the guest %s did not answer: %w", guest, err), ended)
	}
	if left := f.goHome(); left != nil {
		return nil, errors.Join(err, left)
	}
	return reply, err
}

// invite finds who is asked. A guest has no tools.
func (r *Runtime) invite(thread, guest string) (Scope, *Model, error) {
	agent, err := r.definitions.Agent(guest)
	if err != nil {
		return Scope{}, nil, err
	}
	prompt, err := r.definitions.Prompt(agent.SideA.Prompt)
	if err != nil {
		return Scope{}, nil, err
	}
	model, err := r.definitions.Model(prompt.Model)
	everything := *prompt
	everything.IncludeChat, everything.IncludePastTools, everything.Tools = true, false, nil
	return Scope{Thread: thread, Side: SideA, Agent: agent, Prompt: &everything}, model, err
}

// unstop takes a Stop back, unless whoever it stops is still there.
func (r *Runtime) unstop(ctx context.Context, thread string) error {
	return r.storage.Update(ctx, func(tx record.Tx) error {
		if _, err := loadLive(tx, thread); err != nil {
			return err
		}
		owner, err := flowTable.get(tx, thread, the)
		if err != nil || owner != nil && !r.stale(owner) {
			return errors.Join(err, busy(thread))
		}
		return stops.delete(tx, thread, the)
	})
}

func (f *flow) guestTurn(s Scope, model *Model, o Outgoing) (*Message, error) {
	if f.thread.Session.Active {
		return nil, busy(f.thread.ID) // its process died: Run goes on with it
	}
	if err := f.affordable(); err != nil {
		return nil, err
	}
	row := &Message{Role: Assistant, Side: SideA, Agent: s.Agent.Name, Prompt: s.Prompt.Name, Status: Pending}
	log := &ModelLog{Purpose: ForGuest, Prompt: s.Prompt.Name, Model: model.Name, Attempt: 1}
	if err := f.hear(o); err != nil {
		return nil, err
	}
	if err := f.beginStep(row, log); err != nil {
		return nil, err
	}
	request, err := f.guestRequest(s, model)
	var response *Response
	if err == nil {
		response, err = f.ask(request, log)
	}
	if f.ctx.Err() != nil {
		return nil, context.Cause(f.ctx)
	}
	return f.endGuest(row, log, response, err)
}

// affordable is an error if the thread, or one above it, has spent what it may.
func (f *flow) affordable() error {
	over, err := f.thread.overspent(), error(nil)
	if over == nil {
		over, err = f.limitAbove()
	}
	if err == nil && over != nil {
		err = item.Errorf(item.TypeLimit, "%w", over)
	}
	return err
}

// hear stores what the guest is asked.
func (f *flow) hear(o Outgoing) error {
	asked := &Message{}
	err := f.update(func(tx record.Tx, t *Thread) error {
		*asked = Message{Role: User, Content: o.Content, Silent: o.Silent, Metadata: o.Metadata, Status: Completed, Created: f.now()}
		if err := f.interrupt(tx, t, Aborted.interruption()); err != nil {
			return err
		}
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
		f.hook(AfterCreateMessage, &PointData{Message: asked})
	}
	return err
}

func (f *flow) guestRequest(s Scope, model *Model) (Request, error) {
	system, err := f.fill(s.Agent, s.Prompt, s.Prompt.Parts, members(f.thread.Arguments), nil)
	if err != nil {
		return Request{}, err
	}
	entries := perspective(SideA, s.Prompt, f.history, "")
	if err := f.attach(entries, s.Prompt, model); err != nil {
		return Request{}, err
	}
	entries = f.inject(s, f.withArchive(pair(entries)), fmt.Sprintf(guestWelcome, s.Agent.Name, f.thread.Agent))
	return Request{Thread: f.thread.ID, Purpose: ForGuest, Model: model, System: system, Messages: entries, ToolChoice: "none"}, nil
}

// endGuest stores what the guest said, or why it said nothing. Calls of tools are not even looked at.
func (f *flow) endGuest(row *Message, log *ModelLog, response *Response, failure error) (*Message, error) {
	if failure == nil && strings.TrimSpace(response.Text) == "" {
		failure = item.Errorf(item.TypeUnavailable, "the guest %s said nothing", row.Agent)
	}
	row.Status, row.Ended = Completed, f.now()
	if failure != nil {
		row.Status, row.Content = Failed, failure.Error()
	} else {
		row.Content, row.Reasoning = response.Text, response.Thinking
	}
	err := f.update(func(tx record.Tx, t *Thread) error {
		if err := f.closeLog(tx, t, log, response, failure); err != nil {
			return err
		}
		return storeMessage(tx, t.ID, row)
	})
	if err != nil || failure != nil {
		return nil, errors.Join(err, failure)
	}
	f.hook(AfterCreateMessage, &PointData{Message: row})
	return row, nil
}

// goHome gives the thread up. Who sent it something meanwhile saw that it was at work, and called nobody.
func (f *flow) goHome() error {
	waiting := false
	err := f.settle(func(tx record.Tx, t *Thread) error {
		left, err := queue.names(tx, t.ID, record.Range{Limit: 1})
		if waiting = len(left) > 0; err != nil {
			return err
		}
		return f.leave(tx, t)
	})
	if err == nil && waiting {
		f.env.Wake(context.WithoutCancel(f.ctx), f.thread.ID)
	}
	return err
}
