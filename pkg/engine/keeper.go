package engine

import (
	"context"
	"encoding/json"
	"io"
	"net"
	"time"

	"github.com/ryeos/rye/pkg/item"
	"github.com/ryeos/rye/pkg/keeper"
	"github.com/ryeos/rye/pkg/process"
	"github.com/ryeos/rye/pkg/runtime"
)

// KeeperVerb is the hidden verb of a keeper.
const KeeperVerb = "_keeper"

// keepers are what becomes of a keeper's process, by what it keeps.
var keepers = map[string]func(ctx context.Context, order *keeper.Order) error{KeptMCP: keepMCP, KeptPython: keepPython}

// RunKeeper is the process of a keeper: it is told on stdin what to keep, and serves that until nobody needs it any more.
func RunKeeper(ctx context.Context, stdin io.Reader) error {
	order, err := keeper.ReadOrder(stdin)
	if err != nil {
		return err
	}
	keep, ok := keepers[order.Kind]
	if !ok {
		return item.Errorf(item.TypeInternal, "nobody knows how to keep %s", item.Quote(order.Kind))
	}
	if err := process.BecomeReaper(); err != nil {
		return err
	}
	return keep(ctx, order)
}

// kept is something to keep.
type kept struct {
	kind, name string
	idle       time.Duration
	key        []string // everything that it is started with, as far as it is not in what
	what       any
}

// dialKeeper connects to the keeper of something. Without an error it is there; with one, nothing has happened.
func (e *Engine) dialKeeper(ctx context.Context, k kept) (*net.UnixConn, error) {
	dir, err := keeper.Folder(e.runtimeDir(), e.options.Cache)
	if err != nil {
		return nil, err
	}
	what, err := json.Marshal(k.what)
	if err != nil {
		return nil, err
	}
	key, err := keeper.Key(e.options.Binary, append([]string{k.kind, k.idle.String(), string(what)}, k.key...)...)
	if err != nil {
		return nil, err
	}
	return keeper.Dial(ctx, keeper.Options{
		Dir: dir, Key: key, Kind: k.kind, Name: k.name, Project: e.options.Project, Idle: k.idle, What: what,
		Program: process.Program{
			Path: e.options.Binary, Argv: []string{e.options.Binary, KeeperVerb}, Env: runtime.MinimalEnv(e.options.Env), Dir: e.options.User,
		},
	})
}

func (e *Engine) runtimeDir() string {
	dir, _ := lastValue(e.options.Env, "XDG_RUNTIME_DIR")
	return dir
}

// Kept is something that is kept between calls.
type Kept struct {
	Kind        string    `json:"kind,omitempty"`
	Name        string    `json:"name,omitempty"`
	Project     string    `json:"project,omitempty"`
	PID         int       `json:"pid"` // of its keeper
	Since       time.Time `json:"since,omitzero"`
	Calls       int       `json:"calls"`
	Active      int       `json:"active,omitempty"` // calls of now
	IdleSeconds float64   `json:"idle_seconds"`
	Stuck       bool      `json:"stuck,omitempty"` // its keeper does not answer

	status keeper.Status
}

// Kept lists what is kept for the user, in every project.
func (e *Engine) Kept(ctx context.Context) []Kept {
	all := []Kept{}
	for _, s := range keeper.List(ctx, keeper.Folders(e.runtimeDir(), e.options.Cache)...) {
		all = append(all, Kept{
			Kind: s.Kind, Name: s.Name, Project: s.Project, PID: s.PID, Since: s.Since, Calls: s.Calls, Active: s.Active,
			IdleSeconds: s.Idle.Round(time.Millisecond).Seconds(), Stuck: s.Stuck, status: s,
		})
	}
	return all
}

// StopKept ends what is kept, and every process of it.
func (e *Engine) StopKept(ctx context.Context, k Kept) error {
	if err := keeper.Stop(ctx, k.status); err != nil {
		return item.Errorf(item.TypeUnavailable, "cannot end the keeper %d of %s: %w", k.PID, k.Name, err)
	}
	return nil
}
