package thread

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"time"

	"github.com/ryeos/rye/pkg/item"
)

// Queue is what waits for a thread: messages in the order in which they were pushed. One that is claimed and not
// acknowledged in time is seen again, so a consumer that died loses nothing.
type Queue struct {
	store *Store
	id    string
}

// Queue is the queue of a thread.
func (s *Store) Queue(id string) Queue { return Queue{s, id} }

// Message is a claimed message. It can be acknowledged as long as nobody else has claimed it since.
type Message struct {
	ID       int64           `json:"id"`
	Payload  json.RawMessage `json:"payload"`
	Attempts int64           `json:"attempts"` // claims so far, this one included
}

// Push adds a message, which is on the disk when Push returns.
func (q Queue) Push(ctx context.Context, payload any) (id int64, err error) {
	data, err := json.Marshal(payload)
	if err != nil {
		return 0, item.Usagef("the message is not JSON: %w", err)
	}
	err = q.store.write(ctx, "push", full, func(tx *tx) error {
		err := tx.row(`INSERT INTO queue (thread_id, payload, visible_at, created_at) VALUES (?1, ?2, ?3, ?3) RETURNING id`,
			q.id, string(data), stamp(tx.now)).Scan(&id)
		if isForeignKey(err) {
			return notFound(q.id)
		}
		return err
	})
	return id, err
}

// Claim takes the oldest message that nobody has, for the time given; nil if there is none.
func (q Queue) Claim(ctx context.Context, visibility time.Duration) (*Message, error) {
	m, payload := &Message{}, ""
	err := q.store.write(ctx, "claim", normal, func(tx *tx) error {
		err := tx.row(`UPDATE queue SET attempts = attempts + 1, visible_at = ? WHERE id =
			(SELECT id FROM queue WHERE thread_id = ? AND visible_at <= ? ORDER BY id LIMIT 1) RETURNING id, payload, attempts`,
			stamp(tx.now.Add(visibility)), q.id, stamp(tx.now)).Scan(&m.ID, &payload, &m.Attempts)
		if errors.Is(err, sql.ErrNoRows) {
			m, err = nil, nil
		}
		return err
	})
	if err != nil || m == nil {
		return nil, err
	}
	m.Payload = json.RawMessage(payload)
	return m, nil
}

// Ack removes a claimed message. The error wraps ErrStale if the claim was too old and somebody else has the message.
func (q Queue) Ack(ctx context.Context, m *Message) error {
	return q.end(ctx, "acknowledge", func(tx *tx) (int64, error) {
		return tx.changes(`DELETE FROM queue WHERE thread_id = ? AND id = ? AND attempts = ?`, q.id, m.ID, m.Attempts)
	})
}

// Nack puts a claimed message back, to be seen again after the delay.
func (q Queue) Nack(ctx context.Context, m *Message, delay time.Duration) error {
	return q.end(ctx, "put back", func(tx *tx) (int64, error) {
		return tx.changes(`UPDATE queue SET visible_at = ? WHERE thread_id = ? AND id = ? AND attempts = ?`,
			stamp(tx.now.Add(delay)), q.id, m.ID, m.Attempts)
	})
}

// end ends a claim by a change that finds the message only as long as the claim is the last one.
func (q Queue) end(ctx context.Context, verb string, change func(*tx) (int64, error)) error {
	return q.store.write(ctx, verb, full, func(tx *tx) error {
		n, err := change(tx)
		if err == nil && n == 0 {
			return &item.Error{Type: item.TypeUsage, Err: ErrStale, Message: "the claim of the message is over: it was acknowledged, or claimed again"}
		}
		return err
	})
}

// Len counts the messages, claimed ones included.
func (q Queue) Len(ctx context.Context) (n int, err error) {
	err = q.store.db.QueryRowContext(ctx, `SELECT count(*) FROM queue WHERE thread_id = ?`, q.id).Scan(&n)
	return n, q.store.explain("count messages", err)
}
