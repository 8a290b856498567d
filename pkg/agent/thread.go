package agent

import (
	"context"
	"encoding/json"
	"time"

	"github.com/ryeos/rye/pkg/item"
	"github.com/ryeos/rye/pkg/record"
)

// Thread is a conversation that lasts (seed 004): its own messages, files, values and variables.
type Thread struct {
	ID         string          `json:"id"`
	Name       string          `json:"name,omitempty"`   // for people
	Agent      string          `json:"agent"`            // a handoff changes it
	Origin     string          `json:"origin,omitempty"` // the agent that it began with, after a handoff
	Sender     string          `json:"sender,omitempty"` // who it talks to
	Parent     string          `json:"parent_id,omitempty"`
	Root       string          `json:"root_id,omitempty"` // of the tree of threads; itself if empty
	Depth      int             `json:"depth,omitempty"`   // below the root
	Created    time.Time       `json:"created_at"`
	Terminated time.Time       `json:"terminated_at,omitzero"`
	Arguments  json.RawMessage `json:"arguments,omitempty"` // an object: what {{name}} in prompts stands for
	Digest     string          `json:"digest,omitempty"`    // of the agent's definition when the thread began
	Limits     Limits          `json:"limits,omitzero"`
	Usage      Usage           `json:"usage,omitzero"` // in its life, without its children
	Below      Usage           `json:"below,omitzero"` // of its children and theirs
	Spawned    int             `json:"spawned,omitempty"`
	Status     Status          `json:"status"`
	Session    Session         `json:"session"`
	Mark       string          `json:"mark,omitempty"`    // the message at which the last compaction ended
	Archive    string          `json:"archive,omitempty"` // its summary
}

// Session is one autonomous run of a thread, from the first message to the stop. Counters begin anew with each.
type Session struct {
	Number  int       `json:"number"`
	Active  bool      `json:"active,omitempty"`
	Side    SideName  `json:"side,omitempty"` // whose turn it is
	Steps   int       `json:"steps,omitempty"`
	StepsA  int       `json:"steps_a,omitempty"`
	StepsB  int       `json:"steps_b,omitempty"`
	TurnsA  int       `json:"turns_a,omitempty"`
	TurnsB  int       `json:"turns_b,omitempty"`
	Started time.Time `json:"started_at,omitzero"`
	Usage   Usage     `json:"usage,omitzero"`
	Reason  Reason    `json:"reason,omitempty"`   // why the last one ended
	Text    string    `json:"response,omitempty"` // what was said last
	Error   string    `json:"error,omitempty"`

	Since     string           `json:"since,omitempty"`     // the message that the turn answers: a prompt without IncludeChat sees no older one
	Open      string           `json:"open,omitempty"`      // the response whose tools and stop check are outstanding
	Forced    SideName         `json:"forced,omitempty"`    // whose turn comes next, whatever the rules say
	Activated map[string]int   `json:"activated,omitempty"` // prompts whose immediate children were started, by side
	Extended  map[string]int64 `json:"extended,omitempty"`  // what a hook gave beyond limits, by code
	Nudges    int              `json:"nudges,omitempty"`
}

// Status is the state of a thread as registries show it (spec/agent-runtime D5).
type Status string

// States of threads.
const (
	StatusCreated    Status = "created"
	StatusRunning    Status = "running"
	StatusIdle       Status = "idle" // the last session ended well
	StatusFailed     Status = "failed"
	StatusAwaiting   Status = "awaiting_human"
	StatusStopped    Status = "stopped"
	StatusSuspended  Status = "suspended"
	StatusTerminated Status = "terminated"
)

// Outcome is how a run of a thread ended.
type Outcome struct {
	Thread string `json:"thread_id"`
	Reason Reason `json:"reason,omitempty"`
	Status Status `json:"status"`
	Text   string `json:"response,omitempty"`
	Steps  int    `json:"steps"`
	Usage  Usage  `json:"usage"`
	Error  string `json:"error,omitempty"`
}

