package thread

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"github.com/ryeos/rye/internal/failpoint"
	"github.com/ryeos/rye/pkg/item"
	"github.com/ryeos/rye/pkg/process"
)

// New is a thread to register.
type New struct {
	ID             string // NewID if empty
	Item           string // canonical reference
	Tool           string // the tool that runs it, if that is another item
	Parent         string
	Model          string
	ContinuationOf string          // the thread in whose place this one goes on
	Request        json.RawMessage // what was asked for
}

// Register makes the row of a thread and its folder, before there is a process: whatever happens to the launch from here
// on, somebody will find the thread and say what became of it.
func (s *Store) Register(ctx context.Context, n New) (Thread, error) {
	return s.insert(ctx, n, "register", func(*tx) error { return nil })
}

// Continue ends a thread as continued and registers the one that goes on in its place, both or neither.
func (s *Store) Continue(ctx context.Context, n New) (Thread, error) {
	return s.insert(ctx, n, "continue", func(tx *tx) error {
		_, err := tx.move(n.ContinuationOf, Continued, "completed_at = ?", stamp(tx.now))
		return err
	})
}

func (s *Store) insert(ctx context.Context, n New, verb string, before func(*tx) error) (Thread, error) {
	if n.ID == "" {
		n.ID = NewID()
	}
	if err := n.validate(); err != nil {
		return Thread{}, err
	}
	launcher, err := process.Identify(os.Getpid())
	if err != nil {
		return Thread{}, err
	}
	var registered Thread
	err = s.write(ctx, verb, normal, func(tx *tx) error {
		if err := before(tx); err != nil {
			return err
		}
		if err := tx.insert(n, launcher); err != nil {
			return err
		}
		registered, err = scanThread(tx.row(`SELECT `+columns+` FROM threads WHERE thread_id = ?`, n.ID).Scan)
		return err
	})
	if err != nil {
		return Thread{}, err
	}
	failpoint.At("thread.registered")
	return registered, s.makeFolder(ctx, n.ID)
}

// makeFolder comes after the row, as only what has a row is ever found and removed again. Without a folder there is no run.
func (s *Store) makeFolder(ctx context.Context, id string) error {
	root, err := os.OpenRoot(s.dir) // a link that came with the project leads nowhere else
	if err == nil {
		defer root.Close()
		err = root.MkdirAll(id, 0o700)
	}
	if err == nil {
		return nil
	}
	err = item.Errorf(item.TypePermission, "cannot make the folder of thread %s: %w", id, err).Hint("check who owns it: ls -l %s", s.dir)
	return errors.Join(err, s.Finish(ctx, id, Outcome{Status: Error, Error: err.Error(), ErrorType: item.TypeOf(err)}))
}

func (n New) validate() error {
	if n.Item == "" {
		return item.Usagef("a thread needs the item it runs")
	}
	if len(n.Request) > 0 && !json.Valid(n.Request) {
		return item.Usagef("the request of thread %s is not JSON", n.ID)
	}
	return validateID(n.ID)
}

func (t *tx) insert(n New, launcher process.Identity) error {
	var root sql.NullString
	if n.ContinuationOf != "" {
		if err := t.link(n.ContinuationOf, n.ID).Scan(&root); err != nil {
			return orNotFound(err, n.ContinuationOf)
		}
	}
	_, err := t.exec(`INSERT INTO threads (thread_id, directive, tool_id, parent_id, model, request, status, created_at, updated_at,
		pid, pid_start, pid_boot, continuation_of, chain_root_id) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		n.ID, n.Item, null(n.Tool), null(n.Parent), null(n.Model), null(n.Request), Created, stamp(t.now), stamp(t.now),
		launcher.PID, int64(launcher.Start), launcher.Boot, null(n.ContinuationOf), root)
	switch {
	case isDuplicate(err):
		return &item.Error{Type: item.TypeUsage, Message: fmt.Sprintf("thread %s is registered already", n.ID), Err: ErrExists}
	case isForeignKey(err):
		return notFound(n.Parent)
	case err != nil:
		return err
	}
	_, err = t.appendEvent(n.ID, statusEvent, change{To: Created})
	return err
}

// link makes next the continuation of a thread, and gives the chain that both are in the name of its first thread.
func (t *tx) link(id, next string) *sql.Row {
	return t.row(`UPDATE threads SET continuation_thread_id = ?, chain_root_id = coalesce(chain_root_id, thread_id), updated_at = ?
		WHERE thread_id = ? RETURNING chain_root_id`, next, stamp(t.now), id)
}

// Assign names the process that will run the thread, while it is not running yet: the launcher can go then.
func (s *Store) Assign(ctx context.Context, id string, runner process.Identity) error {
	return s.write(ctx, "assign", normal, func(tx *tx) error {
		n, err := tx.changes(`UPDATE threads SET pid = ?, pid_start = ?, pid_boot = ?, revision = revision + 1, updated_at = ?
			WHERE thread_id = ? AND status = ?`, runner.PID, int64(runner.Start), runner.Boot, stamp(tx.now), id, Created)
		if err != nil || n == 1 {
			return err
		}
		from, _, err := tx.status(id)
		if err != nil {
			return err
		}
		return refused(id, from, Created)
	})
}
