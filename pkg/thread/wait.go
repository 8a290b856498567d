package thread

import (
	"context"
	"time"
)

// How often Wait looks: at once for what is about to end, and rarely for what takes long.
const (
	firstLook = 2 * time.Millisecond
	lastLook  = 250 * time.Millisecond
)

// Wait returns the thread when it is at its end, or suspended: it does not go on by itself then. When the context is over
// first, it returns the thread as it was, and an error. A runner that dies meanwhile ends the wait, as every look does what
// Get does.
func (s *Store) Wait(ctx context.Context, id string) (Thread, error) {
	var seen Thread
	pause := firstLook
	for {
		t, err := s.Get(ctx, id)
		switch {
		case err != nil && ctx.Err() != nil:
			if seen.ID == "" && ctx.Err() == context.DeadlineExceeded { // so short a time that the first look took it all
				if seen, err = s.Get(context.WithoutCancel(ctx), id); err != nil || seen.Resting() {
					return seen, err
				}
			}
			return seen, s.explain("wait", ctx.Err())
		case err != nil || t.Resting():
			return t, err
		}
		seen = t
		select {
		case <-ctx.Done():
		case <-time.After(pause):
		}
		pause = min(pause*5/4, lastLook)
	}
}

// Resting reports whether a thread does not go on by itself.
func (t Thread) Resting() bool { return t.Status.Terminal() || t.Status == Suspended }
