package thread

import (
	"context"
	"database/sql"
	"errors"
	"maps"
	"slices"

	"github.com/ryeos/rye/pkg/item"
)

// Reservation is leave to use an amount. It ends by Settle or Release, or with the thread that holds it.
type Reservation int64

// Reserve sets amounts aside in the budgets of a thread and of all above it: in all or in none. What does not fit is
// refused, and the error says whose limit it was.
func (s *Store) Reserve(ctx context.Context, id string, amounts Amounts) (r Reservation, err error) {
	if err := amounts.validate(); err != nil {
		return 0, err
	}
	err = s.write(ctx, "reserve", normal, func(tx *tx) error {
		if err := tx.requireBudget(id); err != nil {
			return err
		}
		if err := tx.row(`INSERT INTO reservations (thread_id, created_at) VALUES (?, ?) RETURNING id`, id, stamp(tx.now)).Scan(&r); err != nil {
			return err
		}
		for _, unit := range slices.Sorted(maps.Keys(amounts)) {
			if err := tx.reserve(r, id, unit, amounts[unit]); err != nil {
				return err
			}
		}
		return nil
	})
	return r, err
}

func (t *tx) reserve(r Reservation, id string, unit Unit, amount int64) error {
	var owner string
	var rest int64
	err := t.row(onPath(`SELECT thread_id, cap - used - reserved FROM budget_lines
		WHERE thread_id IN path AND unit = ?2 AND cap - used - reserved < ?3 LIMIT 1`), id, unit, amount).Scan(&owner, &rest)
	if err == nil {
		return item.Errorf(item.TypeLimit, "the budget of thread %s has %d %s left, %d are needed", owner, rest, unit, amount)
	}
	if !errors.Is(err, sql.ErrNoRows) {
		return err
	}
	if _, err := t.exec(`INSERT INTO reservation_lines (reservation_id, unit, amount) VALUES (?, ?, ?)`, r, unit, amount); err != nil {
		return err
	}
	_, err = t.exec(onPath(`UPDATE budget_lines SET reserved = reserved + ?3 WHERE thread_id IN path AND unit = ?2`), id, unit, amount)
	return err
}

// Settle replaces a reservation by what was really used, which cannot be undone even if it is more. As much of the excess
// as no limit forbids is used; the rest of it, which Settle returns, is recorded as overspent, and no limit is exceeded by
// what is given leave for afterwards. The error wraps ErrStale if the reservation has ended.
func (s *Store) Settle(ctx context.Context, r Reservation, actual Amounts) (over Amounts, err error) {
	if err := actual.validate(); err != nil {
		return nil, err
	}
	err = s.write(ctx, "settle", full, func(tx *tx) error {
		id, err := tx.end(r)
		if err != nil {
			return err
		}
		over = Amounts{}
		for _, unit := range slices.Sorted(maps.Keys(actual)) {
			excess, err := tx.use(id, unit, actual[unit])
			if err != nil {
				return err
			}
			if excess > 0 {
				over[unit] = excess
			}
		}
		return nil
	})
	return over, err
}

// use counts an amount for the thread and all above it, each up to its limit, and returns by how much it exceeds the
// tightest.
func (t *tx) use(id string, unit Unit, amount int64) (excess int64, err error) {
	err = t.row(onPath(`SELECT coalesce(max(?3 - (cap - used - reserved)), 0) FROM budget_lines
		WHERE thread_id IN path AND unit = ?2 AND cap IS NOT NULL`), id, unit, amount).Scan(&excess)
	if err != nil {
		return 0, err
	}
	const within = `min(?3, coalesce(cap - used - reserved, ?3))`
	_, err = t.exec(onPath(`UPDATE budget_lines SET used = used + `+within+`, overspent = overspent + ?3 - `+within+`
		WHERE thread_id IN path AND unit = ?2`), id, unit, amount)
	return max(0, excess), err
}

// Release ends a reservation of which nothing was used. The error wraps ErrStale if it has ended.
func (s *Store) Release(ctx context.Context, r Reservation) error {
	return s.write(ctx, "release", normal, func(tx *tx) error {
		_, err := tx.end(r)
		return err
	})
}

// end gives back what is reserved.
func (t *tx) end(r Reservation) (id string, err error) {
	err = t.row(`SELECT thread_id FROM reservations WHERE id = ?`, r).Scan(&id)
	if errors.Is(err, sql.ErrNoRows) {
		return "", &item.Error{Type: item.TypeUsage, Err: ErrStale, Message: "the reservation was settled or released already"}
	}
	if err != nil {
		return "", err
	}
	if _, err := t.exec(onPath(`UPDATE budget_lines SET reserved = reserved - line.amount FROM reservation_lines AS line
		WHERE thread_id IN path AND line.reservation_id = ?2 AND line.unit = budget_lines.unit`), id, r); err != nil {
		return "", err
	}
	_, err = t.exec(`DELETE FROM reservations WHERE id = ?`, r)
	return id, err
}

// releaseAll ends the reservations of a thread that ended itself.
func (t *tx) releaseAll(id string) error {
	for {
		var r Reservation
		err := t.row(`SELECT id FROM reservations WHERE thread_id = ? LIMIT 1`, id).Scan(&r)
		if errors.Is(err, sql.ErrNoRows) {
			return nil
		}
		if err == nil {
			_, err = t.end(r)
		}
		if err != nil {
			return err
		}
	}
}
