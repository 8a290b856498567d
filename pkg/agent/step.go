package agent

import (
	"context"
	"errors"
	"strings"

	"github.com/ryeos/rye/pkg/record"
)

// step asks the model once and stores what it said, before anything is done about it. It reports whether there is a
// response to act on.
func (f *flow) step(agent *Agent, prompt *Prompt) (bool, error) {
	model, err := f.definitions.Model(prompt.Model)
	if err != nil {
		return false, f.end(ending{reason: StepError, err: err})
	}
	f.stage(StageAssemble)
	request, err := f.assemble(agent, prompt, model)
	var blocked *Blocked
	if errors.As(err, &blocked) {
		return false, f.end(ending{reason: HookBlocked, text: blocked.Reason})
	}
	if err != nil {
		return false, f.fail(err)
	}
	row := &Message{Role: f.thread.Session.Side.role(), Side: f.thread.Session.Side, Prompt: prompt.Name, Status: Pending}
	log := &ModelLog{Purpose: ForStep, Prompt: prompt.Name, Model: model.Name, Attempt: 1}
	if err := f.beginStep(row, log); err != nil {
		return false, err
	}
	f.emit(Event{Type: StepStarted, Step: f.thread.Session.Steps})
	f.stage(StageCall)
	response, err := f.ask(request, log)
	switch {
	case err != nil && f.ctx.Err() != nil:
		return false, context.Cause(f.ctx)
	case err != nil:
		return false, f.failStep(row, log, err)
	case strings.TrimSpace(response.Text) == "" && len(response.Calls) == 0:
		return false, f.noAction(row, log, response)
	}
	f.stage(StagePersist)
	return true, f.persist(row, log, response)
}

// beginStep counts the step and notes that a model is about to be asked.
func (f *flow) beginStep(row *Message, log *ModelLog) error {
	return f.update(func(tx record.Tx, t *Thread) error {
		switch s := &t.Session; {
		case !s.Active: // a guest's turn
		case s.Side == SideA:
			s.Steps, s.StepsA = s.Steps+1, s.StepsA+1
		default:
			s.Steps, s.StepsB = s.Steps+1, s.StepsB+1
		}
		row.Created = f.now()
		if err := appendMessage(tx, t.ID, row); err != nil {
			return err
		}
		log.Message, log.row = row.ID, row
		return f.openLog(tx, t.ID, log)
	})
}

// persist stores the response. From here on it is never asked for again.
func (f *flow) persist(row *Message, log *ModelLog, response *Response) error {
	row.Content, row.Reasoning, row.ToolCalls = response.Text, response.Thinking, response.Calls
	row.Status, row.Ended = Completed, f.now()
	err := f.update(func(tx record.Tx, t *Thread) error {
		t.Session.Open = row.ID
		if err := f.closeLog(tx, t, log, response, nil); err != nil {
			return err
		}
		return storeMessage(tx, t.ID, row)
	})
	if err != nil {
		return err
	}
	f.history = append(f.history, *row)
	f.hook(AfterCreateMessage, &PointData{Message: row})
	return nil
}

// failStep stores that no model could answer. What is queued stays there for the next run: asking again at once would fail
// again.
func (f *flow) failStep(row *Message, log *ModelLog, cause error) error {
	f.hook(AtError, &PointData{Err: cause})
	row.Status, row.Content, row.Ended = Failed, cause.Error(), f.now()
	return f.endWith(ending{reason: StepError, err: cause, leave: true}, func(tx record.Tx, t *Thread) error {
		if err := storeMessage(tx, t.ID, row); err != nil {
			return err
		}
		return f.closeLog(tx, t, log, nil, cause)
	})
}

// fail ends the session for a reason that asking a model again does not take away.
func (f *flow) fail(cause error) error {
	if err := context.Cause(f.ctx); err != nil {
		return err
	}
	f.hook(AtError, &PointData{Err: cause})
	return f.end(ending{reason: StepError, err: cause, leave: true})
}

// noAction ends the session when a model said nothing at all: nothing is kept of it, and nothing is made up.
func (f *flow) noAction(row *Message, log *ModelLog, response *Response) error {
	return f.endWith(ending{reason: NoAction, leave: true}, func(tx record.Tx, t *Thread) error {
		if err := removeMessage(tx, t.ID, row.ID); err != nil {
			return err
		}
		return f.closeLog(tx, t, log, response, nil)
	})
}
