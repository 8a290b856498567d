package agent

import (
	"context"
	"encoding/json"
	"maps"
	"strings"
	"time"

	"github.com/ryeos/rye/pkg/item"
	"github.com/ryeos/rye/pkg/record"
)

// work waits for a thread: a message or a tool call. It is durable, and first come is first served.
type work struct {
	ID      string    `json:"id"`
	Message *Message  `json:"message,omitempty"`
	Tool    *ToolCall `json:"tool,omitempty"`
	At      time.Time `json:"at"`
}

// pending is how a queued message is shown among the others.
func (q *work) pending() Message {
	m := *q.Message
	m.ID, m.Status, m.Created = "queue-"+q.ID, Pending, q.At
	m.Metadata = Metadata{"queued": true, "queue_status": "waiting"}
	maps.Copy(m.Metadata, q.Message.Metadata)
	return m
}

// MaxQueue is how many messages and tools may wait for a thread. What its children report comes in any case.
const MaxQueue = 10_000

// mayQueue is an error if too much waits already. Numbers in the queue have no gaps, but for tools that were taken out.
func mayQueue(tx record.Reader, thread string) error {
	first, err := queue.names(tx, thread, record.Range{Limit: 1})
	if err != nil || len(first) == 0 {
		return err
	}
	last, err := counters.get(tx, thread, string(queue))
	if err != nil || last == nil || first[0] > record.Name(*last-MaxQueue+1) {
		return err
	}
	return item.Errorf(item.TypeLimit, "%d messages wait for thread %s already (MaxQueue)", MaxQueue, thread)
}

// Outgoing is a message to a thread.
type Outgoing struct {
	Role        Role // User if empty: side A answers; Assistant: side B does
	Content     string
	Attachments []Attachment // with Data, or files of the thread by their Path
	Silent      bool
	Metadata    Metadata
}

// Send queues a message of a person or a program. It takes back a Stop. The thread runs it before its next step if it is at
// work, and otherwise when somebody calls Run, which Env.Wake asks for.
func (r *Runtime) Send(ctx context.Context, thread string, o Outgoing) (id string, err error) {
	id, idle, err := r.push(ctx, thread, o, true)
	if err == nil && idle {
		r.env.Wake(ctx, thread)
	}
	return id, err
}

// push queues a message. idle reports that nobody runs the thread.
func (r *Runtime) push(ctx context.Context, thread string, o Outgoing, unstop bool) (id string, idle bool, err error) {
	if o.Role == "" {
		o.Role = User
	}
	if o.Role != User && o.Role != Assistant {
		return "", false, item.Usagef("a queued message is the user's or the assistant's, not of the role %q", o.Role)
	}
	if strings.TrimSpace(o.Content) == "" && len(o.Attachments) == 0 {
		return "", false, item.Usagef("a message has a text or attachments")
	}
	q := &work{Message: &Message{Role: o.Role, Content: o.Content, Silent: o.Silent, Metadata: o.Metadata}}
	err = r.storage.Update(ctx, func(tx record.Tx) error {
		if _, err := loadLive(tx, thread); err != nil {
			return err
		}
		if err := mayQueue(tx, thread); err != nil {
			return err
		}
		if q.Message.Attachments, err = r.keep(tx, thread, o.Attachments); err != nil {
			return err
		}
		if unstop {
			if err := stops.delete(tx, thread, the); err != nil {
				return err
			}
		}
		idle, err = r.enqueue(tx, thread, q)
		return err
	})
	return q.ID, idle, err
}

// QueueTool queues a tool call. A thread at work runs it behind the calls of its step; an idle one runs it without asking a
// model.
func (r *Runtime) QueueTool(ctx context.Context, thread, name string, arguments json.RawMessage) error {
	if name == "" {
		return item.Usagef("a queued tool has a name")
	}
	if len(arguments) == 0 {
		arguments = json.RawMessage("{}")
	}
	q := &work{Tool: &ToolCall{ID: "queued-" + r.newID(), Name: name, Arguments: string(arguments)}}
	idle := false
	err := r.storage.Update(ctx, func(tx record.Tx) error {
		if _, err := loadLive(tx, thread); err != nil {
			return err
		}
		err := mayQueue(tx, thread)
		if err == nil {
			idle, err = r.enqueue(tx, thread, q)
		}
		return err
	})
	if err == nil && idle {
		r.env.Wake(ctx, thread)
	}
	return err
}

// enqueue puts work at the end of a thread's queue. idle reports that nobody will come to look: the thread has to be woken.
func (r *Runtime) enqueue(tx record.Tx, thread string, q *work) (idle bool, err error) {
	q.At = r.now()
	if q.ID, err = next(tx, thread, string(queue)); err != nil {
		return false, err
	}
	if err := queue.put(tx, thread, q.ID, q); err != nil {
		return false, err
	}
	if err := waiting.put(tx, "", thread, &q.ID); err != nil {
		return false, err
	}
	flow, err := flowTable.get(tx, thread, the)
	return flow == nil || r.stale(flow), err
}

// Pending lists the threads that have something to do and that nobody runs: what a host looks at when it starts.
func (r *Runtime) Pending(ctx context.Context) ([]string, error) {
	var idle []string
	err := r.storage.View(ctx, func(tx record.Reader) error {
		names, err := waiting.names(tx, "", record.Range{})
		for _, thread := range names {
			flow, err := flowTable.get(tx, thread, the)
			if err != nil {
				return err
			}
			stop, err := stops.get(tx, thread, the)
			if err != nil {
				return err
			}
			if stop == nil && (flow == nil || r.stale(flow)) {
				idle = append(idle, thread)
			}
		}
		return err
	})
	return idle, err
}
