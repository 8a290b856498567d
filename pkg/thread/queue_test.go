package thread

import (
	"errors"
	"fmt"
	"testing"
	"time"
)

func claim(t *testing.T, q Queue, visibility time.Duration) *Message {
	t.Helper()
	m, err := q.Claim(t.Context(), visibility)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestQueue(t *testing.T) {
	clock := newClock()
	s := openAt(t, t.TempDir(), clock.Now)
	register(t, s, New{ID: "a"})
	register(t, s, New{ID: "b"})
	q := s.Queue("a")
	for i := range 3 {
		if _, err := q.Push(t.Context(), i); err != nil {
			t.Fatal(err)
		}
	}
	if m := claim(t, s.Queue("b"), time.Minute); m != nil {
		t.Errorf("the queue of another thread has %s", m.Payload)
	}
	first, second := claim(t, q, time.Minute), claim(t, q, time.Minute)
	if string(first.Payload) != "0" || string(second.Payload) != "1" {
		t.Errorf("claimed %s and %s", first.Payload, second.Payload)
	}
	if err := q.Ack(t.Context(), second); err != nil {
		t.Fatal(err)
	}
	// The first consumer is too slow: somebody else gets the message, and its claim is worth nothing any more.
	clock.advance(time.Minute)
	again := claim(t, q, time.Minute)
	if again.ID != first.ID || again.Attempts != 2 {
		t.Errorf("claimed again: %+v", again)
	}
	if err := q.Ack(t.Context(), first); !errors.Is(err, ErrStale) {
		t.Errorf("the old claim was acknowledged: %v", err)
	}
	if err := q.Nack(t.Context(), again, time.Hour); err != nil {
		t.Fatal(err)
	}
	if m := claim(t, q, time.Minute); string(m.Payload) != "2" {
		t.Errorf("claimed %s, put back for an hour was 0", m.Payload)
	}
	if n, err := q.Len(t.Context()); n != 2 || err != nil {
		t.Errorf("%d messages, %v", n, err)
	}
	if _, err := s.Queue("none").Push(t.Context(), 1); !errors.Is(err, ErrNotFound) {
		t.Errorf("unknown thread: %v", err)
	}
	if _, err := q.Push(t.Context(), func() {}); err == nil {
		t.Error("a function was pushed")
	}
}

// TestQueueIsDurable: what one process pushed, another claims, in order.
func TestQueueIsDurable(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	register(t, s, New{ID: "a"})
	mustRun(t, helper(t, "push", dir, "a", "20"))
	for i := range 20 {
		m := claim(t, s.Queue("a"), time.Minute)
		if m == nil || string(m.Payload) != fmt.Sprint(i) {
			t.Fatalf("message %d is %v", i, m)
		}
		if err := s.Queue("a").Ack(t.Context(), m); err != nil {
			t.Fatal(err)
		}
	}
}
