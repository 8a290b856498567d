package thread

import (
	"context"
	"encoding/json"
	"time"

	"github.com/ryeos/rye/pkg/item"
)

// Event is something that happened in a thread. The numbers of a thread's events are 1, 2, 3, … without a gap.
type Event struct {
	Seq     int64           `json:"seq"`
	At      time.Time       `json:"at"`
	Type    string          `json:"type"`
	Payload json.RawMessage `json:"payload"`
}

// AppendEvent adds an event and returns its number. Events are never changed, and go only with their thread.
func (s *Store) AppendEvent(ctx context.Context, id, kind string, payload any) (seq int64, err error) {
	if kind == "" || kind == statusEvent {
		return 0, item.Usagef("an event cannot be of the type %q", kind)
	}
	err = s.write(ctx, "append event", normal, func(tx *tx) error {
		seq, err = tx.appendEvent(id, kind, payload)
		return err
	})
	return seq, err
}

func (t *tx) appendEvent(id, kind string, payload any) (seq int64, err error) {
	data, err := json.Marshal(payload)
	if err != nil {
		return 0, item.Usagef("the payload of the event is not JSON: %w", err)
	}
	err = t.row(`INSERT INTO events (thread_id, seq, at, type, payload)
		SELECT ?1, coalesce(max(seq), 0) + 1, ?2, ?3, ?4 FROM events WHERE thread_id = ?1 RETURNING seq`,
		id, stamp(t.now), kind, string(data)).Scan(&seq)
	if isForeignKey(err) {
		return 0, notFound(id)
	}
	return seq, err
}

// Events returns up to limit events after the number since, oldest first. No event is not an error.
func (s *Store) Events(ctx context.Context, id string, since int64, limit int) ([]Event, error) {
	rows, err := s.db.QueryContext(ctx, `SELECT seq, at, type, payload FROM events WHERE thread_id = ? AND seq > ? ORDER BY seq LIMIT ?`,
		id, since, limit)
	if err != nil {
		return nil, s.explain("read events", err)
	}
	defer rows.Close()
	events := []Event{}
	for rows.Next() {
		e, err := scanEvent(rows.Scan)
		if err != nil {
			return nil, s.explain("read events", err)
		}
		events = append(events, e)
	}
	return events, s.explain("read events", rows.Err())
}

func scanEvent(scan func(...any) error) (Event, error) {
	var e Event
	var at, payload string
	if err := scan(&e.Seq, &at, &e.Type, &payload); err != nil {
		return Event{}, err
	}
	var err error
	e.At, err = time.Parse(layout, at)
	e.At, e.Payload = e.At.UTC(), json.RawMessage(payload)
	return e, err
}
