package engine

import (
	"context"
	"encoding/json"
	"net"

	"github.com/ryeos/rye/pkg/keeper"
	"github.com/ryeos/rye/pkg/runtime"
)

// KeptPython is the kind of what is kept for Python tools that are warm: an interpreter that forks.
const KeptPython = "python"

// keepPython is the process that keeps an interpreter.
func keepPython(ctx context.Context, order *keeper.Order) error {
	var w runtime.Warm
	if err := json.Unmarshal(order.What, &w); err != nil {
		return err
	}
	ctx, end := context.WithCancel(ctx)
	defer end()
	host, err := runtime.NewHost(ctx, w, end)
	if err != nil {
		return err
	}
	err = keeper.Serve(ctx, order, host.Serve)
	end()
	host.Wait()
	return err
}

// keepWarm lets a plan that can be warm find who keeps its interpreter. A failure is nothing but a cold call.
func (e *Engine) keepWarm(p *runtime.Plan) {
	idle := e.options.PythonKeepAlive
	if p.Warm == nil || idle <= 0 || e.options.Binary == "" {
		return
	}
	p.Dial = func(ctx context.Context) (*net.UnixConn, error) {
		return e.dialKeeper(ctx, kept{
			kind: KeptPython, name: p.Program, idle: idle, what: p.Warm, key: append(p.WarmKey(), e.options.Project),
		})
	}
	p.Cold = func(reason error) {
		e.options.Note("a new " + p.Program + " is started for this call: " + reason.Error())
	}
}
