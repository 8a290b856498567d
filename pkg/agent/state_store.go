package agent

import (
	"context"
	"encoding/json"
	"time"

	"github.com/ryeos/rye/pkg/item"
	"github.com/ryeos/rye/pkg/record"
)

// Env is the value of a variable: the thread's, that of the prompt's entry for the tool, the agent's, the prompt's, the
// user's, the machine's. Without one it is an error.
func (s *State) Env(ctx context.Context, name string) (string, error) {
	v, found, err := s.lookup(ctx, name)
	if err == nil && !found {
		err = item.Errorf(item.TypeNotFound, "the variable %s has no value in thread %s", name, s.thread)
	}
	return v.Value, err
}

// IsSecret reports whether models must not see a variable. What nobody has declared is a secret.
func (s *State) IsSecret(ctx context.Context, name string) (bool, error) {
	v, _, err := s.lookup(ctx, name)
	return v.Secret, err
}

// InstanceEnv is the value that a variable has for every thread: the user's or the machine's.
func (s *State) InstanceEnv(name string) (string, bool) { return s.env.Variable(name) }

func (s *State) lookup(ctx context.Context, name string) (v Value, found bool, err error) {
	err = s.storage.View(ctx, func(tx record.Reader) error {
		t, err := loadThread(tx, s.thread)
		if err != nil {
			return err
		}
		agent, _ := s.definitions.Agent(t.Agent) // a thread outlives its agent's file
		var prompt *Prompt
		if agent != nil {
			prompt, _ = s.definitions.Prompt(agent.side(t.Session.Side).Prompt)
		}
		if value, ok := s.toolEnv[name]; ok {
			agent = &Agent{Env: map[string]string{name: value}} // it comes where the agent's does, and before it
		}
		v, found, err = s.variable(tx, s.thread, agent, prompt, name)
		return err
	})
	return v, found, err
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

// Effects are those of the thread; of one name, if it is given.
func (s *State) Effects(ctx context.Context, name string) ([]Effect, error) {
	return s.Runtime.Effects(ctx, s.thread, name)
}

// CancelEffect takes back an effect of the thread that has not begun, and reports whether it did.
func (s *State) CancelEffect(ctx context.Context, id string) (bool, error) {
	return s.Runtime.CancelEffect(ctx, s.thread, id)
}

// Values are a page of the thread's values.
func (s *State) Values(ctx context.Context, o ValueRange) ([]Pair, error) {
	return s.ListValues(ctx, s.thread, o)
}

// Logs are the calls of models of the thread, oldest first.
func (s *State) Logs(ctx context.Context) ([]ModelLog, error) { return s.ModelLogs(ctx, s.thread) }
