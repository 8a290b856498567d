package agent

import (
	"context"
	"slices"

	"github.com/ryeos/rye/pkg/item"
	"github.com/ryeos/rye/pkg/record"
)

// Page is a part of a thread's messages.
type Page struct {
	Messages []Message `json:"messages"`
	Total    int       `json:"total"`
	HasMore  bool      `json:"has_more"`
}

// PageOptions choose messages: the newest hundred if zero.
type PageOptions struct {
	Limit    int   // 100 if 0
	Offset   int   // leaves so many out, at the end where the Order begins
	Order    Order // of the page
	Silent   bool  // with those that are not for people
	MaxDepth int   // 0: without those of prompts that were called as tools
}

// Order is how a page of messages is chosen and written.
type Order string

// Orders.
const (
	Latest      Order = ""     // the newest messages, oldest first: what a person wants to see of a thread
	OldestFirst Order = "asc"  // from the first message on
	NewestFirst Order = "desc" // from the last message back
)

// Messages returns a part of the history, with what is still in the queue behind it: as pending rows with metadata.queued.
func (r *Runtime) Messages(ctx context.Context, thread string, o PageOptions) (Page, error) {
	if o.Limit <= 0 {
		o.Limit = 100
	}
	page := Page{Messages: []Message{}}
	err := r.storage.View(ctx, func(tx record.Reader) error {
		if _, err := loadThread(tx, thread); err != nil {
			return err
		}
		all, err := allMessages(tx, thread)
		if err != nil {
			return err
		}
		queued, err := queue.list(tx, thread, record.Range{})
		if err != nil {
			return err
		}
		for _, q := range queued {
			if q.Message != nil {
				all = append(all, q.pending())
			}
		}
		for _, m := range all {
			if m.Depth <= o.MaxDepth && (o.Silent || !m.Silent) {
				page.Messages = append(page.Messages, m)
			}
		}
		return nil
	})
	page.Total = len(page.Messages)
	if o.Order != OldestFirst {
		slices.Reverse(page.Messages)
	}
	page.Messages = page.Messages[min(max(o.Offset, 0), page.Total):]
	page.HasMore = len(page.Messages) > o.Limit
	page.Messages = page.Messages[:min(len(page.Messages), o.Limit)]
	if o.Order == Latest {
		slices.Reverse(page.Messages)
	}
	return page, err
}

// Message returns one row.
func (r *Runtime) Message(ctx context.Context, thread, id string) (*Message, error) {
	var m *Message
	err := r.storage.View(ctx, func(tx record.Reader) (err error) {
		m, err = findMessage(tx, thread, id)
		if err == nil && m == nil {
			err = item.Errorf(item.TypeNotFound, "thread %s has no message %q", thread, id)
		}
		return err
	})
	return m, err
}
