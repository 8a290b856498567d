package thread

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"github.com/ryeos/rye/pkg/item"
	"github.com/ryeos/rye/pkg/process"
)

// statusEvent is the type of the event that every change of status writes.
const statusEvent = "status"

// change is its payload.
type change struct {
	From Status `json:"from,omitempty"`
	To   Status `json:"to"`
}

// Outcome is how a thread ended.
type Outcome struct {
	Status    Status
	Result    json.RawMessage
	ExitCode  *int
	Error     string
	ErrorType item.ErrorType
}

// Begin records this process as the runner and makes the thread running. The runner does nothing for the thread before
// that: should somebody have cancelled it, or have given it up, Begin fails. It needs the lock, so that whoever reads
// running can rely on it.
func (s *Store) Begin(ctx context.Context, lock *Lock) error {
	self, err := process.Identify(os.Getpid())
	if err != nil {
		return err
	}
	return s.write(ctx, "begin", normal, func(tx *tx) error {
		_, err := tx.move(lock.id, Running, `started_at = coalesce(started_at, ?), error = NULL, pid = ?, pid_start = ?, pid_boot = ?`,
			stamp(tx.now), self.PID, int64(self.Start), self.Boot)
		return err
	})
}

// Finish ends a thread: status and result change together, once, and are on the disk when it returns. It fails if the
// thread is at its end already; whoever came first was right.
func (s *Store) Finish(ctx context.Context, id string, o Outcome) error {
	if !o.Status.Terminal() {
		return item.Usagef("a thread cannot end as %s", o.Status)
	}
	if len(o.Result) > 0 && !json.Valid(o.Result) {
		return item.Usagef("the result of thread %s is not JSON", id)
	}
	return s.write(ctx, "finish", full, func(tx *tx) error {
		_, err := tx.move(id, o.Status, `completed_at = ?, result = ?, exit_code = ?, error = ?, error_type = ?`,
			stamp(tx.now), null(o.Result), o.ExitCode, null(o.Error), null(o.ErrorType))
		return err
	})
}

// Suspend parks a running thread until another Begin. It has no runner then, so the lock is to be released.
func (s *Store) Suspend(ctx context.Context, id, reason string) error {
	return s.write(ctx, "suspend", full, func(tx *tx) error {
		_, err := tx.move(id, Suspended, `error = ?, pid = NULL, pid_start = NULL, pid_boot = NULL`, null(reason))
		return err
	})
}

// RequestCancel asks for the end of a thread. One that is not running is cancelled at once; a running one is marked, for
// its runner to see, and true is returned: the caller signals the runner, and who ends it finishes the thread.
func (s *Store) RequestCancel(ctx context.Context, id string) (running bool, err error) {
	err = s.write(ctx, "cancel", full, func(tx *tx) error {
		from, _, err := tx.status(id)
		if err != nil {
			return err
		}
		if running = from == Running; running {
			_, err = tx.exec(`UPDATE threads SET cancel_requested_at = coalesce(cancel_requested_at, ?) WHERE thread_id = ?`, stamp(tx.now), id)
			return err
		}
		_, err = tx.move(id, Cancelled, `completed_at = ?, cancel_requested_at = ?`, stamp(tx.now), stamp(tx.now))
		return err
	})
	return running, err
}

// SetUsage records what a thread has used so far.
func (s *Store) SetUsage(ctx context.Context, id string, u Usage) error {
	return s.write(ctx, "record usage", normal, func(tx *tx) error {
		n, err := tx.changes(`UPDATE threads SET turns = ?, input_tokens = ?, output_tokens = ?, spawn_count = ?, spend_micros = ?,
			updated_at = ? WHERE thread_id = ?`, u.Turns, u.InputTokens, u.OutputTokens, u.Spawned, u.SpendMicros, stamp(tx.now), id)
		if err == nil && n == 0 {
			return notFound(id)
		}
		return err
	})
}

// move is the only place where a status changes. The transaction is a writer, so what it reads stays true; set are more
// columns to change. At the end of a thread, what it had reserved is released.
func (t *tx) move(id string, to Status, set string, args ...any) (from Status, err error) {
	from, _, err = t.status(id)
	if err != nil {
		return "", err
	}
	if !from.CanBecome(to) {
		return from, refused(id, from, to)
	}
	_, err = t.exec(`UPDATE threads SET status = ?, revision = revision + 1, updated_at = ?, `+set+` WHERE thread_id = ?`,
		append(append([]any{to, stamp(t.now)}, args...), id)...)
	if err != nil {
		return from, err
	}
	if _, err := t.appendEvent(id, statusEvent, change{from, to}); err != nil {
		return from, err
	}
	if to.Terminal() {
		return from, t.releaseAll(id)
	}
	return from, nil
}

func (t *tx) status(id string) (status Status, revision int64, err error) {
	err = t.row(`SELECT status, revision FROM threads WHERE thread_id = ?`, id).Scan(&status, &revision)
	return status, revision, orNotFound(err, id)
}

func orNotFound(err error, id string) error {
	if errors.Is(err, sql.ErrNoRows) {
		return notFound(id)
	}
	return err
}

func refused(id string, from, to Status) error {
	return &item.Error{Type: item.TypeUsage, Err: ErrTransition, Message: fmt.Sprintf("thread %s is %s and cannot become %s", id, from, to),
		Hints: []string{"see what happened: rye threads show " + id}}
}
