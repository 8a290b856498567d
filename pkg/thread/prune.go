package thread

import (
	"context"
	"database/sql"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/ryeos/rye/internal/failpoint"
	"github.com/ryeos/rye/pkg/item"
)

// pruneBatch bounds how long one transaction keeps others waiting.
const pruneBatch = 500

// Prune removes the rows, documents and folders of threads that ended longer ago than age and are not among the newest keep. A thread
// stays as long as one that it started does. It returns how many it removed.
func (s *Store) Prune(ctx context.Context, age time.Duration, keep int) (int, error) {
	if _, err := s.Reconcile(ctx); err != nil {
		return 0, err
	}
	total := 0
	for {
		n, err := s.pruneRows(ctx, age, keep)
		if err != nil {
			return total, err
		}
		total += n
		failpoint.At("thread.pruned")
		// Also what a Prune which died left behind.
		if err := errors.Join(s.removeRecords(ctx, removeBatch), s.removeFolders(ctx)); err != nil {
			return total, err
		}
		if n == 0 {
			return total, nil
		}
	}
}

// Prunable returns the ids of threads that Prune would remove, oldest first, at most limit of them. It does the same and
// takes it back.
func (s *Store) Prunable(ctx context.Context, age time.Duration, keep, limit int) ([]string, error) {
	if _, err := s.Reconcile(ctx); err != nil {
		return nil, err
	}
	ids := []string{}
	err := s.write(ctx, "prune", normal, func(tx *tx) error {
		for len(ids) < limit {
			more, err := tx.prune(age, keep, min(limit-len(ids), pruneBatch))
			if err != nil {
				return err
			}
			if len(more) == 0 {
				break
			}
			ids = append(ids, more...)
		}
		return errTakeBack
	})
	if errors.Is(err, errTakeBack) {
		err = nil
	}
	return ids, err
}

// errTakeBack ends a transaction that was only a trial.
var errTakeBack = errors.New("take back")

func (s *Store) pruneRows(ctx context.Context, age time.Duration, keep int) (n int, err error) {
	err = s.write(ctx, "prune", full, func(tx *tx) error {
		ids, err := tx.prune(age, keep, pruneBatch)
		n = len(ids)
		return err
	})
	return n, err
}

// prune removes the rows of the oldest threads that may go and notes that their folders are to follow.
func (t *tx) prune(age time.Duration, keep, limit int) ([]string, error) {
	newest := int64(1<<63 - 1) // the oldest of the newest that stay
	if keep > 0 {
		err := t.row(`SELECT seq FROM threads ORDER BY seq DESC LIMIT 1 OFFSET ?`, keep-1).Scan(&newest)
		if errors.Is(err, sql.ErrNoRows) {
			return nil, nil
		}
		if err != nil {
			return nil, err
		}
	}
	active, args := in(Active())
	args = append(args, stamp(t.now.Add(-age)), newest, limit)
	ids, err := scanIDs(t.QueryContext(t.ctx, `SELECT thread_id FROM threads AS t WHERE status NOT IN `+active+`
		AND completed_at < ? AND seq < ? AND NOT EXISTS (SELECT 1 FROM threads WHERE parent_id = t.thread_id)
		AND NOT EXISTS (SELECT 1 FROM budgets WHERE parent_id = t.thread_id) ORDER BY seq LIMIT ?`, args...))
	if err != nil || len(ids) == 0 {
		return nil, err
	}
	list, args := in(ids)
	if _, err := t.exec(`INSERT OR IGNORE INTO removals SELECT thread_id FROM threads WHERE thread_id IN `+list, args...); err != nil {
		return nil, err
	}
	_, err = t.exec(`DELETE FROM threads WHERE thread_id IN `+list, args...)
	return ids, err
}

// removeFolders deletes the folders of threads whose rows are gone, and then the note of it: a folder is never forgotten.
func (s *Store) removeFolders(ctx context.Context) error {
	ids, err := s.removals(ctx)
	if err != nil || len(ids) == 0 {
		return s.explain("prune", err)
	}
	root, err := os.OpenRoot(s.dir) // no link in a thread's folder leads out of the registry's
	if err != nil {
		return item.Errorf(item.TypePermission, "cannot open the folder of the thread registry: %w", err)
	}
	defer root.Close()
	for _, id := range ids {
		if err := s.removeFolder(ctx, root, id); err != nil {
			return item.Errorf(item.TypePermission, "cannot remove the folder of thread %s: %w", id, err)
		}
		failpoint.At("thread.emptied")
	}
	list, args := in(ids)
	return s.write(ctx, "forget folders", normal, func(tx *tx) error {
		_, err := tx.exec(`DELETE FROM removals WHERE thread_id IN `+list, args...)
		return err
	})
}

func (s *Store) removals(ctx context.Context) ([]string, error) {
	return scanIDs(s.db.QueryContext(ctx, `SELECT thread_id FROM removals LIMIT ?`, pruneBatch))
}

// scanIDs reads every row and closes them.
func scanIDs(rows *sql.Rows, err error) ([]string, error) {
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var ids []string
	for rows.Next() {
		var id string
		if err := rows.Scan(&id); err != nil {
			return nil, err
		}
		ids = append(ids, id)
	}
	return ids, rows.Err()
}

// removeFolder leaves everything if the id was given again, and the folders inside if there are threads whose ids start
// with this one. Folders above it go when they are empty.
func (s *Store) removeFolder(ctx context.Context, root *os.Root, id string) error {
	var again, inside bool
	err := s.db.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM threads WHERE thread_id = ?1),
		EXISTS (SELECT 1 FROM threads WHERE thread_id > ?1 || '/' AND thread_id < ?1 || '0')`, id).Scan(&again, &inside) // '0' is after '/'
	if err != nil || again {
		return err
	}
	entries, err := fs.ReadDir(root.FS(), id)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, e := range entries {
		if inside && e.IsDir() {
			continue
		}
		if err := root.RemoveAll(id + "/" + e.Name()); err != nil {
			return err
		}
	}
	for dir := filepath.FromSlash(id); dir != "."; dir = filepath.Dir(dir) {
		if root.Remove(dir) != nil {
			break
		}
	}
	return nil
}
