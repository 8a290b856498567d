package process

import (
	"os"
	"time"
)

// Starter starts programs where they need not be started from nothing. All else of a run stays as it is: the capture, its
// limits, the deadline and the end.
type Starter interface {
	// Start starts the program of the spec with these standard streams, which it does not close, as a run of that tag. Without a
	// program nothing has begun, and it is started the usual way.
	Start(spec *Spec, tag string, files [3]*os.File) Started
}

// Started is a program that runs, and everything that it has started.
type Started interface {
	PID() int
	Exited() <-chan struct{} // closed when the program itself has ended

	// Terminate asks all of it to end, and returns when it has or the grace is over.
	Terminate(grace time.Duration)

	// End kills what is left. cut means that the program may still run; held is asked whether anybody still has one of its
	// output pipes.
	End(cut bool, held func() bool) Ending
}

// Ending is how a program and what it had started ended. The fields are those of Result.
type Ending struct {
	ExitCode             int
	Signal               string
	UserTime, SystemTime time.Duration
	MaxRSS               int64
	Killed, Survivors    int
}

// TagKey and DetachedKey are the variables that Starters set as Run does: the first to the tag, the second not at all.
const (
	TagKey      = tagKey
	DetachedKey = detachedKey
)

func (t *tree) PID() int                { return t.pid }
func (t *tree) Exited() <-chan struct{} { return t.exited }

func (s *Spec) start(files [3]*os.File) (Started, error) {
	if s.Starter != nil {
		if started := s.Starter.Start(s, newTag(ownTag), files); started != nil {
			return started, nil
		}
	}
	return startTree(s, files)
}
