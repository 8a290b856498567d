package graph

import (
	"cmp"
	"context"
	"iter"
	"strings"
	"time"

	"github.com/ryeos/rye/pkg/item"
)

// Env is the world of a run. Execute and Now are called by several goroutines at once, everything else by one at a time.
type Env interface {
	// Execute runs one action and gives its response in any form that has a JSON form. A response whose status is error,
	// and an error, mean that the action failed: both are final, and nothing of it runs on. After ctx is done the error
	// may also mean that nobody knows, and the walker treats it so. A thread that is continued by another one counts as
	// running until the last of them has ended. The parameters belong to the walker.
	Execute(ctx context.Context, a Action) (response any, err error)
	// LookupEnv looks a variable up.
	LookupEnv(name string) (value string, ok bool)
	// Emit tells what happens. A resumed run may tell something again.
	Emit(e Event)
	Now() time.Time
	// Sleep waits for d, or until ctx is done.
	Sleep(ctx context.Context, d time.Duration) error
}

// Action is a call of an item whose expressions are filled.
type Action struct {
	Primary string   // execute, fetch, sign
	Ref     item.Ref // zero for a fetch by query
	Params  map[string]any
	Target  string // local or remote:NAME
	Thread  string // inline, or fork for directives
	Async   bool

	RunID   string
	Node    string
	Attempt int // from 1
	// Key is the same whenever this very action is executed again because a run was killed, and differs from those of all
	// others.
	Key string
}

// Capability is what a run must be allowed to do to execute the action.
func (a Action) Capability() string {
	capability := "rye." + a.Primary
	kind, id := string(a.Ref.Kind), strings.ReplaceAll(a.Ref.ID, "/", ".")
	if a.Ref.ID == "" {
		scope, _ := a.Params["scope"].(string)
		scope = strings.TrimPrefix(scope, "rye."+a.Primary+".")
		kind, _, _ = strings.Cut(scope, ".")
		if _, err := item.ParseKind(kind); err != nil {
			return capability
		}
	}
	return strings.TrimSuffix(capability+"."+kind+"."+id, ".")
}

// target names what the action is about, for people.
func (a Action) target() string {
	if a.Ref.ID == "" {
		return "by query"
	}
	return a.Ref.String()
}

// Journal keeps the records of one run. Append may be called by several goroutines at once.
type Journal interface {
	// Append adds a record; it is durable when Append returns nil. After an error nothing else can be added.
	Append(record []byte) error
	// Replace puts one record in the place of all that were appended before, which happens as a whole or not at all.
	Replace(record []byte) error
	// Records gives the records in order. They belong to the caller.
	Records() iter.Seq2[[]byte, error]
}

// Cache keeps results of nodes with `cache_result`. It is used by several goroutines at once.
type Cache interface {
	// Snapshot is a digest of what a result depends on besides the action: the item's content and the configuration.
	Snapshot(ref item.Ref) (string, error)
	Get(key string) (result map[string]any, ok bool)
	Put(key, node string, result map[string]any) error
}

// Classification says what kind of failure an error is (spec/rye-agent §6.5).
type Classification struct {
	Code      string
	Category  string
	Retryable bool
	Delay     time.Duration // before the next attempt; 0: the walker's own backoff
}

// unclassified is what every failure is when nobody knows better.
func unclassified(message, code string, attempt int) Classification {
	return Classification{Code: cmp.Or(code, "default"), Category: "permanent"}
}

// Event is something that happened in a run (spec/rye-agent §3.11).
type Event struct {
	Type    string
	Payload map[string]any
}
