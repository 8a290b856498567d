package agent

import "context"

// Env is the engine's only way to the world (seed 003, "Env"). Embed NopEnv and define what you need. Variable and Alive are
// also called in transactions, and so are the Definitions: they must not use the storage.
type Env interface {
	// Hook is the one composite hook: it never changes while flows run.
	Hook() Hook

	// OnAgentEvent sees every event of every thread, in the order in which they happen in a thread.
	OnAgentEvent(agent, thread string, e Event)

	// SubscribeEvents is a feed of the events of all threads, for a program that shows them; false if there is none.
	SubscribeEvents() (<-chan Event, bool)

	// DiscoverInstructions collects what instruction files say to whoever works in a folder; false if there are none.
	DiscoverInstructions(cwd string) (string, bool)

	// EffectiveCWD is the folder that a thread works in.
	EffectiveCWD(thread string) string

	// Variable is a value of the user's or the machine's environment, after those of the thread, its agent and its prompt.
	Variable(name string) (string, bool)

	// Wake says that a thread has something to do and nobody runs it. The work is in the storage: a program that misses a
	// call, or does nothing here, finds the thread in Runtime.Pending.
	Wake(ctx context.Context, thread string)

	// Alive reports whether the owner of a flow may still be running. One that is known to be gone is replaced at once,
	// one that may be there when its heartbeat has been missing for StaleAfter.
	Alive(owner string) bool
}

// NopEnv is an Env without a world: no tools, no listeners, no instructions.
type NopEnv struct{}

// Hook implements Env.
func (NopEnv) Hook() Hook { return NopHook{} }

// OnAgentEvent implements Env.
func (NopEnv) OnAgentEvent(string, string, Event) {}

// SubscribeEvents implements Env.
func (NopEnv) SubscribeEvents() (<-chan Event, bool) { return nil, false }

// DiscoverInstructions implements Env.
func (NopEnv) DiscoverInstructions(string) (string, bool) { return "", false }

// EffectiveCWD implements Env.
func (NopEnv) EffectiveCWD(string) string { return "" }

// Variable implements Env.
func (NopEnv) Variable(string) (string, bool) { return "", false }

// Wake implements Env.
func (NopEnv) Wake(context.Context, string) {}

// Alive implements Env.
func (NopEnv) Alive(string) bool { return true }
