package thread

import (
	"context"
	"errors"
	"os"

	"github.com/ryeos/rye/internal/failpoint"
	"github.com/ryeos/rye/pkg/item"
	"github.com/ryeos/rye/pkg/process"
)

// Reconcile settles threads that claim to be on their way and whose launcher or runner is gone: they become lost, with
// the evidence. Every read does it for what it reads; without ids it looks at all threads. It returns the ids it settled.
//
// It can run anywhere at any time: only one of several readers settles a thread, and none settles one whose status or
// runner has changed since it looked.
func (s *Store) Reconcile(ctx context.Context, ids ...string) ([]string, error) {
	claims, err := s.attended(ctx, ids)
	if err != nil {
		return nil, s.explain("reconcile", err)
	}
	var gone []Thread
	for _, t := range claims {
		if e := s.missing(t); e != nil {
			if err := s.collect(ctx, t.ID, e); err != nil {
				return nil, s.explain("reconcile", err)
			}
			t.Evidence = e
			gone = append(gone, t)
		}
	}
	if len(gone) == 0 {
		return nil, nil
	}
	var settled []string
	err = s.write(ctx, "reconcile", full, func(tx *tx) error {
		for _, t := range gone {
			done, err := tx.settle(t, s.endLeftovers)
			if err != nil {
				return err
			}
			failpoint.At("thread.settled")
			if done {
				settled = append(settled, t.ID)
			}
		}
		return nil
	})
	return settled, err
}

// attended lists the threads that somebody must be behind.
func (s *Store) attended(ctx context.Context, ids []string) ([]Thread, error) {
	var statuses []Status
	for _, status := range Statuses() {
		if status.attended() {
			statuses = append(statuses, status)
		}
	}
	list, args := in(statuses)
	if len(ids) == 0 {
		return scanThreads(s.db.QueryContext(ctx, `SELECT `+columns+` FROM threads WHERE status IN `+list, args...))
	}
	these, more := in(ids)
	return scanThreads(s.db.QueryContext(ctx, `SELECT `+columns+` FROM threads WHERE +status IN `+list+` AND thread_id IN `+these,
		append(args, more...)...))
}

// missing decides whether nobody is behind the thread, and says why. The lock is what counts: it is true across
// containers, where a process number means something else, and for runners that live in a longer process. Before the
// runner has taken it, and where there are no locks, the process counts: the one with that number, if it also started when
// the recorded one did, in the same boot of the machine.
func (s *Store) missing(t Thread) *Evidence {
	lock := s.probe(t.ID)
	if lock == lockHeld {
		return nil
	}
	e := &Evidence{Was: t.Status, Lock: string(lock), PID: t.Runner.PID}
	switch {
	case t.Status == Running && lock == lockFree:
		e.Reason = "the runner ended without saying how: nobody holds its lock"
	case t.Runner.Alive():
		return nil
	case t.Status == Running:
		e.Reason = "the runner ended without saying how: its process is gone"
	default:
		e.Reason = "the thread never began: the process that was to run it is gone"
	}
	return e
}

// settle makes a thread lost if it is still what was looked at. What its runner left behind is ended inside of the
// transaction: nobody can begin the thread meanwhile, so nothing of a living runner is hit.
func (t *tx) settle(lost Thread, end func(Thread)) (bool, error) {
	_, revision, err := t.status(lost.ID)
	if err != nil || revision != lost.revision {
		if errors.Is(err, ErrNotFound) {
			err = nil
		}
		return false, err
	}
	end(lost)
	evidence, err := lost.Evidence.encode()
	if err != nil {
		return false, err
	}
	_, err = t.move(lost.ID, Lost, `completed_at = ?, evidence = ?, error = ?, error_type = ?`,
		stamp(t.now), evidence, lost.Evidence.Reason, item.TypeUnavailable)
	return err == nil, err
}

// endLeftovers ends what a runner that is dead for certain has left running, and notes that in the evidence. A thread that
// never began has run nothing, and after a boot nothing is left.
func (s *Store) endLeftovers(t Thread) {
	dead := t.Evidence.Lock == string(lockFree) || t.Evidence.Lock == string(lockMissing)
	self, err := process.Identify(os.Getpid())
	if t.Status == Running && dead && err == nil && self.Boot == t.Runner.Boot {
		t.Evidence.Killed, t.Evidence.Survivors = s.endRun(s.RunTag(t.ID))
	}
}
