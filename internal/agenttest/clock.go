package agenttest

import (
	"context"
	"runtime"
	"sync"
	"time"
)

// Clock stands still until it is advanced.
type Clock struct {
	mu      sync.Mutex
	now     time.Time
	waiters map[chan struct{}]time.Time
}

// NewClock starts at a fixed moment.
func NewClock() *Clock {
	return &Clock{now: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), waiters: map[chan struct{}]time.Time{}}
}

// Now implements agent.Clock.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// Sleep implements agent.Clock: it returns when Advance has reached the time.
func (c *Clock) Sleep(ctx context.Context, d time.Duration) error {
	c.mu.Lock()
	if d <= 0 {
		c.mu.Unlock()
		return context.Cause(ctx)
	}
	woken := make(chan struct{})
	c.waiters[woken] = c.now.Add(d)
	c.mu.Unlock()
	select {
	case <-woken:
		return nil
	case <-ctx.Done():
		c.mu.Lock()
		delete(c.waiters, woken)
		c.mu.Unlock()
		return context.Cause(ctx)
	}
}

// Advance moves the time on and wakes who waited for it.
func (c *Clock) Advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
	for woken, until := range c.waiters {
		if !until.After(c.now) {
			close(woken)
			delete(c.waiters, woken)
		}
	}
}

// Sleepers counts who waits for a time of at least d from now.
func (c *Clock) Sleepers(d time.Duration) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := 0
	for _, until := range c.waiters {
		if until.Sub(c.now) >= d {
			n++
		}
	}
	return n
}

// Pass lets time pass as fast as those who wait for it can follow, a second at a time, until the context ends.
func (c *Clock) Pass(ctx context.Context) {
	for ctx.Err() == nil {
		c.Advance(time.Second)
		runtime.Gosched()
	}
}
