package process

import (
	"errors"
	"time"
)

// StopError as the cause of a context says how a run that the context ends is to be stopped.
type StopError struct {
	// Grace replaces Spec.Grace. 0 leaves it as it is, and with less than 0 nobody is asked: all is killed at once.
	Grace  time.Duration
	Reason string
}

func (e *StopError) Error() string {
	if e.Reason == "" {
		return "stopped"
	}
	return e.Reason
}

// grace is the time that a run has to end on its own when it is cut short by cause, which may be nil.
func (s Spec) grace(cause error) time.Duration {
	if stop, ok := errors.AsType[*StopError](cause); ok && stop.Grace != 0 {
		return stop.Grace
	}
	return s.Grace
}
