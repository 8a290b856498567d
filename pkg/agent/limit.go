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
	used := t.used()
	for _, l := range []LimitReached{
		{"max_session_turns", MaxSessionTurns, int64(min(s.TurnsA, s.TurnsB)), int64(agent.MaxSessionTurns)},
		{"max_side_steps", MaxSideSteps, int64(steps), int64(side.MaxSteps)},
		{"turns_exceeded", LimitExceeded, int64(s.Steps), int64(t.Limits.Steps)},
		{"tokens_exceeded", LimitExceeded, used.Total(), t.Limits.Tokens},
		{"spend_exceeded", LimitExceeded, used.Spend, t.Limits.Spend},
		{"duration_exceeded", LimitExceeded, int64(f.now().Sub(s.Started) / time.Second), int64((t.Limits.Duration + time.Second - 1) / time.Second)},
		{"max_total_steps", MaxTotalSteps, int64(s.Steps), int64(hard)},
	} {
		if l.Max > 0 && l.Current >= l.Max+s.Extended[l.Code] {
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
