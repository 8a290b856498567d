package agent

import (
	"context"
	"encoding/json"
	"time"

	"github.com/ryeos/rye/pkg/item"
	"github.com/ryeos/rye/pkg/record"
)

// Limits of effects.
const (
	MaxEffects        = 1000 // of a thread, those that are over and not yet forgotten included
	maxEffectAttempts = 3    // of one whose process died
)

// Effect is work that is stored now and run later, when the host calls Tick: the engine itself never waits for a time
// (spec/agent-runtime D4 #16). Whoever handles one may see it twice, if a process dies in between.
type Effect struct {
	ID       string          `json:"id"`
	Thread   string          `json:"thread_id"`
	Name     string          `json:"name"`
	Args     json.RawMessage `json:"args"`
	Due      time.Time       `json:"scheduled_at"`
	Created  time.Time       `json:"created_at"`
	Status   EffectStatus    `json:"status"`
	Attempts int             `json:"attempts"`
	Owner    string          `json:"owner,omitempty"` // who runs it
	Error    string          `json:"error,omitempty"`
	Ended    time.Time       `json:"completed_at,omitzero"`
}

// EffectStatus is how far an effect is.
type EffectStatus string

// States of effects.
const (
	EffectPending   EffectStatus = "pending"
	EffectRunning   EffectStatus = "processing"
	EffectCompleted EffectStatus = "completed"
	EffectFailed    EffectStatus = "failed"
	EffectCanceled  EffectStatus = "canceled"
)

// ScheduleEffect stores work for a function of the hook, which gets the arguments as they are now.
func (r *Runtime) ScheduleEffect(ctx context.Context, thread, name string, args any, delay time.Duration) (string, error) {
	if !r.env.Hook().Claim(name) {
		return "", item.Errorf(item.TypeNotFound, "effect not registered: %s", name)
	}
	data, err := json.Marshal(args)
	if err != nil {
		return "", item.Usagef("the arguments of the effect %s are not JSON: %w", name, err)
	}
	if args == nil {
		data = []byte("{}")
	}
	e := &Effect{Thread: thread, Name: name, Args: data, Status: EffectPending}
	err = r.storage.Update(ctx, func(tx record.Tx) error {
		if _, err := loadLive(tx, thread); err != nil {
			return err
		}
		if err := makeRoom(tx, thread); err != nil {
			return err
		}
		if e.ID, err = next(tx, thread, string(effects)); err != nil {
			return err
		}
		e.Created = r.now()
		e.Due = e.Created.Add(max(0, delay))
		if err := dueEffects.put(tx, "", dueName(e), &thread); err != nil {
			return err
		}
		return effects.put(tx, thread, e.ID, e)
	})
	return e.ID, err
}

// makeRoom forgets the oldest effects that are over when there are too many, several at a time.
func makeRoom(tx record.Tx, thread string) error {
	all, err := effects.list(tx, thread, record.Range{})
	if err != nil || len(all) < MaxEffects {
		return err
	}
	left := len(all)
	for _, e := range all {
		if e.Ended.IsZero() || left <= MaxEffects*9/10 {
			continue
		}
		if err := effects.delete(tx, thread, e.ID); err != nil {
			return err
		}
		left--
	}
	if left >= MaxEffects {
		return item.Errorf(item.TypeLimit, "thread %s has %d effects that wait (MaxEffects)", thread, MaxEffects)
	}
	return nil
}

// dueEffects lists the effects of all threads that wait or run, below "": by time, so that the first ones are due first.
const dueEffects table[string] = "due"

func dueName(e *Effect) string {
	return e.Due.UTC().Format("2006-01-02T15:04:05.000000") + " " + e.Thread + " " + e.ID
}

// Effects are those of a thread that wait or have not been forgotten, oldest first; of one name, if it is given.
func (r *Runtime) Effects(ctx context.Context, thread, name string) ([]Effect, error) {
	list := []Effect{}
	err := r.storage.View(ctx, func(tx record.Reader) error {
		if _, err := loadThread(tx, thread); err != nil {
			return err
		}
		all, err := effects.list(tx, thread, record.Range{})
		for _, e := range all {
			if name == "" || e.Name == name {
				list = append(list, e)
			}
		}
		return err
	})
	return list, err
}

// CancelEffect takes an effect back that has not begun, and reports whether it did.
func (r *Runtime) CancelEffect(ctx context.Context, thread, id string) (canceled bool, err error) {
	err = r.storage.Update(ctx, func(tx record.Tx) error {
		e, err := effects.get(tx, thread, id)
		if canceled = err == nil && e != nil && e.Status == EffectPending; !canceled {
			return err
		}
		return r.endEffect(tx, e, EffectCanceled, "")
	})
	return canceled && err == nil, err
}

func (r *Runtime) endEffect(tx record.Tx, e *Effect, status EffectStatus, problem string) error {
	e.Status, e.Error, e.Ended, e.Owner = status, problem, r.now(), ""
	if err := dueEffects.delete(tx, "", dueName(e)); err != nil {
		return err
	}
	return effects.put(tx, e.Thread, e.ID, e)
}
