// Package clock is the real time, for packages that have none of their own: the agent runtime asks for a clock, and tests
// give it one that stands still.
package clock

import (
	"context"
	"time"
)

// System is the clock of the machine.
type System struct{}

// Now is the time.
func (System) Now() time.Time { return time.Now() }

// Sleep waits. The error is the cause of the context's end, if that came first.
func (System) Sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
