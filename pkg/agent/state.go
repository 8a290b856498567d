package agent

import (
	"context"
	"encoding/json"
	"time"

	"github.com/ryeos/rye/pkg/item"
	"github.com/ryeos/rye/pkg/record"
)

// State is what tools, hooks and hosts may do with a thread (spec/agent-runtime A3). It is only a handle: what it changes
// is in the storage when a method returns, so that tools of other processes may do the same through a Runtime of theirs.
type State struct {
	*Runtime
	thread string
	flow   *flow // that the tool runs in; nil outside of steps
}

func (r *Runtime) state(thread string, f *flow) *State { return &State{r, thread, f} }

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

// Inject stores a message and starts nothing. Hooks may refuse it.
func (s *State) Inject(ctx context.Context, m Message) (*Message, error) {
	if m.Role != User && m.Role != Assistant && m.Role != System {
		return nil, item.Usagef("a message of the role %q cannot be injected", m.Role)
	}
	if err := s.lifecycle(ctx, BeforeCreateMessage, &PointData{Scope: Scope{Thread: s.thread}, Message: &m, State: s}); err != nil {
		return nil, err
	}
	m.Status, m.Created = Completed, s.now()
	err := s.change(ctx, func(tx record.Tx) (err error) {
		if m.Attachments, err = s.keep(tx, s.thread, m.Attachments); err != nil {
			return err
		}
		return appendMessage(tx, s.thread, &m)
	})
	if err == nil {
		_ = s.lifecycle(ctx, AfterCreateMessage, &PointData{Scope: Scope{Thread: s.thread}, Message: &m, State: s})
	}
	return &m, err
}

// UpdateMessage changes the text, the metadata, or whether people see a message; what is nil stays.
func (s *State) UpdateMessage(ctx context.Context, id string, content *string, metadata Metadata, silent *bool) error {
	return s.change(ctx, func(tx record.Tx) error {
		m, err := findMessage(tx, s.thread, id)
		switch {
		case err != nil:
			return err
		case m == nil:
			return item.Errorf(item.TypeNotFound, "thread %s has no message %q", s.thread, id)
		}
		if content != nil {
			m.Content = *content
		}
		if metadata != nil {
			m.Metadata = metadata
		}
		if silent != nil {
			m.Silent = *silent
		}
		return storeMessage(tx, s.thread, m)
	})
}

// DeleteMessage removes a message and reports whether it was there.
func (s *State) DeleteMessage(ctx context.Context, id string) (found bool, err error) {
	err = s.change(ctx, func(tx record.Tx) error {
		m, err := findMessage(tx, s.thread, id)
		if found = err == nil && m != nil; !found {
			return err
		}
		return removeMessage(tx, s.thread, id)
	})
	return found && err == nil, err
}

// change changes rows, and says so to a flow that has read them.
func (s *State) change(ctx context.Context, f func(record.Tx) error) error {
	return s.storage.Update(ctx, func(tx record.Tx) error {
		if _, err := loadLive(tx, s.thread); err != nil {
			return err
		}
		if err := f(tx); err != nil {
			return err
		}
		return touch(tx, s.thread)
	})
}

// Queue queues a message of a tool or a hook. It does not take back a Stop.
func (s *State) Queue(ctx context.Context, o Outgoing) (string, error) {
	id, idle, err := s.push(ctx, s.thread, o, false)
	if err == nil && idle {
		s.env.Wake(ctx, s.thread)
	}
	return id, err
}

// InvokeTool runs a function of the hook now and stores nothing.
func (s *State) InvokeTool(ctx context.Context, name string, arguments json.RawMessage) ToolResult {
	result, claimed := s.env.Hook().Dispatch(ctx, Call{ID: "invoked-" + s.newID(), Name: name, Arguments: orEmptyObject(arguments), Thread: s.thread, State: s})
	if !claimed {
		return notRegistered(name)
	}
	return result
}

func orEmptyObject(arguments json.RawMessage) json.RawMessage {
	if len(arguments) == 0 {
		return json.RawMessage("{}")
	}
	return arguments
}

// Env is the value of a variable: the thread's, its agent's, its prompt's, the user's, the machine's.
func (s *State) Env(ctx context.Context, name string) (string, error) {
	var v Value
	var found bool
	err := s.storage.View(ctx, func(tx record.Reader) error {
		t, err := loadThread(tx, s.thread)
		if err != nil {
			return err
		}
		agent, _ := s.definitions.Agent(t.Agent) // a thread outlives its agent's file
		var prompt *Prompt
		if agent != nil {
			prompt, _ = s.definitions.Prompt(agent.side(t.Session.Side).Prompt)
		}
		v, found, err = s.variable(tx, s.thread, agent, prompt, name)
		return err
	})
	if err == nil && !found {
		err = item.Errorf(item.TypeNotFound, "the variable %s has no value in thread %s", name, s.thread)
	}
	return v.Value, err
}

// SetEnv stores a variable, encrypted, also for living descendants.
func (s *State) SetEnv(ctx context.Context, name, value string, secret bool) error {
	return s.SetVariable(ctx, s.thread, Value{name, value, secret})
}

// Get returns a value of the thread, nil if there is none.
func (s *State) Get(ctx context.Context, key string) (json.RawMessage, error) {
	return s.GetValue(ctx, s.thread, key)
}

// Set stores a value of the thread; nil removes it.
func (s *State) Set(ctx context.Context, key string, value any) error {
	return s.SetValue(ctx, s.thread, key, value)
}

// Schedule stores an effect.
func (s *State) Schedule(ctx context.Context, name string, args any, delay time.Duration) (string, error) {
	return s.ScheduleEffect(ctx, s.thread, name, args, delay)
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
