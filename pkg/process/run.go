package process

import (
	"context"
	"fmt"
	"time"
)

// drainTime bounds the wait for the end of the output once the program and all it started are dead. Only a process that
// the run does not own can still hold the pipes then.
const drainTime = time.Second

// Run starts the program, waits for its end and makes sure that nothing it started outlives the call (design §8).
//
// The program leads its own session and process group. When the context ends, the timeout is over or a live writer
// fails, the group gets SIGTERM, and what is left when the grace is over is killed: the group, and every descendant,
// also those that left the group or were adopted. After a normal end, whatever the program left running is killed at once.
//
// How far that reaches depends on the system. What Detach has started from Spec.Spare is no part of the run, also when a
// process of the run did that. Runs may be nested: what a run inside of this one leaves behind, because the process that
// is to end it was itself killed, belongs to this one. On Linux with BecomeReaper nothing escapes; the one thing that is late is
// a daemon that left the session and cleared its environment: while other runs are active it cannot be told from theirs,
// so it ends with the last run that was active when it started. On Linux without BecomeReaper, a daemon escapes that has
// also cleared its environment; and after a normal end the search for leftovers starts only if the group is not empty or
// an output pipe is still open. See BecomeReaper for the other systems.
//
// If this process is killed, Linux kills the program too; what the program has started stays, and KillRun finds it. macOS
// leaves all of it, Windows nothing.
//
// The error is not nil only if the program could not be started; it wraps the operating system's error. Everything
// else, a failing program included, is in the Result.
func Run(ctx context.Context, spec Spec) (Result, error) {
	spec, err := spec.settled()
	if err != nil {
		return Result{}, err
	}
	if err := context.Cause(ctx); err != nil {
		return Result{}, fmt.Errorf("did not start %s: %w", spec.Path, err)
	}
	pipes, err := openPipes(&spec)
	if err != nil {
		return Result{}, fmt.Errorf("cannot start %s: %w", spec.Path, err)
	}
	defer pipes.close()

	began := time.Now()
	tree, err := spec.start(pipes.child)
	pipes.closeChild()
	if err != nil {
		return Result{}, startError(spec.Path, spec.Dir, err)
	}
	pipes.pump()

	stops := interrupts{ctx: ctx, failed: pipes.failed}
	if spec.Timeout > 0 {
		timer := time.NewTimer(spec.Timeout)
		defer timer.Stop()
		stops.timeout = timer.C
	}
	res := Result{PID: tree.PID()}
	cut := stops.await(tree.Exited(), &res)
	if cut {
		if grace := spec.grace(res.Cancelled); grace > 0 {
			tree.Terminate(grace)
		}
	}
	res.record(tree.End(cut, pipes.open))
	res.Duration = time.Since(began)

	pipes.limitReads(drainTime)
	if cut || stops.await(pipes.done, &res) {
		pipes.waitFor(drainTime)
	}
	res.Stdout, res.Stderr = pipes.stdout.seal(), pipes.stderr.seal()
	select {
	case err := <-pipes.failed:
		if res.Cancelled == nil && !res.TimedOut {
			res.Cancelled = err
		}
	default:
	}
	return res, nil
}

func (r *Result) record(e Ending) {
	r.ExitCode, r.Signal = e.ExitCode, e.Signal
	r.UserTime, r.SystemTime, r.MaxRSS = e.UserTime, e.SystemTime, e.MaxRSS
	r.Reaped, r.Survivors = e.Killed, e.Survivors
}
