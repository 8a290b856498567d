package agent

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/ryeos/rye/pkg/record"
)

const hookBudget = 30 * time.Second // for each call of a hook

var errHookSlow = fmt.Errorf("the hook took longer than %s", hookBudget)

// lifecycle calls the hooks of a point. What fails there is told to listeners and changes nothing.
func (r *Runtime) lifecycle(ctx context.Context, p Point, d *PointData) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("%v", v)
		}
		var blocked *Blocked
		if err != nil && !errors.As(err, &blocked) {
			r.env.OnAgentEvent("", d.Scope.Thread, Event{Type: HookFailed, Thread: d.Scope.Thread, At: r.now(), Status: string(p), Error: err.Error()})
		}
	}()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	go func() {
		if r.clock.Sleep(ctx, hookBudget) == nil {
			cancel(errHookSlow)
		}
	}()
	return r.env.Hook().Lifecycle(ctx, p, d)
}

// hook calls the hooks of a point in the life of the flow.
func (f *flow) hook(p Point, d *PointData) error {
	d.Scope.Thread, d.State = f.thread.ID, f.state(f.thread.ID, f)
	if d.Scope.Side == "" {
		d.Scope.Side = f.thread.Session.Side
	}
	return f.lifecycle(f.ctx, p, d)
}

// note stores a silent row about the thread itself, for clients that show what happened (seed 004 §12).
func (r *Runtime) note(tx record.Tx, thread, kind string, data Metadata) error {
	if data == nil {
		data = Metadata{}
	}
	data["status_kind"] = kind
	return appendMessage(tx, thread, &Message{Role: System, Status: Completed, Silent: true, Metadata: data, Created: r.now()})
}
