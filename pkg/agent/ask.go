package agent

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/ryeos/rye/pkg/item"
	"github.com/ryeos/rye/pkg/record"
)

// ask gets an answer: from the model, after waiting as often as Retry allows, and then from its fallbacks in their order.
// Once a model has begun to speak it is not asked again: what it said has been shown, and paid for.
func (f *flow) ask(request Request, log *ModelLog) (*Response, error) {
	seen := map[string]bool{request.Model.Name: true}
	for models := []string{request.Model.Name}; ; {
		response, spoke, err := f.askModel(&request, log)
		if err == nil || spoke || f.ctx.Err() != nil {
			return response, err
		}
		for _, name := range request.Model.Fallbacks {
			if !seen[name] {
				seen[name] = true
				models = append(models, name)
			}
		}
		if models = models[1:]; len(models) == 0 {
			return nil, err
		}
		model, missing := f.definitions.Model(models[0])
		if missing != nil {
			return nil, missing
		}
		f.emit(Event{Type: ModelReplaced, Model: model.Name, Error: err.Error()})
		request.Model = model
		if !model.Vision {
			request.Messages = withoutPictures(request.Messages)
		}
		if err := f.nextLog(log, model.Name, 1, err); err != nil {
			return nil, err
		}
	}
}

// askModel asks one model until it answers or there is no point in asking again.
func (f *flow) askModel(request *Request, log *ModelLog) (response *Response, spoke bool, err error) {
	for retry := 0; ; retry++ {
		response, spoke, err = f.stream(*request, log)
		var failure *ProviderError
		if err == nil || spoke || f.ctx.Err() != nil || !errors.As(err, &failure) || !failure.Retry || retry == f.retry.Attempts {
			return response, spoke, err
		}
		wait := max(min(f.retry.Base<<min(retry, 30), f.retry.Max), failure.RetryAfter)
		if wait > f.retry.Max {
			return nil, false, err // somebody else may answer sooner
		}
		f.emit(Event{Type: ModelRetried, Model: request.Model.Name, Attempt: retry + 2, Error: err.Error()})
		if err := f.nextLog(log, request.Model.Name, retry+2, err); err != nil {
			return nil, false, err
		}
		if err := f.clock.Sleep(f.ctx, wait); err != nil {
			return nil, false, err
		}
	}
}

// stream asks once. spoke reports that something of the answer has been shown.
func (f *flow) stream(request Request, log *ModelLog) (*Response, bool, error) {
	b := builder{emit: f.emit, quiet: request.Purpose != ForStep && request.Purpose != ForGuest}
	defer b.close()
	for chunk, err := range f.provider.Stream(f.ctx, request) {
		if err != nil {
			return nil, b.spoke, err
		}
		if b.add(chunk) && log.First.IsZero() {
			log.First = f.now()
		}
		log.Usage = request.Model.priced(b.usage) // it is paid for, even if nothing comes of it
		if b.size > MaxAnswer {
			return nil, b.spoke, item.Errorf(item.TypeLimit, "the answer of the model %s has more than %d bytes (MaxAnswer)", request.Model.Name, MaxAnswer)
		}
		if f.ctx.Err() != nil {
			return nil, b.spoke, context.Cause(f.ctx)
		}
	}
	if f.ctx.Err() != nil {
		return nil, b.spoke, context.Cause(f.ctx)
	}
	response := b.response(request.Model.Name)
	response.Usage = request.Model.priced(response.Usage)
	return response, b.spoke, nil
}

// ModelLog is one call of a model, whether it answered or not.
type ModelLog struct {
	ID        string    `json:"id"`
	Purpose   Purpose   `json:"purpose,omitempty"`
	Message   string    `json:"message_id,omitempty"` // the response
	Prompt    string    `json:"prompt,omitempty"`
	Model     string    `json:"model"`
	Attempt   int       `json:"attempt"`
	RetryOf   string    `json:"retry_of,omitempty"`
	Usage     Usage     `json:"usage,omitzero"`
	Finish    string    `json:"finish_reason,omitempty"`
	Error     string    `json:"error,omitempty"`
	ErrorType string    `json:"error_type,omitempty"`
	Started   time.Time `json:"started_at"`
	First     time.Time `json:"first_token_at,omitzero"`
	Ended     time.Time `json:"completed_at,omitzero"`

	row *Message // the answer
}

func (f *flow) openLog(tx record.Tx, thread string, log *ModelLog) (err error) {
	if log.ID, err = next(tx, thread, string(modelLogs)); err != nil {
		return err
	}
	log.Started = f.now()
	return modelLogs.put(tx, thread, log.ID, log)
}

// closeLog ends the log of a call of a model, and counts what it cost: also of one that broke off. The log of an answer that
// was stored becomes a part of its row, which the caller stores afterwards.
func (f *flow) closeLog(tx record.Tx, t *Thread, log *ModelLog, response *Response, cause error) error {
	log.Ended = f.now()
	if response != nil {
		log.Usage, log.Finish = response.Usage, response.Finish
	}
	if cause != nil {
		log.Error, log.ErrorType = cause.Error(), "failed"
		var failure *ProviderError
		if errors.As(cause, &failure) && failure.Type != "" {
			log.ErrorType = failure.Type
		}
	}
	if err := t.spend(tx, log.Usage); err != nil {
		return err
	}
	if log.row == nil || cause != nil || log.row.Status != Completed {
		return modelLogs.put(tx, t.ID, log.ID, log)
	}
	log.row.Log = log.within()
	return modelLogs.delete(tx, t.ID, log.ID)
}

// within is what the row of the answer does not say itself.
func (l *ModelLog) within() *ModelLog {
	return &ModelLog{ID: l.ID, Model: l.Model, Attempt: l.Attempt, RetryOf: l.RetryOf, Usage: l.Usage, Finish: l.Finish, Started: l.Started, First: l.First}
}

// log is the log of the call of a model whose answer the row is; nil if it is none.
func (m *Message) log() *ModelLog {
	if m.Log == nil {
		return nil
	}
	l := *m.Log
	l.Message, l.Prompt, l.Ended, l.Purpose = m.ID, m.Prompt, m.Ended, ForStep
	switch {
	case m.Agent != "":
		l.Purpose = ForGuest
	case m.Depth > 0:
		l.Purpose = ForPrompt
	}
	return &l
}

// nextLog ends the log of an attempt and begins the one of the next.
func (f *flow) nextLog(log *ModelLog, model string, attempt int, cause error) error {
	return f.update(func(tx record.Tx, t *Thread) error {
		failed := *log
		if err := f.closeLog(tx, t, &failed, nil, cause); err != nil {
			return err
		}
		*log = ModelLog{row: log.row, Purpose: log.Purpose, Message: log.Message, Prompt: log.Prompt, Model: model, Attempt: attempt, RetryOf: failed.ID}
		return f.openLog(tx, t.ID, log)
	})
}

// ModelLogs are the calls of models of a thread, oldest first.
func (r *Runtime) ModelLogs(ctx context.Context, thread string) ([]ModelLog, error) {
	var list []ModelLog
	err := r.storage.View(ctx, func(tx record.Reader) (err error) {
		if _, err = loadThread(tx, thread); err != nil {
			return err
		}
		if list, err = modelLogs.list(tx, thread, record.Range{}); err != nil {
			return err
		}
		rows, err := messages.list(tx, thread, record.Range{})
		for i := range rows {
			if l := rows[i].log(); l != nil {
				list = append(list, *l)
			}
		}
		return err
	})
	slices.SortFunc(list, func(a, b ModelLog) int { return strings.Compare(a.ID, b.ID) })
	return list, err
}
