package thread

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/ryeos/rye/pkg/item"
)

// Filter chooses threads. What is empty does not restrict.
type Filter struct {
	Status []Status
	Parent string
	Item   string
	Before int64 // Seq of the last thread of the page before
	Limit  int   // 50 if 0
}

// List returns threads, newest first. Pages follow one another by Filter.Before, so that a thread registered in between
// moves nothing.
func (s *Store) List(ctx context.Context, f Filter) ([]Thread, error) {
	if err := s.prepare(ctx, f); err != nil {
		return nil, err
	}
	query, args := f.query()
	threads, err := scanThreads(s.db.QueryContext(ctx, query, args...))
	return threads, s.explain("list", err)
}

// Count counts the threads that a list without a limit would have.
func (s *Store) Count(ctx context.Context, f Filter) (n int64, err error) {
	if err := s.prepare(ctx, f); err != nil {
		return 0, err
	}
	where, args := f.where()
	err = s.db.QueryRowContext(ctx, `SELECT count(*) FROM threads WHERE `+where, args...).Scan(&n)
	return n, s.explain("count", err)
}

// prepare makes sure that what a filter finds is true.
func (s *Store) prepare(ctx context.Context, f Filter) error {
	for _, status := range f.Status {
		if !status.Valid() {
			return item.Usagef("there is no status %q", status).Hint("statuses: %v", Statuses())
		}
	}
	_, err := s.Reconcile(ctx)
	return err
}

// IDs lists the newest threads whose ids start with a prefix, for completion in a shell: in one query, as the rows are,
// without a look at who is behind them.
func (s *Store) IDs(ctx context.Context, prefix string, limit int) ([]Thread, error) {
	query, args := Filter{Limit: limit}.query()
	if prefix != "" { // the plus keeps SQLite from walking all threads until it has found enough
		query, args = `SELECT `+columns+` FROM threads WHERE seq IN (SELECT seq FROM threads WHERE `+startsWith+
			` ORDER BY +seq DESC LIMIT ?2) ORDER BY seq DESC`, []any{prefix, args[len(args)-1]}
	}
	threads, err := scanThreads(s.db.QueryContext(ctx, query, args...))
	return threads, s.explain("list", err)
}

// startsWith finds ids by their start, the first parameter. U+10FFFF is after every character of an id.
const startsWith = `thread_id >= ?1 AND thread_id < ?1 || char(1114111)`

// Children returns the threads that a thread started, newest first.
func (s *Store) Children(ctx context.Context, id string, f Filter) ([]Thread, error) {
	f.Parent = id
	return s.List(ctx, f)
}

// query asks for each status by itself when nothing else restricts the list: each part then walks its index from the
// newest and stops at the limit, where one condition for all of them would sort everything that ever ended.
func (f Filter) query() (string, []any) {
	limit := f.Limit
	if limit <= 0 {
		limit = 50
	}
	if len(f.Status) < 2 || f.Parent != "" || f.Item != "" {
		where, args := f.where()
		return `SELECT ` + columns + ` FROM threads WHERE ` + where + ` ORDER BY seq DESC LIMIT ?`, append(args, limit)
	}
	var parts []string
	var all []any
	for _, status := range f.Status {
		where, args := Filter{Status: []Status{status}, Before: f.Before}.where()
		parts = append(parts, `SELECT * FROM (SELECT seq FROM threads WHERE `+where+` ORDER BY seq DESC LIMIT ?)`)
		all = append(append(all, args...), limit)
	}
	return fmt.Sprintf(`SELECT %s FROM threads WHERE seq IN (%s) ORDER BY seq DESC LIMIT ?`,
		columns, strings.Join(parts, ` UNION ALL `)), append(all, limit)
}

// where takes the index of the rarest condition: a plus sign keeps SQLite from using the column's index.
func (f Filter) where() (string, []any) {
	conditions, args := []string{"TRUE"}, []any{}
	add := func(condition string, values ...any) {
		conditions, args = append(conditions, condition), append(args, values...)
	}
	if f.Parent != "" {
		add("parent_id = ?", f.Parent)
	}
	if f.Item != "" {
		add(plus(f.Parent != "")+"directive = ?", f.Item)
	}
	if len(f.Status) > 0 {
		list, values := in(f.Status)
		add(plus(f.Parent != "" || f.Item != "")+"status IN "+list, values...)
	}
	if f.Before > 0 {
		add("seq < ?", f.Before)
	}
	return strings.Join(conditions, " AND "), args
}

func plus(unindexed bool) string {
	if unindexed {
		return "+"
	}
	return ""
}

// in writes a list of values for the operator IN.
func in[T any](values []T) (string, []any) {
	args := make([]any, len(values))
	for i, v := range values {
		args[i] = v
	}
	return "(" + strings.TrimSuffix(strings.Repeat("?, ", len(values)), ", ") + ")", args
}

// Get returns a thread by its id or by the start of it, if no other id starts so.
func (s *Store) Get(ctx context.Context, idOrPrefix string) (Thread, error) {
	t, err := s.find(ctx, idOrPrefix)
	if err != nil || !t.Status.attended() {
		return t, err
	}
	if _, err := s.Reconcile(ctx, t.ID); err != nil {
		return t, err
	}
	return s.find(ctx, t.ID) // also when it was another reader who settled it
}

func (s *Store) find(ctx context.Context, prefix string) (Thread, error) {
	// The id itself sorts before all that only start with it.
	threads, err := scanThreads(s.db.QueryContext(ctx, `SELECT `+columns+` FROM threads WHERE `+startsWith+`
		ORDER BY thread_id LIMIT 2`, prefix))
	switch {
	case err != nil:
		return Thread{}, s.explain("get", err)
	case len(threads) == 0 || prefix == "":
		return Thread{}, notFound(prefix)
	case len(threads) > 1 && threads[0].ID != prefix:
		return Thread{}, item.Usagef("more than one thread starts with %s", item.Quote(prefix)).
			Hint("type more of it: %s, %s, …", threads[0].ID, threads[1].ID)
	}
	return threads[0], nil
}

// Chain returns the threads that continued one another, oldest first; a thread without continuations is alone in it.
func (s *Store) Chain(ctx context.Context, id string) ([]Thread, error) {
	if _, err := s.Reconcile(ctx); err != nil {
		return nil, err
	}
	t, err := s.find(ctx, id)
	switch {
	case err != nil:
		return nil, err
	case t.ChainRoot == "":
		return []Thread{t}, nil
	}
	threads, err := scanThreads(s.db.QueryContext(ctx, `SELECT `+columns+` FROM threads WHERE chain_root_id = ? ORDER BY seq`, t.ChainRoot))
	return threads, s.explain("get chain", err)
}

// Result returns what a thread gave back, nil if it gave nothing or is not at its end.
func (s *Store) Result(ctx context.Context, id string) (json.RawMessage, error) {
	var result sql.NullString
	err := s.db.QueryRowContext(ctx, `SELECT result FROM threads WHERE thread_id = ?`, id).Scan(&result)
	if err != nil || !result.Valid {
		return nil, s.explain("get result", orNotFound(err, id))
	}
	return json.RawMessage(result.String), nil
}
