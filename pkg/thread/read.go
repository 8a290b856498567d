package thread

import (
	"context"
	"errors"
	"io/fs"
	"iter"
	"slices"
	"time"

	"github.com/ryeos/rye/pkg/item"
)

// LogOptions choose a part of a log. What is empty does not restrict.
type LogOptions struct {
	Stream string           // stdout, stderr or runner; the first two if empty
	Since  time.Time        // only chunks that came then or later
	From   map[string]int64 // by stream: the offset to go on from
	Tail   int              // the last lines only, that many over the streams together
	Follow bool             // wait for more until the thread is at its end or suspended
}

// LogChunk is a piece of a log, of at most 64 KiB. Offset + len(Data) is where its stream goes on.
type LogChunk struct {
	At     time.Time `json:"at"` // of the file's last change where the index does not know it
	Stream string    `json:"stream"`
	Offset int64     `json:"offset"`
	Data   []byte    `json:"data"`
}

// ReadLog reads the log of a thread in the order in which it came. The index decides the order and the times, and nothing
// else: each byte of the files comes exactly once, whatever the index says or lacks. An error is the last that comes, also
// the one of a context that is over.
func (s *Store) ReadLog(ctx context.Context, id string, o LogOptions) iter.Seq2[LogChunk, error] {
	return func(yield func(LogChunk, error) bool) {
		err := s.readLog(ctx, id, o, func(c LogChunk) error {
			if !yield(c, nil) {
				return errEnough
			}
			return nil
		})
		var file *fs.PathError
		switch {
		case err == nil || errors.Is(err, errEnough):
			return
		case errors.As(err, &file) && item.TypeOf(err) == item.TypeInternal:
			err = item.Errorf(item.TypeUnavailable, "cannot read the log of thread %s: %w", id, err)
		}
		yield(LogChunk{}, s.explain("read log", err))
	}
}

// errEnough ends a reading whose caller has stopped.
var errEnough = errors.New("enough")

func (s *Store) readLog(ctx context.Context, id string, o LogOptions, give func(LogChunk) error) error {
	if known := append(outputs[:len(outputs):len(outputs)], Runner); o.Stream != "" && !slices.Contains(known, o.Stream) {
		return item.Usagef("there is no stream %s", item.Quote(o.Stream)).Hint("streams: %v", known)
	}
	t, err := s.Get(ctx, id)
	if err != nil {
		return err
	}
	if o.Tail > 0 {
		if o.From, give, err = s.tailOf(ctx, t.ID, o, give); err != nil {
			return err
		}
	}
	r := s.newReader(t.ID, o, give)
	defer r.close()
	return r.run(ctx)
}
