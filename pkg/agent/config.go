package agent

import (
	"context"
	"crypto/rand"
	"fmt"
	"sync"
	"time"

	"github.com/ryeos/rye/pkg/item"
	"github.com/ryeos/rye/pkg/record"
)

// Config is what a Runtime is made of (seed 003, "Composition"). A program supplies one; tests supply a storage in memory,
// a provider that plays a script, and NopEnv.
type Config struct {
	Storage     record.Storage
	Provider    Provider
	Definitions Definitions
	Clock       Clock

	Env   Env    // NopEnv{} if nil
	Owner string // who runs flows here: opaque to the engine, understood by Env.Alive; random if empty
	Key   []byte // 32 bytes that variables of threads are encrypted with; without it threads cannot have any
	Retry Retry
	NewID func() string // ids of threads and flows; random UUIDs if nil
}

// Clock is the engine's only time. Waiting happens inside a flow: for the next attempt at a provider, and between two looks
// at what other processes want. Nothing is ever started because time passed.
type Clock interface {
	Now() time.Time
	Sleep(ctx context.Context, d time.Duration) error // the cause of ctx's end if that came first
}

// Retry says how often a model is asked again that could not answer. A provider that says when to come back is believed.
type Retry struct {
	Attempts int           // after the first, for each model; DefaultRetries if 0, none if negative
	Base     time.Duration // before the first of them, then twice as long each time; a second if 0
	Max      time.Duration // two minutes if 0
}

// Defaults of limits (spec/agent-runtime D4).
const (
	DefaultRetries    = 3
	DefaultHardSteps  = 250 // in a session
	DefaultConcurrent = 5   // children of a thread at a time
	DefaultThreads    = 20  // in a tree of threads
	DefaultImages     = 10  // messages back to which pictures are shown as pictures
	sameErrors        = 8   // tool results in a row with one and the same error end the session
)

// Runtime runs threads. Goroutines may share it, and processes share its storage: a thread is run by one of them at a time.
type Runtime struct {
	storage     record.Storage
	provider    Provider
	definitions Definitions
	clock       Clock
	env         Env
	owner       string
	key         []byte
	retry       Retry
	newID       func() string

	mu      sync.Mutex
	flows   map[string]*flow // that run here, by thread
	effects map[string]bool  // that run here
}

// New makes a Runtime.
func New(c Config) (*Runtime, error) {
	for name, missing := range map[string]bool{
		"Storage": c.Storage == nil, "Provider": c.Provider == nil, "Definitions": c.Definitions == nil, "Clock": c.Clock == nil,
	} {
		if missing {
			return nil, item.Usagef("an agent runtime needs a %s", name)
		}
	}
	if len(c.Key) != 0 && len(c.Key) != keySize {
		return nil, item.Usagef("the key for variables has %d bytes, not %d", len(c.Key), keySize)
	}
	r := &Runtime{
		storage: c.Storage, provider: c.Provider, definitions: c.Definitions, clock: c.Clock,
		env: c.Env, owner: c.Owner, key: c.Key, retry: c.Retry.withDefaults(), newID: c.NewID,
		flows: map[string]*flow{}, effects: map[string]bool{},
	}
	if r.env == nil {
		r.env = NopEnv{}
	}
	if r.newID == nil {
		r.newID = newID
	}
	if r.owner == "" {
		r.owner = newID()
	}
	return r, nil
}

func (p Retry) withDefaults() Retry {
	switch {
	case p.Attempts == 0:
		p.Attempts = DefaultRetries
	case p.Attempts < 0:
		p.Attempts = 0
	}
	if p.Base == 0 {
		p.Base = time.Second
	}
	if p.Max == 0 {
		p.Max = 2 * time.Minute
	}
	return p
}

// now is cut to microseconds, as it is stored.
func (r *Runtime) now() time.Time { return r.clock.Now().UTC().Truncate(time.Microsecond) }

// newID makes a random UUID (version 4).
func newID() string {
	var b [16]byte
	rand.Read(b[:]) // never fails
	b[6] = b[6]&0x0f | 0x40
	b[8] = b[8]&0x3f | 0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}
