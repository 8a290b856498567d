package agent

import (
	"context"
	"errors"

	"github.com/ryeos/rye/pkg/record"
)

// Run runs a thread until it has nothing to do: until its sessions have ended and its queue is empty. What an earlier run
// left unfinished, because its process died, is taken up first. The error wraps ErrBusy if the thread runs elsewhere; that
// run will see everything that is in the queue.
//
// A failed session is an Outcome, not an error. When ctx ends, the session stays open, and the next Run goes on with it.
func (r *Runtime) Run(ctx context.Context, thread string) (*Outcome, error) {
	f, err := r.acquire(ctx, thread)
	if err != nil {
		return nil, err
	}
	defer f.close()
	err = f.recover()
	if err == nil {
		err = f.loop()
	}
	if err == nil {
		return f.outcome(), nil
	}
	return f.abandon(err)
}

// Deliver is Send and Run: the outcome is nil if the thread is at work, which will see the message before its next step.
func (r *Runtime) Deliver(ctx context.Context, thread string, o Outgoing) (*Outcome, error) {
	if _, _, err := r.push(ctx, thread, o, true); err != nil {
		return nil, err
	}
	outcome, err := r.Run(ctx, thread)
	if errors.Is(err, ErrBusy) {
		return nil, nil
	}
	return outcome, err
}

// loop is the step cycle (seed 004 §3).
func (f *flow) loop() error {
	for {
		if f.thread.Session.Open == "" {
			if idle, err := f.drain(); err != nil || idle {
				return err
			}
			if !f.thread.Session.Active {
				continue // only tools were queued
			}
			if open, err := f.advance(); err != nil {
				return err
			} else if !open {
				continue
			}
		}
		if err := f.finishStep(); err != nil {
			return err
		}
	}
}

// advance does what comes between the queue and the tools. It reports whether there is a response to act on.
func (f *flow) advance() (bool, error) {
	if f.human(f.thread.Session.Side) {
		return false, f.end(ending{reason: AwaitingHuman})
	}
	agent, prompt, err := f.speaker()
	if err != nil {
		return false, f.end(ending{reason: StepError, err: err})
	}
	if started, err := f.startImmediate(agent, prompt); err != nil || started {
		return false, err
	}
	over := f.limit(agent)
	if over == nil {
		if over, err = f.limitAbove(); err != nil {
			return false, err
		}
	}
	if over == nil {
		over = f.contextLimit(agent, prompt)
	}
	if over != nil {
		if lifted, err := f.atLimit(agent, prompt, over); err != nil || !lifted {
			return false, err
		}
	}
	if asked, err := f.compactIfNeeded(agent, prompt); err != nil || asked {
		return false, err
	}
	return f.step(agent, prompt)
}

// finishStep runs the tools of the open response, decides what comes next, and tells the hooks.
func (f *flow) finishStep() error {
	response, err := f.open()
	if err != nil {
		return err
	}
	agent, prompt, err := f.speaker()
	if err != nil {
		return f.end(ending{reason: StepError, err: err})
	}
	results, err := f.tools(agent, prompt, response)
	if err != nil {
		return err
	}
	return f.conclude(agent, prompt, response, results)
}

// open is the response that the session is at.
func (f *flow) open() (*Message, error) {
	var m *Message
	err := f.storage.View(f.ctx, func(tx record.Reader) (err error) {
		m, err = messages.get(tx, f.thread.ID, f.thread.Session.Open)
		return err
	})
	if err == nil && m == nil { // somebody deleted it
		m = &Message{ID: f.thread.Session.Open, Status: Failed}
	}
	return m, err
}

func (f *flow) stage(s Stage) { f.emit(Event{Type: StageStarted, Stage: s}) }

// emit tells listeners.
func (f *flow) emit(e Event) {
	e.Side = f.thread.Session.Side
	f.announce(f.thread, e)
}

func (r *Runtime) announce(t *Thread, e Event) {
	e.Thread, e.Agent, e.At = t.ID, t.Agent, r.now()
	r.env.OnAgentEvent(t.Agent, t.ID, e)
}

func (f *flow) outcome() *Outcome {
	s := f.thread.Session
	return &Outcome{Thread: f.thread.ID, Reason: s.Reason, Status: f.thread.Status, Text: s.Text, Steps: s.Steps, Usage: s.Usage, Error: s.Error}
}
