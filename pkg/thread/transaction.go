package thread

import (
	"context"
	"database/sql"
	"errors"
	"time"
)

// durability is what a transaction waits for before it counts.
type durability string

const (
	normal durability = "normal" // survives the death of every process; a power cut may take the last moments back
	full   durability = "full"   // survives a power cut, together with all that was committed before
)

// crashPoint is where a process may die between two steps that belong together. Tests replace it and die there.
var crashPoint = func(string) {}

// querier is what a database and a transaction have in common.
type querier interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// tx is one transaction. It ends before the call that began it, so that it may keep the context.
type tx struct {
	*sql.Tx
	ctx context.Context
	now time.Time // the one reading of the clock: everything that changes together has the same time
}

func (t *tx) exec(query string, args ...any) (sql.Result, error) {
	return t.ExecContext(t.ctx, query, args...)
}

func (t *tx) row(query string, args ...any) *sql.Row { return t.QueryRowContext(t.ctx, query, args...) }

// changes executes a statement and counts the rows it changed.
func (t *tx) changes(query string, args ...any) (int64, error) {
	result, err := t.exec(query, args...)
	if err != nil {
		return 0, err
	}
	return result.RowsAffected()
}

// write runs f in a transaction that is a writer from its start. verb names it in errors and crash points.
func (s *Store) write(ctx context.Context, verb string, sync durability, f func(*tx) error) error {
	select {
	case s.writing <- struct{}{}:
		defer func() { <-s.writing }()
	case <-ctx.Done():
		return s.explain(verb, context.Cause(ctx))
	}
	defer s.turn(ctx)()
	return s.explain(verb, s.transact(ctx, verb, sync, f))
}

func (s *Store) transact(ctx context.Context, verb string, sync durability, f func(*tx) error) error {
	conn, err := s.db.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close() // back to the pool
	if s.journal != "wal" {
		sync = full // with a rollback journal, less may damage the file
	}
	if _, err := conn.ExecContext(ctx, pragma("synchronous", sync)); err != nil {
		return err
	}
	began, err := conn.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer began.Rollback() // does nothing after a commit
	if err := f(&tx{Tx: began, ctx: ctx, now: s.now()}); err != nil {
		return err
	}
	crashPoint(verb + ": before commit")
	err = began.Commit()
	if errors.Is(err, sql.ErrTxDone) && ctx.Err() != nil { // taken back already
		err = context.Cause(ctx)
	}
	if err != nil {
		return err
	}
	crashPoint(verb + ": after commit")
	return nil
}

// layout writes times so that they sort as text: always UTC, always microseconds.
const layout = "2006-01-02T15:04:05.000000-07:00"

func stamp(t time.Time) string { return t.UTC().Format(layout) }

// instant reads what stamp wrote; the zero time stands for none.
func instant(s sql.NullString) time.Time {
	t, err := time.Parse(layout, s.String)
	if err != nil {
		return time.Time{}
	}
	return t.UTC()
}
