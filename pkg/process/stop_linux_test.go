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

// Without any grace nobody is asked first: that would end a program that does not handle the request.
func TestStopAtOnce(t *testing.T) {
	dir := t.TempDir()
	ctx, cancel := context.WithCancelCause(t.Context())
	spec := shell("sleep 100 & : >ready; exec sleep 100")
	spec.Dir = dir
	go func() {
		waitUntil(func() bool { return noted(dir, []string{"ready"}) })
		cancel(&StopError{Grace: -1})
	}()
	res, err := Run(ctx, spec)
	if err != nil {
		t.Fatal(err)
	}
	if res.Signal != "SIGKILL" || res.Reaped != 1 || res.Survivors != 0 {
		t.Errorf("%+v", res)
	}
}

func TestStopErrorText(t *testing.T) {
	for want, e := range map[string]*StopError{"stopped": {Grace: 1}, "budget used up": {Reason: "budget used up"}} {
		if got := e.Error(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
