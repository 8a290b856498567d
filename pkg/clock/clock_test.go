package clock

import (
	"context"
	"errors"
	"testing"
	"time"
)

func TestSystem(t *testing.T) {
	var clock System
	before := time.Now()
	if err := clock.Sleep(t.Context(), time.Millisecond); err != nil {
		t.Fatal(err)
	}
	if now := clock.Now(); now.Sub(before) < time.Millisecond || time.Since(now) < 0 {
		t.Errorf("it was %s, a millisecond later it is %s", before, now)
	}
	over := errors.New("over")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(over)
	if err := clock.Sleep(ctx, time.Hour); err != over {
		t.Errorf("sleeping in a context that has ended: %v", err)
	}
}
