package agent

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/ryeos/rye/pkg/record"
)

// Archive is a summary of what came before a mark. The rows stay where they are: it only bounds what models see.
type Archive struct {
	Name    string    `json:"name"`
	Summary string    `json:"summary"`
	From    string    `json:"from,omitempty"` // the mark of the archive before it
	To      string    `json:"to"`             // the last row that it is about
	Kept    []string  `json:"kept,omitempty"` // rows before it that had no answer yet: models go on seeing them as they are
	Created time.Time `json:"created_at"`
}

// archive stores a summary and the mark in one transaction: there is never one without the other.
func (f *flow) archive(tx record.Tx, t *Thread, a *Archive) error {
	n, err := next(tx, t.ID, string(archives))
	if err != nil {
		return err
	}
	a.Name, a.From, a.Created = "archive-"+n, t.Mark, f.now()
	a.To = max(a.To, t.Mark) // the last row may be one that was kept
	if err := archives.put(tx, t.ID, a.Name, a); err != nil {
		return err
	}
	t.Mark, t.Archive = a.To, a.Name
	f.fetched = false
	return f.note(tx, t.ID, "compaction", Metadata{"archive": a.Name, "to": a.To})
}

// readArchive is what stands for the history before the mark: a summary, and the rows that were kept.
func (f *flow) readArchive(tx record.Reader, t *Thread) (summary string, kept []Message, err error) {
	if t.Archive == "" {
		return "", nil, nil
	}
	a, err := archives.get(tx, t.ID, t.Archive)
	switch {
	case err != nil:
		return "", nil, err
	case a == nil:
		return fmt.Sprintf("[What was said before is in the archive %s, which is unavailable.]", t.Archive), nil, nil
	}
	for _, id := range a.Kept {
		m, err := messages.get(tx, t.ID, id)
		if err != nil {
			return "", nil, err
		}
		if m != nil { // nobody has deleted it
			m.ToolCalls, m.Log = nil, nil // their results are gone, and so is what it counted
			kept = append(kept, *m)
		}
	}
	return "[What was said before, in short:]\n" + a.Summary, kept, nil
}

// withArchive puts what stands for older rows before entries.
func (f *flow) withArchive(entries []Entry) []Entry {
	if f.archived == "" {
		return entries
	}
	return slices.Insert(entries, 0, Entry{Role: User, Text: f.archived})
}

// Archives are the summaries of a thread, oldest first.
func (r *Runtime) Archives(ctx context.Context, thread string) ([]Archive, error) {
	var list []Archive
	err := r.storage.View(ctx, func(tx record.Reader) error {
		_, err := loadThread(tx, thread)
		if err != nil {
			return err
		}
		list, err = archives.list(tx, thread, record.Range{})
		return err
	})
	return list, err
}
