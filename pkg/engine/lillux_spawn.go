package engine

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"syscall"
	"time"

	"github.com/ryeos/rye/pkg/process"
	"github.com/ryeos/rye/pkg/thread"
)

// LilluxSpawned is a program that was started and left alone.
type LilluxSpawned struct {
	Error   string `json:"error,omitempty"`
	PID     int    `json:"pid,omitempty"`
	Success bool   `json:"success"`
}

// spawnTag starts the run ids of what LilluxSpawn has started: LilluxKill knows by them what belongs to a program.
const spawnTag = "lillux-"

// inputTime is how long a spawned program may take to read its standard input. What fits into a pipe takes none.
const inputTime = 10 * time.Second

// LilluxSpawn starts a program that lives on by itself, in a session of its own. log takes what it prints: "" drops that.
func LilluxSpawn(c LilluxCommand, log string) LilluxSpawned {
	env := c.environ()
	program, err := c.find(env)
	if err != nil {
		return LilluxSpawned{Error: "Failed to spawn: " + osText(err)}
	}
	p := process.Program{
		Path: program, Argv: append([]string{c.Program}, c.Args...), Env: env, Dir: c.Dir, Tag: spawnTag + thread.NewID(),
	}
	if log != "" {
		p.Log, err = os.OpenFile(log, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600) // what programs print may be secret
		if err != nil {
			return LilluxSpawned{Error: "Failed to open log file: " + osText(err)}
		}
		defer p.Log.Close()
	}
	started, err := process.Detach(p)
	if err != nil {
		return LilluxSpawned{Error: "Failed to spawn: " + osText(err)}
	}
	if err := feed(started.Stdin, c.Stdin); err != nil {
		started.Identity.Kill() // with half of its input it would do something else
		process.KillRun(p.Tag)
		return LilluxSpawned{Error: "Failed to write stdin: " + err.Error()}
	}
	return LilluxSpawned{PID: started.Identity.PID, Success: true}
}

// feed writes a program's input. A program that does not want it is no error; one that never reads it is.
func feed(stdin io.WriteCloser, data []byte) error {
	defer stdin.Close()
	if len(data) == 0 {
		return nil
	}
	if pipe, ok := stdin.(*os.File); ok {
		pipe.SetWriteDeadline(time.Now().Add(inputTime)) // Windows cannot; there it waits
	}
	_, err := stdin.Write(data)
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded):
		return fmt.Errorf("the program did not read it within %s", inputTime)
	case errors.Is(err, syscall.EPIPE):
		return nil
	}
	return err
}

// LilluxLife tells whether a process lives.
type LilluxLife struct {
	Alive bool `json:"alive"`
	PID   int  `json:"pid"`
}

// LilluxStatus looks at a process, whoever owns it. A zombie is dead.
func LilluxStatus(pid int) LilluxLife {
	id, err := process.Identify(pid)
	return LilluxLife{Alive: err == nil && id.Alive(), PID: pid}
}

// The ways in which LilluxKill ended a process.
const (
	lilluxDead       = "already_dead"
	lilluxTerminated = "terminated" // it ended when it was asked to
	lilluxKilled     = "killed"
)

// LilluxKilled is what became of a process that was to end.
type LilluxKilled struct {
	Error   string `json:"error,omitempty"`
	Method  string `json:"method,omitempty"`
	PID     int    `json:"pid"`
	Success bool   `json:"success"`
}

// LilluxKill asks a process to end and kills it when the grace is over. If it leads a process group the whole group is
// meant, and if LilluxSpawn has started it, then also what left the group, as far as the system can tell (Linux).
func LilluxKill(ctx context.Context, pid int, grace time.Duration) LilluxKilled {
	id, err := process.Identify(pid)
	if err != nil || !id.Alive() {
		return LilluxKilled{Method: lilluxDead, PID: pid, Success: true}
	}
	v := victimOf(id)
	method := lilluxTerminated
	switch err := v.terminate(); {
	case errors.Is(err, os.ErrProcessDone):
		method = lilluxDead
	case err != nil:
		return LilluxKilled{Error: "SIGTERM failed: " + osText(err), PID: pid}
	}
	if !v.gone(ctx, grace) {
		method = lilluxKilled
		if err := v.kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
			return LilluxKilled{Error: "SIGKILL failed: " + osText(err), PID: pid}
		}
		if !v.gone(ctx, killTime) {
			return LilluxKilled{Error: "SIGKILL failed: the process is stuck in the kernel", PID: pid}
		}
	}
	process.KillRun(v.tag)
	return LilluxKilled{Method: method, PID: pid, Success: true}
}

// killTime bounds the wait for the end of what was killed.
const killTime = 5 * time.Second

// victim is a process that is to end, with what belongs to it.
type victim struct {
	id    process.Identity
	group bool   // it leads a process group, which is not this process's
	tag   string // that of its run, if LilluxSpawn has started it
}

// gone waits until nothing of the victim is left that a signal to it and its group reaches.
func (v victim) gone(ctx context.Context, patience time.Duration) bool {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	if v.id.WaitGone(ctx) != nil {
		return false
	}
	for pause := time.Millisecond; v.group && groupAlive(v.id.PID); pause = min(2*pause, 50*time.Millisecond) {
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return false
		}
	}
	return true
}
