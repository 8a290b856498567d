package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/ryeos/rye/pkg/record"
)

// Tick runs the effects that are due, of all threads, each once, and reports how many there were. An error of one is stored
// with it and does not keep the others. It is the host that decides when to call it.
func (r *Runtime) Tick(ctx context.Context) (int, error) {
	for n := 0; ; n++ {
		e, err := r.claimEffect(ctx)
		if err != nil || e == nil {
			return n, err
		}
		result, ok := r.runEffect(ctx, e)
		if !ok {
			result = ToolResult{Error: "effect not registered: " + e.Name}
		}
		err = r.storage.Update(context.WithoutCancel(ctx), func(tx record.Tx) error { return r.settleEffect(tx, ctx, e, result) })
		r.working(e, false)
		if err != nil {
			return n, err
		}
	}
}

// settleEffect stores how an effect ended that this process has run, unless another process has taken it over meanwhile, or
// its thread is gone. One that failed because the host is shutting down is run again by the next.
func (r *Runtime) settleEffect(tx record.Tx, ctx context.Context, ran *Effect, result ToolResult) error {
	e, err := effects.get(tx, ran.Thread, ran.ID)
	if err != nil || e == nil || e.Owner != r.owner || e.Attempts != ran.Attempts || e.Status != EffectRunning {
		return err
	}
	switch {
	case !result.Failed():
		return r.endEffect(tx, e, EffectCompleted, "")
	case ctx.Err() == nil:
		return r.endEffect(tx, e, EffectFailed, result.Error)
	}
	e.Status, e.Owner, e.Error = EffectPending, "", result.Error
	return effects.put(tx, e.Thread, e.ID, e)
}

func (r *Runtime) runEffect(ctx context.Context, e *Effect) (result ToolResult, ok bool) {
	defer func() {
		if p := recover(); p != nil {
			result, ok = ToolResult{Error: fmt.Sprintf("the effect %s crashed: %v", e.Name, p)}, true
		}
	}()
	return r.env.Hook().Dispatch(ctx, Call{ID: "effect-" + e.ID, Name: e.Name, Arguments: e.Args, Thread: e.Thread, Effect: e.ID, State: r.state(e.Thread, nil)})
}

// claimEffect takes the first effect that is due. One whose runner is gone is run again, a few times.
func (r *Runtime) claimEffect(ctx context.Context) (*Effect, error) {
	var claimed *Effect
	err := r.storage.Update(ctx, func(tx record.Tx) error {
		claimed = nil
		due, err := tx.Scan("", string(dueEffects), record.Range{Before: r.now().Add(time.Microsecond).Format("2006-01-02T15:04:05.000000") + " "})
		if err != nil {
			return err
		}
		for _, entry := range due {
			e, err := r.dueEffect(tx, entry)
			if err != nil {
				return err
			}
			if e != nil {
				claimed = e
				r.working(e, true) // before anybody can see that it is claimed
				return effects.put(tx, e.Thread, e.ID, e)
			}
		}
		return nil
	})
	if err != nil && claimed != nil {
		r.working(claimed, false)
	}
	return claimed, err
}

func (r *Runtime) dueEffect(tx record.Tx, entry record.Entry) (*Effect, error) {
	var thread string
	if err := json.Unmarshal(entry.Document, &thread); err != nil {
		return nil, err
	}
	e, err := effects.get(tx, thread, entry.Name[len(entry.Name)-len(record.Name(0)):])
	if err != nil || e == nil {
		return nil, errors.Join(err, dueEffects.delete(tx, "", entry.Name))
	}
	_, err = loadLive(tx, thread)
	switch {
	case errors.Is(err, ErrTerminated):
		return nil, r.endEffect(tx, e, EffectCanceled, "the thread was terminated")
	case err != nil:
		return nil, err
	case e.Status == EffectRunning && r.atWork(e):
		return nil, nil
	case e.Attempts >= maxEffectAttempts:
		return nil, r.endEffect(tx, e, EffectFailed, "whoever ran it died, each time")
	}
	e.Status, e.Owner, e.Attempts = EffectRunning, r.owner, e.Attempts+1
	return e, nil
}

// working notes which effects run in this process.
func (r *Runtime) working(e *Effect, on bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if on {
		r.effects[e.Thread+" "+e.ID] = true
	} else {
		delete(r.effects, e.Thread+" "+e.ID)
	}
}

// atWork reports whether whoever began an effect may still be at it.
func (r *Runtime) atWork(e *Effect) bool {
	if e.Owner != r.owner {
		return r.env.Alive(e.Owner)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.effects[e.Thread+" "+e.ID]
}
