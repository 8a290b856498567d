package agent

import (
	"fmt"
	"strings"
	"time"

	"github.com/ryeos/rye/pkg/record"
)

// mayCreate looks at what bounds the number of children. The first bound that is reached counts.
func (r *Runtime) mayCreate(tx record.Tx, parent *Thread, siblings []Child, b *birth) error {
	l := parent.Limits
	there := instances(siblings, b.Tool)
	if b.Resumable != nil && b.Resumable.MaxInstances > 0 && len(there) >= b.Resumable.MaxInstances {
		return tooMany(b, there)
	}
	if l.Depth < 0 {
		return refuse("depth_exceeded", "Limit exceeded: depth: this thread may not have children; do the work yourself")
	}
	if l.Spawns > 0 && parent.Spawned >= l.Spawns {
		return refuse("spawns_exceeded", "Limit exceeded: spawns (%d/%d): this thread may not make more children; do the work yourself, or send messages to those that are there", parent.Spawned, l.Spawns)
	}
	if err := mayWork(parent, siblings); err != nil {
		return err
	}
	below, err := countThreads(tx, parent.root(), 0)
	if err != nil {
		return err
	}
	if most := or(l.Threads, DefaultThreads); below+1 >= int64(most) {
		return refuse("threads_exceeded", "Limit exceeded: threads (%d/%d): there are too many threads in this tree; wait until some are done", below+1, most)
	}
	return nil
}

// mayWork looks whether one more child may be at work.
func mayWork(parent *Thread, siblings []Child) error {
	busy := atWork(siblings)
	if most := or(parent.Limits.Concurrent, DefaultConcurrent); len(busy) >= most {
		return refuse("concurrent_exceeded", "Limit exceeded: concurrent (%d/%d): so many subagents are at work; wait for a message of one of them: %s", len(busy), most, list(busy))
	}
	return nil
}

func tooMany(b *birth, there []Child) error {
	return refuse("max_instances", "there may be %d instances of %s at a time (max_instances), and there are: %s. Give one of them its next task with %s instead",
		b.Resumable.MaxInstances, b.Tool, list(there), messageTool)
}

// list names children for models.
func list(all []Child) string {
	labels := make([]string, len(all))
	for i := range all {
		labels[i] = fmt.Sprintf("%s: %s", all[i].label(), all[i].Status)
	}
	return strings.Join(labels, "; ")
}

func or(n, otherwise int) int {
	if n == 0 {
		return otherwise
	}
	return n
}

// childLimits are the agent's, within what the parent has left (spec/agent-runtime D4 #24). t is the child, which may have
// used some already.
func (r *Runtime) childLimits(agent *Agent, parent, t *Thread) (l Limits, err error) {
	s := &parent.Session
	left := func(code string, most, used int64) int64 {
		rest := most + s.Extended[code] - used
		if most <= 0 {
			return 0
		}
		if rest <= 0 && err == nil {
			err = refuse(code, "Limit exceeded: %s (%d/%d): nothing is left for a subagent", code, used, most)
		}
		return rest
	}
	l = parent.Limits
	if l.Depth > 0 {
		if l.Depth--; l.Depth == 0 {
			l.Depth = -1 // none, where 0 is no bound
		}
	}
	used, mine := parent.used(), t.used()
	if rest := left("tokens_exceeded", l.Tokens, used.Total()); rest > 0 {
		l.Tokens = rest + mine.Total()
	}
	if rest := left("spend_exceeded", l.Spend, used.Spend); rest > 0 {
		l.Spend = rest + mine.Spend
	}
	if s.Active {
		l.Steps = int(left("turns_exceeded", int64(l.Steps), int64(s.Steps)))
		l.Duration = time.Duration(left("duration_exceeded", int64(l.Duration/time.Second), int64(r.now().Sub(s.Started)/time.Second))) * time.Second
	}
	return agent.Limits.within(l), err
}
