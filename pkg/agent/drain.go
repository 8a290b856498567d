package agent

import (
	"slices"
	"time"

	"github.com/ryeos/rye/pkg/record"
)

// drain takes all queued messages over, in their order, and the first one's author decides whose turn it is. If there is
// nothing to do, the flow is given up in the same transaction: whoever queues something later sees that nobody is there.
func (f *flow) drain() (idle bool, err error) {
	f.stage(StageDrain)
	var drained []Message
	tools := false
	active := f.thread.Session.Active
	if quiet, err := f.quiet(); err != nil || active && quiet {
		return false, err
	}
	err = f.update(func(tx record.Tx, t *Thread) error {
		if drained, tools, err = f.takeQueue(tx, t.ID); err != nil {
			return err
		}
		if len(drained) > 0 {
			t.takeTurn(&drained[0], f)
		}
		if t.Session.Active {
			t.Status = StatusRunning
		}
		if idle = !t.Session.Active && !tools; idle {
			return f.release(tx)
		}
		return f.refresh(tx, t, drained)
	})
	if err != nil || idle {
		return idle, err
	}
	for _, m := range drained {
		if active && m.Role == User && !m.Silent {
			f.emit(Event{Type: UserSteered, Text: m.Content})
		}
		f.hook(AfterCreateMessage, &PointData{Message: &m})
	}
	if tools {
		return false, f.queuedTools()
	}
	return false, nil
}

// takeQueue makes all queued messages rows. It reports whether tools are left.
func (f *flow) takeQueue(tx record.Tx, thread string) (taken []Message, tools bool, err error) {
	rows, err := queue.list(tx, thread, record.Range{})
	for _, q := range rows {
		if q.Message == nil {
			tools = true
			continue
		}
		m := q.Message
		m.Status, m.Created = Completed, f.now()
		if err := appendMessage(tx, thread, m); err != nil {
			return nil, false, err
		}
		if err := queue.delete(tx, thread, q.ID); err != nil {
			return nil, false, err
		}
		taken = append(taken, *m)
	}
	return taken, tools, err
}

// quiet reports whether nobody has queued or changed anything. Only looking costs no transaction.
func (f *flow) quiet() (quiet bool, err error) {
	err = f.storage.View(f.ctx, func(tx record.Reader) error {
		if err := f.check(tx); err != nil {
			return err
		}
		rows, err := queue.names(tx, f.thread.ID, record.Range{Limit: 1})
		if err != nil {
			return err
		}
		mark, err := touchedMark(tx, f.thread.ID)
		quiet = len(rows) == 0 && f.fetched && mark == f.touched
		return err
	})
	return quiet, err
}

// touchedMark changes when somebody beside the flow changes rows.
func touchedMark(tx record.Reader, thread string) (string, error) {
	n, err := counters.get(tx, thread, "touched")
	if err != nil || n == nil {
		return "", err
	}
	return record.Name(*n), nil
}

// takeTurn makes it the turn of whoever answers a message, in the session that runs or a new one. What is said to a side in
// the middle of its turn belongs to that turn.
func (t *Thread) takeTurn(m *Message, f *flow) {
	s := &t.Session
	side := answers(m.Role)
	if !s.Active {
		t.newSession(f.now())
	}
	if s.Side != side {
		s.Side, s.Since = side, m.ID
	}
}

func (t *Thread) newSession(at time.Time) {
	t.Session = Session{Number: t.Session.Number + 1, Active: true, Started: at, Activated: t.Session.Activated}
}

// release gives the flow up. Only a transaction that has found nothing to do may.
func (f *flow) release(tx record.Tx) error {
	if err := waiting.delete(tx, "", f.thread.ID); err != nil {
		return err
	}
	return f.part(tx)
}

// refresh brings the history in memory up to date: with new rows, or all of it if somebody else has changed rows.
func (f *flow) refresh(tx record.Reader, t *Thread, added []Message) error {
	mark, err := touchedMark(tx, t.ID)
	if err != nil {
		return err
	}
	if f.fetched && mark == f.touched {
		f.history = append(f.history, slices.DeleteFunc(added, func(m Message) bool { return !m.shown() })...)
		return nil
	}
	all, err := messages.list(tx, t.ID, record.Range{After: t.Mark})
	if err != nil {
		return err
	}
	summary, kept, err := f.readArchive(tx, t)
	if err != nil {
		return err
	}
	f.archived = summary
	f.history = slices.DeleteFunc(append(kept, all...), func(m Message) bool { return !m.shown() })
	f.touched, f.fetched = mark, true
	return nil
}
