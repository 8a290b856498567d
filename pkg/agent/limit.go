package agent

import (
	"fmt"
	"regexp"
	"sync"
	"time"

	"github.com/ryeos/rye/pkg/record"
)

// LimitReached is a bound that a thread has come to.
type LimitReached struct {
	Code    string `json:"code"` // turns_exceeded, tokens_exceeded, …
	Reason  Reason `json:"reason"`
	Current int64  `json:"current"`
	Max     int64  `json:"max"`
}

func (l *LimitReached) Error() string {
	return fmt.Sprintf("Limit exceeded: %s (%d/%d)", l.Code, l.Current, l.Max)
}

// limit looks for a bound that another step would exceed. They are the last of the stop conditions (seed 004 §6).
func (f *flow) limit(agent *Agent) *LimitReached {
	t, s := f.thread, &f.thread.Session
	side, steps := agent.side(s.Side), s.StepsA
	if s.Side == SideB {
		steps = s.StepsB
	}
	hard := t.Limits.HardSteps
	if hard == 0 {
		hard = DefaultHardSteps
	}
	if over := t.reached(
		LimitReached{"max_session_turns", MaxSessionTurns, int64(min(s.TurnsA, s.TurnsB)), int64(agent.MaxSessionTurns)},
		LimitReached{"max_side_steps", MaxSideSteps, int64(steps), int64(side.MaxSteps)},
		LimitReached{"turns_exceeded", LimitExceeded, int64(s.Steps), int64(t.Limits.Steps)},
	); over != nil {
		return over
	}
	if over := t.overspent(); over != nil {
		return over
	}
	return t.reached(
		LimitReached{"duration_exceeded", LimitExceeded, int64(f.now().Sub(s.Started) / time.Second), int64((t.Limits.Duration + time.Second - 1) / time.Second)},
		LimitReached{"max_total_steps", MaxTotalSteps, int64(s.Steps), int64(hard)},
	)
}

// spend counts what a thread has used, for those above it as well: what a tree of threads may use holds while its children
// are at work, and not only when they are done.
func (t *Thread) spend(tx record.Tx, u Usage) error {
	t.Usage.add(u)
	t.Session.Usage.add(u)
	if u == (Usage{}) {
		return nil
	}
	for id := t.Parent; id != ""; {
		above, err := threads.get(tx, id, the)
		if err != nil || above == nil {
			return err
		}
		above.Below.add(u)
		if err := threads.put(tx, id, the, above); err != nil {
			return err
		}
		id = above.Parent
	}
	return nil
}

// limitAbove looks for a bound of the threads above, which children at work use up together.
func (f *flow) limitAbove() (over *LimitReached, err error) {
	if f.thread.Parent == "" {
		return nil, nil
	}
	err = f.storage.View(f.ctx, func(tx record.Reader) error {
		for id := f.thread.Parent; id != "" && over == nil; {
			t, err := threads.get(tx, id, the)
			if err != nil || t == nil {
				return err
			}
			over, id = t.overspent(), t.Parent
		}
		return nil
	})
	return over, err
}

// overspent is the bound of tokens or money that a thread and all below it have come to.
func (t *Thread) overspent() *LimitReached {
	used := t.used()
	return t.reached(LimitReached{"tokens_exceeded", LimitExceeded, used.Total(), t.Limits.Tokens},
		LimitReached{"spend_exceeded", LimitExceeded, used.Spend, t.Limits.Spend})
}

// reached is the first of the bounds that another step would exceed.
func (t *Thread) reached(bounds ...LimitReached) *LimitReached {
	for _, l := range bounds {
		if l.Max > 0 && l.Current >= l.Max+t.Session.Extended[l.Code] {
			return &l
		}
	}
	return nil
}

// used is what a thread and all below it have used.
func (t *Thread) used() Usage {
	u := t.Usage
	u.add(t.Below)
	return u
}

// atLimit asks the hooks whether the limit holds. It reports whether the step may be done.
func (f *flow) atLimit(agent *Agent, prompt *Prompt, over *LimitReached) (bool, error) {
	d := &PointData{Scope: Scope{Agent: agent, Prompt: prompt}, Limit: over}
	f.hook(AtLimit, d)
	switch {
	case d.Suspend:
		return false, f.end(ending{reason: Suspended, err: over, leave: true})
	case d.Extend > 0:
		return false, f.update(func(_ record.Tx, t *Thread) error {
			if t.Session.Extended == nil {
				t.Session.Extended = map[string]int64{}
			}
			t.Session.Extended[over.Code] += d.Extend
			return nil
		})
	case over.Reason == LimitExceeded:
		return false, f.end(ending{reason: over.Reason, err: over})
	}
	return false, f.end(ending{reason: over.Reason})
}

var changing = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`[0-9]+|"[^"]*"|'[^']*'`) })

// repeatedError reports whether the newest tool results all failed with the same error, but for numbers and names in it: a
// model that does not learn is not asked again.
func (f *flow) repeatedError() bool {
	same, n := "", 0
	for i := len(f.history) - 1; i >= 0 && n < sameErrors; i-- {
		m := &f.history[i]
		if m.Role == User && m.Side == "" {
			return false // somebody has said something since
		}
		if m.Role != ToolRole {
			continue
		}
		message := changing().ReplaceAllString(m.Content, "#")
		if m.ToolStatus != ToolFailed || n > 0 && message != same {
			return false
		}
		same, n = message, n+1
	}
	return n == sameErrors
}
