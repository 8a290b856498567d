package thread

import (
	"context"
	"database/sql"
	"fmt"
	"maps"
	"slices"

	"github.com/ryeos/rye/pkg/item"
)

// Unit is what a budget counts.
type Unit string

// The units of a budget.
const (
	Turns    Unit = "turns"
	Tokens   Unit = "tokens"
	Spend    Unit = "spend" // millionths of the currency: money is never a float
	Spawns   Unit = "spawns"
	Duration Unit = "duration" // milliseconds
)

var units = []Unit{Turns, Tokens, Spend, Spawns, Duration}

// Amounts are how much of each unit. A missing unit is none of it, in limits none allowed beyond those of the parents.
type Amounts map[Unit]int64

// maxAmount keeps sums far from where integers end.
const maxAmount = 1 << 53

func (a Amounts) validate() error {
	for _, unit := range slices.Sorted(maps.Keys(a)) {
		if !slices.Contains(units, unit) {
			return item.Usagef("there is no unit %s in a budget", item.Quote(string(unit))).Hint("units: %v", units)
		}
		if a[unit] < 0 || a[unit] > maxAmount {
			return item.Usagef("%d %s is no amount: it is from 0 to %d", a[unit], unit, int64(maxAmount))
		}
	}
	return nil
}

// Line is what a budget says of one unit. It counts the thread and all below it.
type Line struct {
	Cap       *int64 `json:"cap,omitempty"` // nil means that only the parents limit it
	Used      int64  `json:"used"`
	Reserved  int64  `json:"reserved"`            // may be used yet
	Overspent int64  `json:"overspent,omitempty"` // used too, without anybody's leave
}

// CreateBudget gives a thread limits of its own. Every use by the thread or one below it counts for the thread and for all
// above it, so a child cannot exceed its parent's rest, and children share it as they need it: a limit sets nothing aside.
// A thread that has a budget keeps it as it is, so that a start can be repeated.
func (s *Store) CreateBudget(ctx context.Context, id, parent string, limits Amounts) error {
	if err := limits.validate(); err != nil {
		return err
	}
	return s.write(ctx, "create budget", normal, func(tx *tx) error {
		n, err := tx.changes(`INSERT INTO budgets (thread_id, parent_id) VALUES (?, ?) ON CONFLICT DO NOTHING`, id, null(parent))
		if isForeignKey(err) {
			return item.Errorf(item.TypeNotFound, "there is no thread %s, or %s has no budget: %w", item.Quote(id), item.Quote(parent), ErrNotFound)
		}
		if err != nil || n == 0 {
			return err
		}
		for _, unit := range units {
			var limit any
			if most, ok := limits[unit]; ok {
				limit = most
			}
			if _, err := tx.exec(`INSERT INTO budget_lines (thread_id, unit, cap) VALUES (?, ?, ?)`, id, unit, limit); err != nil {
				return err
			}
		}
		return nil
	})
}

// Budget returns the lines of a thread's budget.
func (s *Store) Budget(ctx context.Context, id string) (map[Unit]Line, error) {
	rows, err := s.db.QueryContext(ctx, `SELECT unit, cap, used, reserved, overspent FROM budget_lines WHERE thread_id = ?`, id)
	if err != nil {
		return nil, s.explain("get budget", err)
	}
	defer rows.Close()
	lines := map[Unit]Line{}
	for rows.Next() {
		var unit Unit
		var line Line
		if err := rows.Scan(&unit, &line.Cap, &line.Used, &line.Reserved, &line.Overspent); err != nil {
			return nil, s.explain("get budget", err)
		}
		lines[unit] = line
	}
	if err := rows.Err(); err != nil {
		return nil, s.explain("get budget", err)
	}
	if len(lines) == 0 {
		return nil, noBudget(id)
	}
	return lines, nil
}

// Remaining returns what a thread may still reserve, by its own limits and those above it. A unit without any limit is
// missing.
func (s *Store) Remaining(ctx context.Context, id string) (Amounts, error) {
	if _, err := s.Budget(ctx, id); err != nil {
		return nil, err
	}
	rows, err := s.db.QueryContext(ctx, onPath(`SELECT unit, min(cap - used - reserved) FROM budget_lines
		WHERE thread_id IN path AND cap IS NOT NULL GROUP BY unit`), id)
	if err != nil {
		return nil, s.explain("get budget", err)
	}
	defer rows.Close()
	rest := Amounts{}
	for rows.Next() {
		var unit Unit
		var amount int64
		if err := rows.Scan(&unit, &amount); err != nil {
			return nil, s.explain("get budget", err)
		}
		rest[unit] = amount
	}
	return rest, s.explain("get budget", rows.Err())
}

// onPath puts a statement behind the table "path" of a thread, its first parameter, and all threads above it.
func onPath(statement string) string {
	return `WITH RECURSIVE path (thread_id) AS (
		SELECT thread_id FROM budgets WHERE thread_id = ?1
		UNION SELECT parent_id FROM budgets JOIN path USING (thread_id) WHERE parent_id IS NOT NULL) ` + statement
}

func noBudget(id string) error {
	return &item.Error{Type: item.TypeNotFound, Message: fmt.Sprintf("thread %s has no budget", item.Quote(id)), Err: ErrNotFound}
}

// requireBudget checks that the thread has one and is not at its end: nobody would release what it reserves then.
func (t *tx) requireBudget(id string) error {
	status, _, err := t.status(id)
	if err != nil {
		return err
	}
	if status.Terminal() {
		return &item.Error{Type: item.TypeUsage, Err: ErrTransition, Message: fmt.Sprintf("thread %s is %s and can reserve nothing", id, status)}
	}
	var one int
	if err := t.row(`SELECT 1 FROM budgets WHERE thread_id = ?`, id).Scan(&one); err == sql.ErrNoRows {
		return noBudget(id)
	} else if err != nil {
		return err
	}
	return nil
}