// NewThread is what a thread begins with.
type NewThread struct {
	ID        string // of the host; random if empty
	Agent     string
	Name      string
	Sender    string          // "user" if empty
	Arguments json.RawMessage // an object
	Limits    Limits          // narrow those of the agent
	Variables []Value
}

// Value is a variable of a thread. Secrets are never shown to models, and both are encrypted in the storage.
type Value struct {
	Name   string
	Value  string
	Secret bool
}

// Create makes a thread. It runs nothing: Send a message, then Run.
func (r *Runtime) Create(ctx context.Context, n NewThread) (*Thread, error) {
	agent, err := r.definitions.Agent(n.Agent)
	if err != nil {
		return nil, err
	}
	var object map[string]json.RawMessage
	if len(n.Arguments) > 0 && json.Unmarshal(n.Arguments, &object) != nil {
		return nil, item.Usagef("the arguments of a thread are a JSON object, not %s", item.Quote(prefix(string(n.Arguments), 40)))
	}
	t := &Thread{ID: n.ID, Name: n.Name, Agent: n.Agent, Sender: n.Sender, Created: r.now(), Arguments: n.Arguments,
		Digest: agent.Digest, Limits: agent.Limits.within(n.Limits), Status: StatusCreated}
	if t.ID == "" {
		t.ID = r.newID()
	}
	if t.Sender == "" {
		t.Sender = "user"
	}
	err = r.storage.Update(ctx, func(tx record.Tx) error {
		if old, err := threads.get(tx, t.ID, the); err != nil || old != nil {
			if err == nil {
				err = item.Usagef("there is a thread %s already", t.ID)
			}
			return err
		}
		if err := r.setVariables(tx, t.ID, n.Variables, true); err != nil {
			return err
		}
		return threads.put(tx, t.ID, the, t)
	})
	if err != nil {
		return nil, err
	}
	r.lifecycle(ctx, AfterThreadCreated, &PointData{Scope: Scope{Thread: t.ID, Agent: agent}, State: r.state(t.ID, nil)})
	return t, nil
}

// Thread returns a thread.
func (r *Runtime) Thread(ctx context.Context, id string) (*Thread, error) {
	var t *Thread
	err := r.storage.View(ctx, func(tx record.Reader) (err error) {
		t, err = loadThread(tx, id)
		return err
	})
	return t, err
}

func loadThread(tx record.Reader, id string) (*Thread, error) {
	t, err := threads.get(tx, id, the)
	if err == nil && t == nil {
		err = item.Errorf(item.TypeNotFound, "there is no thread %s", id).Hint("rye threads list")
	}
	return t, err
}

// loadLive returns a thread that has not been terminated.
func loadLive(tx record.Reader, id string) (*Thread, error) {
	t, err := loadThread(tx, id)
	if err == nil && !t.Terminated.IsZero() {
		err = terminated(id)
	}
	return t, err
}

// root is the id of the tree that a thread belongs to.
func (t *Thread) root() string {
	if t.Root != "" {
		return t.Root
	}
	return t.ID
}

// within narrows limits by others: of two bounds the smaller counts.
func (l Limits) within(m Limits) Limits {
	return Limits{
		Steps: lesser(l.Steps, m.Steps), Tokens: lesser(l.Tokens, m.Tokens), Spend: lesser(l.Spend, m.Spend),
		Duration: lesser(l.Duration, m.Duration), Spawns: lesser(l.Spawns, m.Spawns), Depth: lesser(l.Depth, m.Depth),
		Concurrent: lesser(l.Concurrent, m.Concurrent), Threads: lesser(l.Threads, m.Threads), HardSteps: lesser(l.HardSteps, m.HardSteps),
	}
}

func lesser[N int | int64 | time.Duration](a, b N) N {
	if a == 0 || b != 0 && b < a {
		return b
	}
	return a
}
