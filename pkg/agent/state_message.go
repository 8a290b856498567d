package agent

import (
	"context"

	"github.com/ryeos/rye/pkg/item"
	"github.com/ryeos/rye/pkg/record"
)

// Messages is a part of the thread's history.
func (s *State) Messages(ctx context.Context, o PageOptions) (Page, error) {
	return s.Runtime.Messages(ctx, s.thread, o)
}

// Message is one row.
func (s *State) Message(ctx context.Context, id string) (*Message, error) {
	return s.Runtime.Message(ctx, s.thread, id)
}

// Inject stores a message and starts nothing. Hooks may refuse it.
func (s *State) Inject(ctx context.Context, m Message) (*Message, error) {
	if m.Role != User && m.Role != Assistant && m.Role != System {
		return nil, item.Usagef("a message of the role %q cannot be injected", m.Role)
	}
	if err := s.lifecycle(ctx, BeforeCreateMessage, &PointData{Scope: Scope{Thread: s.thread}, Message: &m, State: s}); err != nil {
		return nil, err
	}
	m.Status, m.Created = Completed, s.now()
	err := s.change(ctx, func(tx record.Tx) (err error) {
		if m.Attachments, err = s.keep(tx, s.thread, m.Attachments); err != nil {
			return err
		}
		return appendMessage(tx, s.thread, &m)
	})
	if err == nil {
		_ = s.lifecycle(ctx, AfterCreateMessage, &PointData{Scope: Scope{Thread: s.thread}, Message: &m, State: s})
	}
	return &m, err
}

// UpdateMessage changes the text, the metadata, or whether people see a message; what is nil stays. Hooks may refuse it.
func (s *State) UpdateMessage(ctx context.Context, id string, content *string, metadata Metadata, silent *bool) error {
	m, err := s.Message(ctx, id)
	if err != nil {
		return err
	}
	if content != nil {
		m.Content = *content
	}
	if metadata != nil {
		m.Metadata = metadata
	}
	if silent != nil {
		m.Silent = *silent
	}
	d := &PointData{Scope: Scope{Thread: s.thread}, Message: m, State: s}
	if err := s.lifecycle(ctx, BeforeUpdateMessage, d); err != nil {
		return err
	}
	err = s.change(ctx, func(tx record.Tx) error {
		stored, err := findMessage(tx, s.thread, id)
		switch {
		case err != nil:
			return err
		case stored == nil:
			return item.Errorf(item.TypeNotFound, "thread %s has no message %q any more", s.thread, id)
		}
		stored.Content, stored.Metadata, stored.Silent = m.Content, m.Metadata, m.Silent
		*m = *stored
		return storeMessage(tx, s.thread, stored)
	})
	if err == nil {
		_ = s.lifecycle(ctx, AfterUpdateMessage, d)
	}
	return err
}

// DeleteMessage removes a message and reports whether it was there.
func (s *State) DeleteMessage(ctx context.Context, id string) (found bool, err error) {
	err = s.change(ctx, func(tx record.Tx) error {
		m, err := findMessage(tx, s.thread, id)
		if found = err == nil && m != nil; !found {
			return err
		}
		return removeMessage(tx, s.thread, id)
	})
	return found && err == nil, err
}

// change changes rows, and says so to a flow that has read them.
func (s *State) change(ctx context.Context, f func(record.Tx) error) error {
	return s.storage.Update(ctx, func(tx record.Tx) error {
		if _, err := loadLive(tx, s.thread); err != nil {
			return err
		}
		if err := f(tx); err != nil {
			return err
		}
		return touch(tx, s.thread)
	})
}

// Queue queues a message of a tool or a hook. It does not take back a Stop.
func (s *State) Queue(ctx context.Context, o Outgoing) (string, error) {
	id, idle, err := s.push(ctx, s.thread, o, false)
	if err == nil && idle {
		s.env.Wake(ctx, s.thread)
	}
	return id, err
}
