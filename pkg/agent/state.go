package agent

import (
	"context"
	"encoding/json"

	"github.com/ryeos/rye/pkg/item"
	"github.com/ryeos/rye/pkg/record"
)

// State is what tools, hooks and hosts may do with a thread (spec/agent-runtime A3). It is only a handle: what it changes
// is in the storage when a method returns, so that tools of other processes may do the same through a Runtime of theirs.
type State struct {
	*Runtime
	thread  string
	flow    *flow             // that the tool runs in; nil outside of steps
	toolEnv map[string]string // of the prompt's entry for the tool
}

func (r *Runtime) state(thread string, f *flow) *State {
	return &State{Runtime: r, thread: thread, flow: f}
}

// State is the handle of a thread outside of its steps.
func (r *Runtime) State(thread string) *State { return r.state(thread, nil) }

// ID is the thread's.
func (s *State) ID() string { return s.thread }

// Load reads the thread as it is stored.
func (s *State) Load(ctx context.Context) (*Thread, error) { return s.Thread(ctx, s.thread) }

// Parent is the thread that made this one; nil if nobody did.
func (s *State) Parent(ctx context.Context) (*State, error) {
	t, err := s.Load(ctx)
	if err != nil || t.Parent == "" {
		return nil, err
	}
	return s.state(t.Parent, nil), nil
}

// Child is a child of this thread; nil for every other thread.
func (s *State) Child(ctx context.Context, reference string) (*State, error) {
	var c *Child
	err := s.storage.View(ctx, func(tx record.Reader) (err error) {
		c, err = children.get(tx, s.thread, reference)
		return err
	})
	if err != nil || c == nil {
		return nil, err
	}
	return s.state(reference, nil), nil
}

// Children is the registry of the thread's children.
func (s *State) Children(ctx context.Context) ([]Child, error) {
	var list []Child
	err := s.storage.View(ctx, func(tx record.Reader) (err error) {
		list, err = children.list(tx, s.thread, record.Range{})
		return err
	})
	return list, err
}

// InvokeTool runs a function of the hook now and stores nothing.
func (s *State) InvokeTool(ctx context.Context, name string, arguments json.RawMessage) ToolResult {
	result, claimed := s.env.Hook().Dispatch(ctx, Call{ID: "invoked-" + s.newID(), Name: name, Arguments: orEmptyObject(arguments), Thread: s.thread, State: s})
	if !claimed {
		return notRegistered(name)
	}
	return result
}

// QueueTool queues a tool call of the thread.
func (s *State) QueueTool(ctx context.Context, name string, arguments json.RawMessage) error {
	return s.Runtime.QueueTool(ctx, s.thread, name, arguments)
}

func orEmptyObject(arguments json.RawMessage) json.RawMessage {
	if len(arguments) == 0 {
		return json.RawMessage("{}")
	}
	return arguments
}

// Emit tells listeners of something, as it happens. Nothing of it is stored.
func (s *State) Emit(kind string, data any) error {
	encoded, err := json.Marshal(data)
	if err != nil {
		return item.Usagef("the data of the event is not JSON: %w", err)
	}
	e := Event{Type: Emitted, Thread: s.thread, At: s.now(), Status: kind, Text: string(encoded)}
	if s.flow != nil {
		e.Agent = s.flow.thread.Agent
	}
	s.env.OnAgentEvent(e.Agent, s.thread, e)
	return nil
}

// Scratch lives as long as one run of the thread: tools of a run leave things there for each other. It is nil outside.
func (s *State) Scratch() map[string]any {
	if s.flow == nil {
		return nil
	}
	return s.flow.scratch
}

// Execution is the run that a tool is part of.
type Execution struct {
	Flow   string
	Side   SideName
	Steps  int
	StepsA int
	StepsB int
}

// Execution is the run that the tool is part of; nil outside of steps. The context of a call ends with it.
func (s *State) Execution() *Execution {
	if s.flow == nil {
		return nil
	}
	x := s.flow.thread.Session
	return &Execution{Flow: s.flow.id, Side: x.Side, Steps: x.Steps, StepsA: x.StepsA, StepsB: x.StepsB}
}

// ForceTurn makes it a side's turn when this step and what it has queued are done. If that side is a person, the thread
// waits for them.
func (s *State) ForceTurn(side SideName) error {
	if s.flow == nil {
		return item.Usagef("a turn can be forced only from within a step")
	}
	if side != SideA && side != SideB {
		return item.Usagef("a side is a or b, not %q", side)
	}
	return s.flow.update(func(_ record.Tx, t *Thread) error {
		t.Session.Forced = side
		return nil
	})
}

// Stop ends what the thread does, this step included.
func (s *State) Stop(ctx context.Context, reason string) error {
	return s.Runtime.Stop(ctx, s.thread, reason)
}

// Terminate shuts the thread down for good.
func (s *State) Terminate(ctx context.Context, reason string) error {
	return s.Runtime.Terminate(ctx, s.thread, reason)
}

// Definitions are the agents, prompts and models by name.
func (s *State) Definitions() Definitions { return s.definitions }

// changed says that a thread's agent is not what it was.
func changed(t *Thread) error {
	return item.Errorf(item.TypeIntegrity, "the agent %s has changed since thread %s began", t.Agent, t.ID).
		Hint("start a new thread; or put back the file that it began with")
}
