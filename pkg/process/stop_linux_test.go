package process

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"
)

func TestStopError(t *testing.T) {
	const long, short = time.Minute, 20 * time.Millisecond
	tests := []struct {
		name   string
		shape  string
		spec   time.Duration
		stop   error
		signal string
	}{
		{"shorter", "deaf", long, &StopError{Grace: short}, "SIGKILL"},
		{"wrapped", "deaf", long, fmt.Errorf("because: %w", &StopError{Grace: short}), "SIGKILL"},
		{"longer", "child", 1, &StopError{Grace: long}, "SIGTERM"},
		{"as it is", "child", long, &StopError{}, "SIGTERM"},
		{"at once", "child", long, &StopError{Grace: -1}, "SIGKILL"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			ctx, cancel := context.WithCancelCause(t.Context())
			spec := helperSpec("leader", dir, tt.shape, "stay")
			spec.Grace = tt.spec
			go func() {
				waitUntil(func() bool { return noted(dir, []string{"ready"}) })
				cancel(tt.stop)
			}()
			res, err := Run(ctx, spec)
			if err != nil {
				t.Fatal(err)
			}
			if res.Signal != tt.signal || !errors.Is(res.Cancelled, tt.stop) || res.Survivors != 0 {
				t.Errorf("%+v", res)
			}
			if res.Duration > long/2 {
				t.Errorf("took %v", res.Duration)
			}
		})
	}
}

func TestStopErrorText(t *testing.T) {
	for want, e := range map[string]*StopError{"stopped": {Grace: 1}, "budget used up": {Reason: "budget used up"}} {
		if got := e.Error(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
