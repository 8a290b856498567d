package process

import (
	"fmt"
	"io"
	"os"
)

// Program is a program that lives on by itself.
type Program struct {
	Path string   // absolute path of the program
	Argv []string // with argv[0]
	Env  []string // "K=V", complete: nothing is inherited; RYE_RUN_ID and RYE_DETACHED are set by Detach
	Dir  string   // "" means the directory of this process

	// Tag is the RYE_RUN_ID of the program: the runs that it starts are below it, and KillRun finds them by it. Nothing
	// connects it with a run that this process is part of. A slash in it would put it below another tag.
	Tag string

	Log *os.File // standard output and standard error; nil means the null device
}

// Detached is a program that Detach has started.
type Detached struct {
	Identity Identity
	Stdin    io.WriteCloser // the program's standard input; to be closed
}

// Detach starts a program that is no run: it leads its own session, has no terminal, holds nothing of this process but
// its three standard streams, and nothing ends it, neither the end of this process nor that of a run that this process
// is part of, if that run has the program as its Spec.Spare. When it ends, it leaves no zombie.
//
// A program that starts others only after it was told to on its standard input can be found by KillRun with everything that
// it has started; what one that does not wait starts in its first moment may escape by clearing its environment.
//
// On Windows it leaves the job object of such a run only if that allows it, which those made by Run do not.
//
// The error wraps the operating system's.
func Detach(p Program) (*Detached, error) {
	if err := p.check(); err != nil {
		return nil, err
	}
	log := p.Log
	if log == nil {
		null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
		if err != nil {
			return nil, fmt.Errorf("cannot start %s: %w", p.Path, err)
		}
		defer null.Close()
		log = null
	}
	stdin, ours, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("cannot start %s: %w", p.Path, err)
	}
	defer stdin.Close()
	id, err := detach(&p, [3]*os.File{stdin, log, log})
	if err != nil {
		ours.Close()
		return nil, startError(p.Path, p.Dir, err)
	}
	return &Detached{Identity: id, Stdin: ours}, nil
}

func (p *Program) check() error {
	if p.Tag == "" || len(p.Tag) > maxProgramTag {
		return fmt.Errorf("cannot start %s: its tag must have 1 to %d bytes, not %d", p.Path, maxProgramTag, len(p.Tag))
	}
	return checkCommand(p.Path, p.Argv, p.env())
}

func (p *Program) env() []string { return markedEnv(p.Env, tagKey+"="+p.Tag, detachedKey+"=1") }
